import { describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { openWire, welcome } from "../client/raw-server.ts";
import { batching, handshakeRevisions, newest, revisionOf } from "../fixture-revision.ts";
import { ManualClock } from "../manual-clock.ts";
import { runTranscript, settle, type Line } from "../wire.ts";

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
  const refuse = (id: number, supported: readonly string[]): Line => [
    ">",
    { id, error: { code: -32602, message: "Unsupported protocol version", data: { supported, requested: newest.id } } },
  ];

  test("a server that rejects the version gets a second request, with a revision that it names", async () => {
    const { wire, connecting } = openWire();
    await runTranscript(wire, [
      proposal(newest.id),
      refuse(1, ["2024-11-05", "2025-03-26"]),
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
      refuse(1, ["2025-03-26"]),
      proposal("2025-03-26", 2),
      refuse(2, ["2024-11-05"]),
    ]);
    await expect(connecting).rejects.toMatchObject({ name: "PeerError", code: -32602 });
    expect(wire.isClosed).toBe(true);
  });

  test("a server that names no supported revision is disconnected", async () => {
    const { wire, connecting } = openWire();
    await runTranscript(wire, [proposal(newest.id), refuse(1, ["1999-01-01"])]);
    await expect(connecting).rejects.toMatchObject({ name: "VersionError", offered: ["1999-01-01"] });
  });
});

test.each([
  ["another error", { error: { code: -32603, message: "no" } }, { name: "PeerError" }],
  [
    "an answer without name",
    { result: { protocolVersion: newest.id, capabilities: {} } },
    { name: "InvalidMessageError" },
  ],
  ["an answer without version", { result: { capabilities: {} } }, { name: "VersionError" }],
])("a response of %s fails the handshake and closes", async (_, answer, expected) => {
  const { wire, connecting } = openWire();
  await runTranscript(wire, [proposal(newest.id), [">", { id: 1, ...answer }]]);
  await expect(connecting).rejects.toMatchObject(expected);
  expect(wire.isClosed).toBe(true);
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
