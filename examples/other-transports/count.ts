import type { Declarations } from "mcp-server-runtime/2026-07-28";
import { connectClient } from "mcp-server-runtime";
import { revisions } from "mcp-server-runtime/revisions";
import type { Transport } from "mcp-server-runtime/transports";

/** Calls the tool of the example over any transport, and prints its progress and result. */
export async function countOver(transport: Transport): Promise<void> {
  const session = await connectClient<Declarations>(transport, {
    info: { name: "counting-client", version: "1.0.0" },
    revisions,
  });
  try {
    const onProgress = ({ progress, total }: { progress: number; total?: number }): void =>
      console.log(`${progress} of ${total}`);
    const { content } = await session.callTool("count", { to: 3 }, { onProgress });
    for (const block of content) if (block.type === "text") console.log(block.text);
  } finally {
    await session.close();
  }
}
