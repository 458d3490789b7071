import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { Declarations } from "../../../../generated/2026-07-28/index.ts";
import { connect } from "../../../../runtime/client/connect.ts";
import { connectHttp } from "../../../../runtime/client/connect-http.ts";
import { createClient } from "../../../../runtime/client/create-client.ts";
import type { Connectable } from "../../../../runtime/client/connection-factory.ts";
import { serveHttp } from "../../../../runtime/server/run/serve-http.ts";
import { createStdioClientTransport } from "../../../../runtime/transport/stdio/stdio-client.ts";
import { createProgram } from "../../../kit/programs.ts";
import { statelessRevision, newest } from "../../../kit/revisions.ts";
import { createElicitingServer } from "./input-server.ts";

const script = await createProgram(new URL("./stdio-server.ts", import.meta.url));

/** Calls every tool that asks. */
async function callAll(source: Connectable, revision: typeof statelessRevision): Promise<readonly unknown[]> {
  const client = createClient<Declarations>({
    info: { name: "test", version: "1" },
    revisions: [revision],
    elicitation: { form: ({ message }) => ({ action: "accept", content: { a: message } }) },
    roots: [{ uri: "file:///a" }],
  });
  const session = await client.connect(source);
  const { content } = await session.callTool("several");
  const { content: returned } = await session.callTool("returns");
  const { messages } = await session.getPrompt("asks");
  await client.close();
  return [content, returned, messages];
}

const expected = [
  [{ type: "text", text: '["first","second",["file:///a"],1]' }],
  [{ type: "text", text: '{"name":{"action":"accept","content":{"a":"Name?"}}} mine' }],
  [{ role: "user", content: { type: "text", text: "topic" } }],
];

describe.each([
  ["where each request stands alone", statelessRevision],
  ["in a session", newest],
])("a handler that requests input, %s (A10, S-040)", (_where, revision) => {
  test("a handler requests input over HTTP, with a request for each retry", async () => {
    const listener = await serveHttp(createElicitingServer(), { port: 0 });
    try {
      expect(await callAll((options) => connectHttp(listener.url, options), revision)).toEqual(expected);
    } finally {
      await listener.close();
    }
  });

  test("a handler requests input over stdio", async () => {
    const open: Connectable = (options) =>
      connect(createStdioClientTransport({ command: process.execPath, args: [script], stderr: "ignore" }), options);
    expect(await callAll(open, revision)).toEqual(expected);
  });
});

test("a handler requests input in a process that nothing else keeps alive (S-040)", async () => {
  const program = await createProgram(new URL("./one-request.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { resultType: "input_required" } });
});
