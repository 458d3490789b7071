import { describe, expect, test } from "vitest";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import { rejectedByUser } from "../../../../runtime/client/errors.ts";
import { runTranscript } from "../../../../runtime/testing/transcript.ts";
import { handshakeRevisions, revisionOf } from "../../../kit/revisions.ts";
import { openSession } from "../session/session-wire.ts";

const home = { uri: "file:///home/me", name: "Home" };
const work = { uri: "file:///work" };

test.each(handshakeRevisions.map(({ id }) => id))("experimental capabilities are declared at %s", async (revision) => {
  const experimental = { "com.example/search": {} };
  const { declared } = await openSession({ experimental }, { revision });
  expect(declared).toEqual({ experimental });
});

describe("roots", () => {
  test("roots are declared, with list changes, and listed (RT-01)", async () => {
    const { wire, declared } = await openSession({ roots: [home] });
    expect(declared).toEqual({ roots: { listChanged: true } });
    await runTranscript(wire, ['> {"id": 1, "method": "roots/list"}', ["<", { id: 1, result: { roots: [home] } }]]);
  });

  test("roots may come from a function, which receives the server", async () => {
    const { wire } = await openSession({
      roots: async ({ server }) => [{ ...home, name: String(Reflect.get(server.info, "name")) }],
    });
    await runTranscript(wire, [
      '> {"id": 1, "method": "roots/list"}',
      ["~", { id: 1, result: { roots: [{ name: "server" }] } }],
    ]);
  });

  test.each(["https://example.org", "/home", "file:", "FILE//x", "not a uri"])(
    "roots begin with file://: %s is rejected (RT-02)",
    async (uri) => {
      const info = { name: "c", version: "1" };
      const create = (): unknown => createUntypedClient({ info, revisions: handshakeRevisions, roots: [{ uri }] });
      expect(create).toThrow("is not a file:// URI");
      const { wire, reports, session } = await openSession({ roots: () => [home, { uri }] });
      await runTranscript(wire, ['> {"id": 1, "method": "roots/list"}', '~ {"id": 1, "error": {"code": -32603}}']);
      expect(reports).toMatchObject([{ kind: "handler", method: "roots/list" }]);
      expect(() => session.roots.set([{ uri }])).toThrow("file://");
    },
  );

  test("roots that are no list are reported, and the server receives an error", async () => {
    const { wire, reports } = await openSession({ roots: () => ({ roots: [home] }) });
    await runTranscript(wire, ['> {"id": 1, "method": "roots/list"}', '~ {"id": 1, "error": {"code": -32603}}']);
    expect(reports).toMatchObject([{ error: { message: "The roots must be an array" } }]);
  });

  test("roots that change are notified once a turn to every session (RT-01)", async () => {
    const { wire, client, session } = await openSession({ roots: [home] });
    session.roots.set([work]);
    session.roots.notifyListChanged();
    client.roots.notifyListChanged();
    await runTranscript(wire, [
      '< {"method": "notifications/roots/list_changed"}',
      '> {"id": 1, "method": "roots/list"}',
      ["<", { id: 1, result: { roots: [work] } }],
    ]);
    client.roots.notifyListChanged();
    await runTranscript(wire, ['< {"method": "notifications/roots/list_changed"}']);
  });

  test("roots without a list are an unknown method (RT-03)", async () => {
    const { wire, session, declared } = await openSession();
    expect(declared).toEqual({});
    await runTranscript(wire, ['> {"id": 1, "method": "roots/list"}', '~ {"id": 1, "error": {"code": -32601}}']);
    expect(() => session.roots.set([home])).toThrow("create it with the option `roots`");
  });
});

