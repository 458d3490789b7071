import { describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import type { Revision } from "../../../generated/support.ts";
import { createAcceptor, serveHandlers, type ServeOptions } from "../../../runtime/lifecycle/acceptor.ts";
import { connectStateless, type ConnectStateless } from "../../../runtime/protocol/peer/stateless-connection.ts";
import type { StatelessRoutes } from "../../../runtime/protocol/peer/routes.ts";
import type { Connection } from "../../../runtime/protocol/session/connection.ts";
import type { NegotiatedSession } from "../../../runtime/protocol/session/session.ts";
import { statelessRevision, batching, handshakeRevisions, newest, row } from "../../kit/revisions.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { initialize, request } from "../../kit/messages.ts";
import { serveWire } from "../../kit/wire.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";

const info = { name: "server", version: "1" };
const client = { info: { name: "test", version: "1" }, capabilities: {} };
const core = { tools: {} };
const whole = { ...core, extensions: { "com.example/echo": {} } };

interface Accepted {
  readonly wire: Wire;
  readonly connection: Connection;
}

function accept(
  agreement: NegotiatedSession | undefined,
  options: Partial<ServeOptions> = {},
  connect?: ConnectStateless,
): Accepted {
  const wire = new Wire();
  const handlers = { listTools: () => ({ tools: [], ttlMs: 0, cacheScope: "private" }) };
  const prepared = createAcceptor({ info, revisions, capabilities: whole, handlers, ...options });
  return { wire, connection: prepared(wire, agreement, connect) };
}

test("serveHandlers serves one connection", async () => {
  const wire = new Wire();
  const connection = serveHandlers({ info, revisions: handshakeRevisions, handlers: {} }, wire);
  wire.post(initialize(newest.id));
  await settle();
  expect(wire.sent).toMatchObject([{ id: 0, result: { protocolVersion: newest.id, serverInfo: info } }]);
  expect(connection.session?.revision).toBe(newest);
});

describe("a session that was agreed on elsewhere", () => {
  test.each([
    ["sessions only", handshakeRevisions],
    ["both lifecycles", revisions],
  ])("a session that was agreed on is open at once, with a server of %s", async (_, served) => {
    const { wire, connection } = accept({ revision: newest, client }, { revisions: served, instructions: "Be kind" });
    expect(connection.state).toBe("INITIALIZED");
    const { revision, role, peer, instructions, isStateless } = connection.session ?? {};
    expect([revision, role, peer, instructions, isStateless]).toEqual([newest, "server", client, "Be kind", false]);
    wire.post({ jsonrpc: "2.0", id: 1, method: "tools/list" }, initialize(newest.id, {}, 2));
    await settle();
    expect(wire.sent).toMatchObject([
      { id: 1, result: { tools: [] } },
      { id: 2, error: { code: -32600, message: "The session is already initialized" } },
    ]);
  });

  test.each([
    ["none to a client that declares none", { client }, false, core],
    ["all to a client that declares some", { client: { ...client, capabilities: { extensions: {} } } }, false, whole],
    ["all to a POST, whose client has declared them elsewhere", { client, isStateless: true }, true, whole],
  ])("a session that was agreed on has extensions: %s", (_, agreement, isStateless, capabilities) => {
    const { session } = accept({ revision: newest, ...agreement }).connection;
    expect([session?.own, session?.isStateless]).toEqual([{ info, capabilities }, isStateless]);
  });

  test.each([
    ["sessions only", [newest], batching],
    ["sessions only, without a handshake", [newest], statelessRevision],
    ["both lifecycles", [statelessRevision, newest], batching],
  ])("a session of a revision that is not served is an error, at a server of %s", (_, served, revision) => {
    const problem = `Revision ${revision.id} is not supported`;
    expect(() => accept({ revision, client }, { revisions: served })).toThrow(problem);
  });
});

describe("a stateless request that the transport has read", () => {
  const collect = (): { readonly entries: StatelessRoutes[]; readonly connect: ConnectStateless } => {
    const entries: StatelessRoutes[] = [];
    const connect: ConnectStateless = (channel, entry, settings) => {
      entries.push(entry);
      return connectStateless(channel, entry, settings);
    };
    return { entries, connect };
  };

  test.each([
    ["stateless requests only", [statelessRevision]],
    ["both lifecycles", revisions],
  ])("the transport creates the connection of a server of %s", async (_, served) => {
    const { entries, connect } = collect();
    const { wire } = accept(
      { revision: statelessRevision, client },
      { revisions: served, instructions: "Be kind" },
      connect,
    );
    wire.post(request(1, "tools/list"));
    await settle();
    expect(wire.sent).toMatchObject([{ id: 1, result: { tools: [] } }]);
    expect(entries.map(({ session }) => session)).toMatchObject([
      {
        revision: { id: statelessRevision.id },
        role: "server",
        own: { info, capabilities: whole },
        peer: client,
        instructions: "Be kind",
        isStateless: true,
      },
    ]);
  });

  test("a revision that is not served is rejected without a connection of the transport", async () => {
    const { entries, connect } = collect();
    const revision = { ...statelessRevision, id: "3000-01-01" };
    const { wire } = accept({ revision, client }, { revisions: [statelessRevision] }, connect);
    wire.post(request(1, "tools/list"));
    await settle();
    const data = { supported: [statelessRevision.id], requested: revision.id };
    expect(wire.sent).toMatchObject([{ id: 1, error: { code: -32022, data } }]);
    expect(entries).toEqual([]);
  });
});

test.each<[string, readonly Revision[], NegotiatedSession | undefined, object]>([
  ["a connection whose client opens the session", handshakeRevisions, undefined, {}],
  ["a session that was agreed on", revisions, { revision: newest, client }, { revision: newest, isStateless: false }],
  [
    "a session of one POST",
    revisions,
    { revision: newest, client, isStateless: true },
    { revision: newest, isStateless: true },
  ],
  ["a connection without sessions", [statelessRevision], undefined, { isStateless: true }],
  [
    "a stateless request",
    [statelessRevision],
    { revision: statelessRevision, client },
    { revision: statelessRevision, isStateless: true },
  ],
])("telemetry receives the facts of %s", (_, served, agreement, facts) => {
  const seen: unknown[] = [];
  const telemetry: ServeOptions["telemetry"] = {
    observe(channel, observed) {
      seen.push(observed);
      return channel;
    },
  };
  accept(agreement, { revisions: served, telemetry });
  expect(seen).toEqual([{ role: "server", revisions: served, ...facts }]);
});

describe("a request without metadata, before there is a session", () => {
  const { "prompts/list": _prompts, ...oldRequests } = batching.clientRequests;
  const served = [
    statelessRevision,
    {
      ...statelessRevision,
      id: "3000-01-01",
      clientRequests: { ...statelessRevision.clientRequests, "things/do": row("things/do", "do") },
    },
    newest,
    { ...batching, clientRequests: oldRequests },
  ];

  test.each([
    ["that all stateless revisions have, and no other", "server/discover", -32602],
    ["that one stateless revision has, and no other", "things/do", -32602],
    ["that all revisions have", "tools/list", -32600],
    ["that one revision with sessions has, too", "prompts/list", -32600],
    ["that no revision has", "no/such", -32600],
  ])("a request %s gets the error of its lifecycle", async (_, method, code) => {
    const { wire } = await serveWire({ revisions: served });
    wire.post({ jsonrpc: "2.0", id: 1, method });
    await settle();
    expect(wire.sent).toMatchObject([{ id: 1, error: { code } }]);
  });
});
