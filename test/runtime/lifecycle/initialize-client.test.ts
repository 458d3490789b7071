import { describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import type { ConnectOptions } from "../../../runtime/client/connect.ts";
import { openWire, welcome } from "../client/raw-server.ts";
import { statelessRevision, batching, handshakeRevisions, invented, newest, revisionOf } from "../../kit/revisions.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { initialize } from "../../kit/messages.ts";
import { runTranscript } from "../../../runtime/testing/transcript.ts";
import type { Line } from "../../kit/wire.ts";

const proposal = (protocolVersion: string, id = 1): Line => [
  "<",
  {
    id,
    method: "initialize",
    params: { protocolVersion, capabilities: {}, clientInfo: { name: "client", version: "1" } },
  },
];
const confirmation: Line = ["<", { method: "notifications/initialized" }];

describe.each(handshakeRevisions.map(({ id }) => id))("a client and a server of %s", (id) => {
  test("a client proposes its newest revision, accepts the server's and confirms (L-02, L-04, L-07)", async () => {
    const { wire, connecting } = openWire();
    await runTranscript(wire, [proposal(newest.id), [">", { id: 1, result: welcome(id) }], confirmation]);
    const client = await connecting;
    expect(client.revision.id).toBe(id);
    expect(client.state).toBe("INITIALIZED");
    expect(client.serverInfo).toEqual({ name: "server", version: "2" });
    expect(client.serverCapabilities).toEqual({ tools: {} });
    expect(client.instructions).toBe("Be kind");
    expect([client.session.role, client.session.own]).toEqual([
      "client",
      { info: { name: "client", version: "1" }, capabilities: {} },
    ]);
  });
});

test("a subset is proposed in its own order", async () => {
  const { wire, connecting } = openWire({ revisions: [batching, newest] });
  await runTranscript(wire, [proposal(batching.id), [">", { id: 1, result: welcome(newest.id) }], confirmation]);
  expect((await connecting).revision.id).toBe(newest.id);
});

describe("a client that is written for another revision than it proposes", () => {
  const described = { title: "Client", description: "For tests.", websiteUrl: "https://client.example", icons: [] };
  const info = { name: "client", version: "1", ...described };
  const propose = async (id: string, onLoss?: "error"): Promise<ReturnType<typeof openWire>> => {
    const options = { info, revisions: [...revisions.slice(0, 1), revisionOf(id)], lifecycle: "handshake" } as const;
    const opened = openWire({ ...options, ...(onLoss && { onLoss }) });
    await settle();
    return opened;
  };

  test.each([
    ["2025-11-25", ["title", "description", "websiteUrl", "icons"]],
    ["2025-06-18", ["title"]],
    ["2025-03-26", []],
    ["2024-11-05", []],
  ])("a client proposes %s with those of the members that describe it which the revision has", async (id, members) => {
    const { wire } = await propose(id);
    const kept = Object.entries(described).filter(([name]) => members.includes(name));
    const clientInfo = { name: "client", version: "1", ...Object.fromEntries(kept) };
    expect(wire.sent).toEqual([
      { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: id, capabilities: {}, clientInfo } },
    ]);
  });

  test("a client that may lose nothing does not connect", async () => {
    const { wire, connecting } = await propose("2024-11-05", "error");
    await expect(connecting).rejects.toMatchObject({ name: "ConversionError", type: "Implementation" });
    expect([wire.sent, wire.isClosed]).toEqual([[], true]);
  });
});

test("a revision that the client does not support ends the connection, unconfirmed (L-09, B-1)", async () => {
  const { wire, connecting } = openWire({ revisions: [newest, batching] });
  await runTranscript(wire, [proposal(newest.id), [">", { id: 1, result: welcome("2024-11-05") }]]);
  await expect(connecting).rejects.toMatchObject({
    name: "VersionError",
    requested: [newest.id, batching.id],
    offered: ["2024-11-05"],
  });
  expect(wire.isClosed).toBe(true);
});

