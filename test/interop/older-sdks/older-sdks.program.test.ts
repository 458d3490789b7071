import { afterEach, describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { createUntypedClient } from "../../../runtime/client/create-client.ts";
import { createStdioClientTransport } from "../../../runtime/transport/stdio/stdio-client.ts";
import { createProgram } from "../../kit/programs.ts";
import { handshakeRevisions } from "../../kit/revisions.ts";
import { importOlderSdk, olderSdks, type OlderClient } from "./sdk.ts";

/* Official SDKs of long ago, which people still run, on either side of stdin and stdout. */

const ours = await createProgram(new URL("../our-stdio-server.ts", import.meta.url));
const theirs = await createProgram(new URL("./server.ts", import.meta.url));

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const info = { name: "older", version: "1" };
const options = { capabilities: {} };
const start = {
  command: process.execPath,
  args: [ours, ...handshakeRevisions.map(({ id }) => id)],
  stderr: "ignore",
};

async function openOlder(version: string): Promise<OlderClient> {
  const { Client, StdioClientTransport } = await importOlderSdk(version);
  const client = new Client(info, options);
  await client.connect(new StdioClientTransport(start));
  return client;
}

describe.each(olderSdks)("the official SDK %s", (version) => {
  test("an older official client lists tools, calls one, and its cancellation ends a call", async () => {
    const client = await openOlder(version);
    closers.push(() => client.close());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("echo");
    const echoed = await client.callTool({ name: "echo", arguments: { text: "hello" } });
    expect(echoed).toMatchObject({ content: [{ type: "text", text: "hello" }] });
    const controller = new AbortController();
    const waiting = client.callTool({ name: "wait" }, undefined, { signal: controller.signal });
    waiting.catch(() => {});
    const read = (): Promise<unknown> => client.readResource({ uri: "test://aborted" });
    await expect.poll(read).toMatchObject({ contents: [{ text: "1 0" }] });
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect.poll(read).toMatchObject({ contents: [{ text: "0 1" }] });
  });

  test("an older official server serves our client", async () => {
    const client = createUntypedClient({ info: { name: "ours", version: "1" }, revisions });
    closers.push(() => client.close());
    const command = { command: process.execPath, args: [theirs, version], stderr: "ignore" } as const;
    const session = await client.connect((opening) => connect(createStdioClientTransport(command), opening));
    expect(await session.listTools()).toMatchObject([{ name: "echo" }]);
    expect(await session.callTool("echo", { text: "hello" })).toMatchObject(textOf("hello"));
    expect(session.revision.id).toBe(version === "1.17" ? "2025-06-18" : "2024-11-05");
  });
});

function textOf(text: string): object {
  return { content: [{ type: "text", text }] };
}
