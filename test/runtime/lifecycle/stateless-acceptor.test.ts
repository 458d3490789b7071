import { describe, expect, test } from "vitest";
import type { Revision } from "../../../generated/support.ts";
import { createAcceptor } from "../../../runtime/lifecycle/acceptor.ts";
import { createStatelessAcceptor } from "../../../runtime/lifecycle/stateless-server.ts";
import { statelessRevision, newest, row } from "../../kit/revisions.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { serveWire } from "../../kit/wire.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { meta, request } from "../../kit/messages.ts";

const info = { name: "server", version: "1" };
const clientRequests: Revision["clientRequests"] = {
  ...statelessRevision.clientRequests,
  "things/do": row("things/do", "doThing"),
};
const served: Revision = { ...statelessRevision, clientRequests };

/** Returns the response of a server to a stateless request for a method that only the test defines. */
async function send(result: unknown, revision: Revision = served): Promise<unknown> {
  const { wire } = await serveWire({ revisions: [revision], handlers: { doThing: () => result } });
  wire.post(request(1, "things/do"));
  await settle();
  return wire.sent[0];
}

describe("the acceptor of one revision", () => {
  test("the acceptor of one revision serves its stateless requests", async () => {
    const wire = new Wire();
    createStatelessAcceptor({ info, revisions: [statelessRevision], handlers: {} })(wire);
    wire.post(request(1, "server/discover"));
    await settle();
    expect(wire.sent).toMatchObject([{ id: 1, result: { supportedVersions: [statelessRevision.id] } }]);
  });

  test.each([
    [
      "several, whose results it could not convert",
      [statelessRevision, newest],
      "several revisions; use createDualAcceptor",
    ],
    ["one with sessions", [newest], "No revision has stateless requests; use createSessionAcceptor"],
  ])("the acceptor of one revision rejects %s", (_, served, problem) => {
    expect(() => createStatelessAcceptor({ info, revisions: served, handlers: {} })).toThrow(problem);
  });
});

test("the declarations of a server without sessions are checked when it is created", () => {
  const options = { info, revisions: [statelessRevision], handlers: {}, capabilities: { tools: 5 } };
  expect(() => createAcceptor(options)).toThrow("The result of server/discover at capabilities/tools must be");
});

describe("results without sessions", () => {
  const identity = { [meta.serverInfo]: info };

  test.each([
    ["gets a type and the server's info", { done: true }, { resultType: "complete", done: true, _meta: identity }],
    ["keeps its own type", { resultType: "special" }, { resultType: "special", _meta: identity }],
    ["keeps its own metadata", { _meta: { a: 1 } }, { resultType: "complete", _meta: { a: 1, ...identity } }],
  ])("a result %s", async (_, result, expected) => {
    expect(await send(result)).toEqual({ jsonrpc: "2.0", id: 1, result: expected });
  });

  test("a result that is no object is an error, also where the tables accept it", async () => {
    expect(await send("done")).toMatchObject({ id: 1, error: { code: -32603 } });
  });

  test("a result does not name the server at a revision without a key for it", async () => {
    const reservedMeta = statelessRevision.reservedMeta.filter(({ key }) => key !== meta.serverInfo);
    expect(await send({}, { ...served, reservedMeta })).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: { resultType: "complete", _meta: {} },
    });
  });

  test("a result has no type at a revision without types of results", async () => {
    const { resultTypes: _types, ...untyped } = served;
    expect(await send({ done: true }, untyped)).toStrictEqual({
      jsonrpc: "2.0",
      id: 1,
      result: { done: true, _meta: identity },
    });
  });

  test("a result may come from a revision without server/discover", async () => {
    const { "server/discover": _discover, ...others } = clientRequests;
    expect(await send({}, { ...served, clientRequests: others })).toMatchObject({
      id: 1,
      result: { resultType: "complete" },
    });
  });
});

test("handlers get the session of their request", async () => {
  const sessions: unknown[] = [];
  const { wire } = await serveWire({
    revisions: [statelessRevision],
    instructions: "Be kind",
    capabilities: { tools: {} },
    handlers: {
      listTools(_params: unknown, { session }: { session: unknown }) {
        sessions.push(session);
        return { tools: [], ttlMs: 0, cacheScope: "private" };
      },
    },
  });
  wire.post(request(1, "tools/list"));
  await settle();
  expect(sessions).toMatchObject([
    {
      revision: { id: statelessRevision.id },
      role: "server",
      own: { info, capabilities: { tools: {} } },
      peer: { info: { name: "test", version: "1" }, capabilities: {} },
      instructions: "Be kind",
      isStateless: true,
    },
  ]);
});

test.each([
  ["input that is not JSON", "{\n", -32700],
  ["a batch", `${JSON.stringify([request(1, "tools/list")])}\n`, -32600],
])("a server without sessions rejects and reports %s", async (_, text, code) => {
  const { wire, reports } = await serveWire({ revisions: [statelessRevision] });
  wire.write(text);
  await settle();
  expect(wire.sent).toEqual([{ jsonrpc: "2.0", error: { code, message: expect.any(String) } }]);
  expect(reports).toMatchObject([{ kind: "protocol" }]);
});