describe("a server that rejects the version by an error (L-13)", () => {
  const reject = (id: number, supported: readonly string[]): Line => [
    ">",
    { id, error: { code: -32602, message: "Unsupported protocol version", data: { supported, requested: newest.id } } },
  ];

  test("a server that rejects the version gets a second request, with a revision that it names", async () => {
    const { wire, connecting } = openWire();
    await runTranscript(wire, [
      proposal(newest.id),
      reject(1, ["2024-11-05", "2025-03-26"]),
      proposal("2025-03-26", 2),
      [">", { id: 2, result: welcome("2025-03-26") }],
      confirmation,
    ]);
    expect((await connecting).revision.id).toBe("2025-03-26");
  });

  test("a server that rejects the version gets only one more request", async () => {
    const { wire, connecting } = openWire();
    await runTranscript(wire, [
      proposal(newest.id),
      reject(1, ["2025-03-26"]),
      proposal("2025-03-26", 2),
      reject(2, ["2024-11-05"]),
    ]);
    await expect(connecting).rejects.toMatchObject({ name: "PeerError", code: -32602 });
    expect(wire.isClosed).toBe(true);
  });

  test("a server that names the rejected version as well gets another one", async () => {
    const { wire } = openWire();
    await runTranscript(wire, [proposal(newest.id), reject(1, [newest.id, batching.id]), proposal(batching.id, 2)]);
  });

  test("a server that names only the rejected version is disconnected", async () => {
    const { wire, connecting } = openWire();
    await runTranscript(wire, [proposal(newest.id), reject(1, [newest.id])]);
    await expect(connecting).rejects.toMatchObject({ name: "VersionError", offered: [newest.id] });
  });

  test("a server that names no supported revision is disconnected", async () => {
    const { wire, connecting } = openWire();
    await runTranscript(wire, [proposal(newest.id), reject(1, ["1999-01-01"])]);
    await expect(connecting).rejects.toMatchObject({ name: "VersionError", offered: ["1999-01-01"] });
  });
});

test.each([
  ["another error", { error: { code: -32603, message: "no" } }, { name: "PeerError" }],
  [
    "a response without name",
    { result: { protocolVersion: newest.id, capabilities: {} } },
    { name: "InvalidMessageError", method: "initialize", part: "result", issue: { path: "serverInfo" } },
  ],
  ["a response without version", { result: { capabilities: {} } }, { name: "VersionError" }],
])("a response of %s fails the handshake and closes", async (_, response, expected) => {
  const { wire, connecting } = openWire();
  await runTranscript(wire, [proposal(newest.id), [">", { id: 1, ...response }]]);
  await expect(connecting).rejects.toMatchObject(expected);
  expect(wire.isClosed).toBe(true);
});

test("a member of the server's response that is null is read as absent, and reported", async () => {
  const { wire, connecting, reports } = openWire();
  const result = { ...welcome(newest.id), instructions: null };
  await runTranscript(wire, [proposal(newest.id), [">", { id: 1, result }], confirmation]);
  expect((await connecting).instructions).toBeUndefined();
  const error = new Error("The member instructions in the result of initialize is read as absent; it is null");
  expect(reports).toEqual([{ kind: "protocol", method: "initialize", error }]);
});

test("the handshake times out after 30 s and is never cancelled on the wire (L-12, Appendix E)", async () => {
  const clock = new ManualClock();
  const { wire, connecting } = openWire({ clock });
  await runTranscript(wire, [proposal(newest.id)]);
  clock.advance(30_000);
  await expect(connecting).rejects.toMatchObject({ name: "TimeoutError", milliseconds: 30_000 });
  await runTranscript(wire, []);
  expect(wire.isClosed).toBe(true);
});

test("a signal ends the handshake by closing, without a cancellation on the wire (L-12)", async () => {
  const controller = new AbortController();
  const { wire, connecting } = openWire({ signal: controller.signal });
  await runTranscript(wire, [proposal(newest.id)]);
  controller.abort(new Error("enough"));
  await expect(connecting).rejects.toThrow("enough");
  await runTranscript(wire, []);
  expect(wire.isClosed).toBe(true);
});

test("a signal has no effect on an open connection", async () => {
  const controller = new AbortController();
  const { wire, connecting } = openWire({ signal: controller.signal });
  await runTranscript(wire, [proposal(newest.id), [">", { id: 1, result: welcome(newest.id) }], confirmation]);
  const client = await connecting;
  controller.abort(new Error("too late"));
  await settle();
  expect([client.state, wire.isClosed]).toEqual(["INITIALIZED", false]);
});

test("a server that disconnects during the handshake fails it", async () => {
  const { wire, connecting } = openWire();
  await settle();
  wire.receiver?.disconnected(new Error("exit code 1"));
  await expect(connecting).rejects.toMatchObject({ name: "ClosedError", cause: { message: "exit code 1" } });
});

