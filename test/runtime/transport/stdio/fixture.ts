import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import type { Revision } from "../../../../generated/support.ts";
import { connect, type ClientConnection } from "../../../../runtime/client/connect.ts";
import {
  createStdioClientTransport,
  type StdioClientOptions,
  type StdioClientTransport,
} from "../../../../runtime/transport/stdio/stdio-client.ts";
import { createProgram } from "../../../kit/programs.ts";
import { handshakeRevisions } from "../../../kit/revisions.ts";

const script = await createProgram(new URL("./fixtures/stdio-server.ts", import.meta.url));

/** Command that starts the fixture server. */
export const fixture: { readonly command: string; readonly args: readonly string[] } = {
  command: process.execPath,
  args: [script],
};

/** The fixture server as a bare process. */
export function spawnFixture(flags: readonly string[] = []): ChildProcessWithoutNullStreams {
  return spawn(fixture.command, [...flags, ...fixture.args]);
}

/** The fixture server, or another command, with a connected client. */
export async function connectFixture(
  options: Partial<StdioClientOptions> & { readonly revisions?: readonly Revision[] } = {},
): Promise<{ readonly transport: StdioClientTransport; readonly client: ClientConnection }> {
  const { revisions = handshakeRevisions, ...rest } = options;
  const transport = createStdioClientTransport({ ...fixture, stderr: "ignore", ...rest });
  const client = await connect(transport, { info: { name: "c", version: "1" }, revisions });
  return { transport, client };
}

/** A server in one expression of JavaScript: it responds to `initialize`, and then does what the test says. */
export function tinyServer(rest: string): { readonly command: string; readonly args: readonly string[] } {
  const code = `
    let text = "";
    const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    process.stdin.on("data", (chunk) => {
      text += chunk;
      for (let end; (end = text.indexOf("\\n")) !== -1; text = text.slice(end + 1)) {
        const { id, method, params } = JSON.parse(text.slice(0, end));
        if (method === "initialize") say({ id, result: { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: "tiny", version: "1" } } });
        else if (id !== undefined) answer(id, method);
      }
    });
    let answer = (id) => say({ id, result: {} });
    ${rest}`;
  return { command: process.execPath, args: ["-e", code] };
}