describe("sampling", () => {
  const text = { type: "text", text: "hi" };
  const received = { role: "assistant", content: text, model: "m" };
  const createMessage = (): object => received;
  const use = (id: string): object => ({ type: "tool_use", id, name: "t", input: {} });
  const result = (toolUseId: string): object => ({ type: "tool_result", toolUseId, content: [] });
  const sample = (params: object): readonly [">", object] => [
    ">",
    {
      id: 1,
      method: "sampling/createMessage",
      params: { maxTokens: 10, messages: [{ role: "user", content: text }], ...params },
    },
  ];

  test.each([
    ["2025-11-25", { createMessage }, {}],
    ["2025-11-25", { createMessage, tools: true, context: true } as const, { tools: {}, context: {} }],
    ["2025-06-18", { createMessage, tools: true, context: true } as const, {}],
    ["2024-11-05", { createMessage }, {}],
  ])(
    "sampling is declared at %s, with the capabilities of that revision (S-01, S-08)",
    async (revision, sampling, declared) => {
      const wired = await openSession({ sampling, revisions: [revisionOf(revision)] }, { revision });
      expect(wired.declared).toEqual({ sampling: declared });
      await runTranscript(wired.wire, [sample({}), ["<", { id: 1, result: received }]]);
    },
  );

  test("sampling may be rejected by the user (S-05)", async () => {
    const reject = (): never => {
      throw rejectedByUser();
    };
    const { wire } = await openSession({ sampling: { createMessage: reject } });
    await runTranscript(wire, [
      sample({}),
      ["<", { id: 1, error: { code: -1, message: "User rejected sampling request" } }],
    ]);
  });

  test.each([
    ["tools", { tools: [] }],
    ["a tool choice", { toolChoice: { mode: "none" } }],
  ])("sampling with %s fails where tools were not declared (S-08)", async (_, params) => {
    const { wire } = await openSession({ sampling: { createMessage } });
    const error = { code: -32602, message: "This client has not declared sampling.tools" };
    await runTranscript(wire, [sample(params), ["<", { id: 1, error }]]);
  });

  const user = (...content: object[]): object => ({ role: "user", content });
  const assistant = (...content: object[]): object => ({ role: "assistant", content });
  test.each([
    ["results mixed with other content (S-09, S-11)", [assistant(use("a")), user(result("a"), text)]],
    ["a use without its result (S-10, S-11)", [assistant(use("a"), use("b")), user(result("a"))]],
    ["a use without a result (S-10)", [user(text), assistant(use("a"))]],
    ["a use whose result comes too late (S-10)", [assistant(use("a")), user(text), user(result("a"))]],
    ["a result without its use (S-10)", [user(result("a"))]],
  ])("sampling rejects %s", async (_, messages) => {
    const { wire } = await openSession({ sampling: { createMessage, tools: true } });
    await runTranscript(wire, [sample({ messages }), '~ {"id": 1, "error": {"code": -32602}}']);
  });

  test("sampling accepts tool uses that have results (S-10, S-16)", async () => {
    const { wire } = await openSession({ sampling: { createMessage, tools: true } });
    const messages = [user(text), assistant(text, use("a"), use("b")), user(result("b"), result("a"))];
    await runTranscript(wire, [sample({ messages, tools: [] }), ["<", { id: 1, result: received }]]);
  });

  test("sampling never gives a list of contents to an older server (S-15)", async () => {
    let content = [text];
    const create = (): object => ({ ...received, content });
    const { wire, reports } = await openSession({ sampling: { createMessage: create } }, { revision: "2025-06-18" });
    await runTranscript(wire, [sample({}), ["<", { id: 1, result: received }]]);
    content = [text, text];
    await runTranscript(wire, [sample({}), '~ {"id": 1, "error": {"code": -32603}}']);
    expect(reports).toHaveLength(1);
  });

  test("sampling reports progress to a server that requested it (G-01)", async () => {
    const { wire } = await openSession({
      sampling: {
        async createMessage(_, { progress }) {
          await progress(1, 2, "half");
          return received;
        },
      },
    });
    await runTranscript(wire, [
      sample({ _meta: { progressToken: "t" } }),
      [
        "<",
        { method: "notifications/progress", params: { progressToken: "t", progress: 1, total: 2, message: "half" } },
      ],
      ["<", { id: 1, result: received }],
    ]);
  });
});