test("a client responds to pings during the handshake (L-05)", async () => {
  const { wire, connecting } = openWire();
  await runTranscript(wire, [
    proposal(newest.id),
    [">", { id: "p", method: "ping" }],
    ["<", { id: "p", result: {} }],
    [">", { id: "r", method: "roots/list" }],
    ["<", { id: "r", error: { code: -32600, message: "The session is not initialized; send initialize first" } }],
    [">", { id: 1, result: welcome(newest.id) }],
    confirmation,
  ]);
  await connecting;
});

test("a client rejects initialize of a server, and responds to pings in the session", async () => {
  const { wire, connecting } = openWire();
  const error = { code: -32600, message: "The session is not initialized; send initialize first" };
  await runTranscript(wire, [
    proposal(newest.id),
    [">", initialize(newest.id)],
    ["<", { id: 0, error }],
    [">", { id: 1, result: welcome(newest.id) }],
    confirmation,
    [">", { id: "p", method: "ping" }],
    ["<", { id: "p", result: {} }],
  ]);
  await connecting;
});

test("a client does not respond to what a server prints by mistake", async () => {
  const { wire, reports } = openWire();
  await runTranscript(wire, [proposal(newest.id), [">", "Listening"]]);
  expect(reports).toMatchObject([{ kind: "protocol" }]);
});

test("telemetry learns the role and the revisions of a client", async () => {
  const seen: unknown[] = [];
  const telemetry: ConnectOptions["telemetry"] = {
    observe(channel, facts) {
      seen.push(facts);
      return channel;
    },
  };
  openWire({ telemetry });
  await settle();
  expect(seen).toEqual([{ role: "client", revisions: handshakeRevisions }]);
});

describe("a revision whose tables accept any result", () => {
  const complete = { protocolVersion: invented.id, capabilities: {}, serverInfo: { name: "server", version: "2" } };
  const open = (result: object): ReturnType<typeof openWire> => {
    const opened = openWire({ revisions: [invented] });
    opened.wire.post({ jsonrpc: "2.0", id: 1, result });
    return opened;
  };

  test.each([
    ["a name", { ...complete, serverInfo: { version: "2" } }],
    ["capabilities", { ...complete, capabilities: undefined }],
  ])("a result without %s is rejected nevertheless", async (_, result) => {
    await expect(open(result).connecting).rejects.toMatchObject({
      name: "InvalidMessageError",
      method: "initialize",
      part: "result",
      issue: { path: "", expected: "an InitializeResult" },
    });
  });

  test("instructions that are no text are ignored", async () => {
    expect((await open({ ...complete, instructions: 5 }).connecting).instructions).toBeUndefined();
  });
});

test.each(["initialize", "ping"])("a revision with a handshake and without %s is an error", async (method) => {
  const { [method]: _row, ...clientRequests } = newest.clientRequests;
  const { connecting } = openWire({ revisions: [{ ...newest, clientRequests }] });
  await expect(connecting).rejects.toThrow(`Revision ${newest.id} has no initialize or no ping`);
});

describe("a client without sessions, before the response to its first request", () => {
  const open = (): ReturnType<typeof openWire> =>
    openWire({ revisions: [statelessRevision], clock: new ManualClock() });

  test.each([
    ["requests are ignored", { jsonrpc: "2.0", id: "p", method: "ping" }, { kind: "protocol", method: "ping" }],
    ["notifications are ignored", { jsonrpc: "2.0", method: "notifications/message" }, { kind: "ignored" }],
    ["batches are ignored", [{ jsonrpc: "2.0", method: "notifications/message" }], { kind: "protocol" }],
  ])("%s and reported", async (_, message, report) => {
    const { wire, reports } = open();
    await settle();
    wire.post(message);
    await settle();
    expect(wire.sent).toMatchObject([{ method: "server/discover" }]);
    expect(reports).toMatchObject([report]);
  });
});

test("a message behind the response in the same chunk finds the session open", async () => {
  const seen: unknown[] = [];
  const { wire, connecting } = openWire({ handlers: { loggingMessage: (params: unknown) => void seen.push(params) } });
  const log = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "hello" } };
  wire.post({ jsonrpc: "2.0", id: 1, result: welcome(newest.id, { logging: {} }) }, log);
  await connecting;
  expect(seen).toEqual([{ level: "info", data: "hello" }]);
});

test("the info and capabilities of a client are checked before they are sent", async () => {
  const { wire, connecting } = openWire({ revisions: [revisionOf("2025-06-18")], capabilities: { roots: 5 } });
  await expect(connecting).rejects.toMatchObject({ name: "InvalidMessageError", part: "params" });
  await runTranscript(wire, []);
});
