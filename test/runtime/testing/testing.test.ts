import { describe, expect, test } from "vitest";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { revision } from "../../../generated/2025-11-25/methods.ts";
import type { Declarations as Newest } from "../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { connectInMemory } from "../../../runtime/testing/connect-to.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import { runTranscript, TranscriptError, type TranscriptLine } from "../../../runtime/testing/transcript.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { handshakeRevisions } from "../../kit/revisions.ts";

const { defineServer, defineTool } = forRevisions<Declarations>([revision]);
const server = defineServer({
  name: "greeter",
  version: "1",
  onError() {},
  tools: [
    defineTool({ name: "hello", execute: () => "hello" }),
    defineTool({
      name: "ask",
      async execute(_, { elicit }) {
        const requestedSchema = { type: "object", properties: { name: { type: "string" } } } as const;
        const { content } = await elicit({ message: "Who?", requestedSchema });
        return `hello ${String(content?.name)}`;
      },
    }),
  ],
});

const hello: readonly TranscriptLine[] = [
  `> {"id": 0, "method": "initialize", "params": {"protocolVersion": "${revision.id}", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}}`,
  `~ {"id": 0, "result": {"protocolVersion": "${revision.id}", "serverInfo": {"name": "greeter"}}}`,
  '> {"method": "notifications/initialized"}',
];

describe("a client in one line", () => {
  test("a test client calls a server in this process and closes both sides", async () => {
    {
      await using client = await connectInMemory<Declarations>(server);
      const [tool] = await client.listTools();
      expect(tool?.name).toBe("hello");
      expect((await client.callTool("hello")).content).toEqual([{ type: "text", text: "hello" }]);
      expect(server.sessionCount).toBe(1);
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(server.sessionCount).toBe(0);
  });

  test("a test client responds to the server's input requests", async () => {
    const client = await connectInMemory<Declarations>(server, {
      elicitation: { form: () => ({ action: "accept", content: { name: "you" } }) },
    });
    expect((await client.callTool("ask")).content).toEqual([{ type: "text", text: "hello you" }]);
    await client.close();
  });
});

describe("a client of a server that speaks several revisions", () => {
  const both = createServer(
    { name: "both", version: "1", tools: [{ name: "hello", execute: () => "hello" }] },
    revisions,
  );

  test("a test client uses the newest revision", async () => {
    await using client = await connectInMemory<Newest>(both);
    expect(client.revision).toBe(revisions[0]);
    expect((await client.callTool("hello")).content).toEqual([{ type: "text", text: "hello" }]);
  });

  test.each(revisions)("a test client uses $id with the option", async (pinned) => {
    await using client = await connectInMemory(both, { revisions: [pinned] });
    expect(client.revision).toBe(pinned);
    expect(await client.callTool("hello")).toMatchObject({ content: [{ type: "text", text: "hello" }] });
  });
});

describe("a transcript", () => {
  test("a transcript is played with a server", async () => {
    await runTranscript(server, [
      ...hello,
      '> {"id": "a", "method": "tools/call", "params": {"name": "hello"}}',
      '< {"id": "a", "result": {"content": [{"type": "text", "text": "hello"}]}}',
      "> {broken",
      '~ {"error": {"code": -32700}}',
    ]);
  });

  test("a transcript is played with a client over a wire", async () => {
    const wire = new Wire();
    const connecting = connect(wire, { info: { name: "c", version: "1" }, revisions: handshakeRevisions });
    const result = { protocolVersion: revision.id, capabilities: {}, serverInfo: { name: "s", version: "1" } };
    await runTranscript(wire, [
      '~ {"id": 1, "method": "initialize"}',
      [">", { id: 1, result }],
      '< {"method": "notifications/initialized"}',
    ]);
    const client = await connecting;
    const pinging = client.request("ping");
    await runTranscript(wire, ['< {"id": 2, "method": "ping"}', '> {"id": 2, "result": {}}']);
    expect(await pinging).toEqual({});
  });

  test.each<[string, readonly TranscriptLine[], string]>([
    [
      "says nothing",
      [...hello, '< {"id": 1, "result": {}}'],
      'Expected at line 4:\n  {"jsonrpc":"2.0","id":1,"result":{}}\nReceived no message',
    ],
    [
      "says something else",
      [...hello, '> {"id": 1, "method": "ping"}', '< {"id": 1, "result": {"a": 1}}'],
      'Received:\n  {"jsonrpc":"2.0","id":1,"result":{}}',
    ],
    ["says more", [...hello, '> {"id": 1, "method": "ping"}'], "Unexpected messages after the last line:"],
  ])("a transcript fails when the other side %s", async (_, script, message) => {
    const playing = runTranscript(server, script, { timeout: 20 });
    await expect(playing).rejects.toThrow(message);
    await expect(playing).rejects.toBeInstanceOf(TranscriptError);
    expect(server.sessionCount).toBe(0);
  });

  test.each([
    ["a line without a mark", '{"id": 1}', "does not begin with >, < or ~"],
    ["an expectation that is no JSON", "< {", "Line 1 is not JSON"],
  ])("a transcript fails on %s", async (_, line, message) => {
    await expect(runTranscript(server, [line])).rejects.toThrow(message);
  });
});

test("time advances on demand, and effects of a timer run before the next", async () => {
  const clock = new ManualClock();
  const seen: number[] = [];
  const tick = async (): Promise<void> => {
    await Promise.resolve();
    seen.push(clock.now());
    if (seen.length < 3) clock.after(10, () => void tick());
  };
  clock.after(10, () => void tick());
  await clock.pass(25);
  expect(seen).toEqual([10, 20]);
  expect(clock.now()).toBe(25);
  expect(clock.active).toBe(1);
});
