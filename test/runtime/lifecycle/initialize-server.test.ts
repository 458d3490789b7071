import { describe, expect, test } from "vitest";
import { createAcceptor } from "../../../runtime/lifecycle/acceptor.ts";
import { batching, handshakeRevisions, invented, newest, revisionOf } from "../../kit/revisions.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { initialize, initialized } from "../../kit/messages.ts";
import { runTranscript } from "../../../runtime/testing/transcript.ts";
import { serveWire, type Line } from "../../kit/wire.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";

const respond = (protocolVersion: string, id: unknown = 0): Line => [
  "<",
  { id, result: { protocolVersion, capabilities: {}, serverInfo: { name: "server", version: "1" } } },
];
const early = (id: unknown): Line => [
  "<",
  { id, error: { code: -32600, message: "The session is not initialized; send initialize first" } },
];

describe.each(handshakeRevisions.map(({ id }) => id))("a server at %s", (id) => {
  test("a server responds with the same revision, its name and its capabilities (L-03)", async () => {
    const { wire, connection } = await serveWire({ instructions: "Be kind", capabilities: { logging: {} } });
    expect(connection.state).toBe("NOT_INITIALIZED");
    const result = {
      protocolVersion: id,
      capabilities: { logging: {} },
      serverInfo: { name: "server", version: "1" },
      instructions: "Be kind",
    };
    await runTranscript(wire, [
      [">", initialize(id)],
      ["<", { id: 0, result }],
    ]);
    expect([connection.state, connection.session?.revision.id]).toEqual(["INITIALIZING", id]);
    expect(connection.session?.isStateless).toBe(false);
    await runTranscript(wire, [[">", initialized]]);
    expect(connection.state).toBe("INITIALIZED");
  });

  test("a server is ready after its response, without waiting for the initialized notification (trap 4)", async () => {
    const { wire } = await serveWire({ capabilities: { tools: {} }, handlers: { listTools: () => ({ tools: [] }) } });
    wire.post(initialize(id), { jsonrpc: "2.0", id: 1, method: "tools/list" });
    await settle();
    expect(wire.sent).toHaveLength(2);
    expect(wire.sent[1]).toEqual({ jsonrpc: "2.0", id: 1, result: { tools: [] } });
  });
});

test("a server serves only ping before the handshake (L-01), and the handshake still works afterwards (R17)", async () => {
  const { wire } = await serveWire({ capabilities: { tools: {} }, handlers: { listTools: () => ({ tools: [] }) } });
  await runTranscript(wire, [
    [">", { id: 1, method: "tools/list" }],
    early(1),
    [">", { id: 2, method: "no/such" }],
    early(2),
    [">", { id: 3, method: "ping" }],
    ["<", { id: 3, result: {} }],
    [">", { method: "notifications/initialized" }],
    [">", "{"],
    ["<", { error: { code: -32700, message: "The message is not valid JSON" } }],
  ]);
  wire.post(initialize(newest.id));
  await settle();
  expect(wire.sent[0]).toMatchObject({ id: 0, result: { protocolVersion: newest.id } });
});

describe("clientInfo and capabilities of initialize", () => {
  const kept = (text: string): object => ({ experimental: { x: { text } } });
  const clientInfo = { name: "test", version: "1" };
  const least = JSON.stringify({ clientInfo, capabilities: kept("") }).length;
  const withSize = (bytes: number): object => {
    const room = bytes - least;
    return initialize(newest.id, kept("\u20ac".repeat(room / 3) + "x".repeat(room % 3)));
  };

  test("clientInfo and capabilities may have 64 KiB together", async () => {
    const { wire, connection } = await serveWire();
    wire.post(withSize(65_536));
    await settle();
    expect(wire.sent).toMatchObject([{ id: 0, result: { protocolVersion: newest.id } }]);
    expect(connection.state).toBe("INITIALIZING");
  });

  test("clientInfo and capabilities above the limit open no session, and the next initialize does", async () => {
    const { wire, connection } = await serveWire();
    wire.post(withSize(65_537));
    await settle();
    const message = expect.stringMatching(/^Invalid params: clientInfo and capabilities have more than 65536 bytes/);
    expect(wire.sent).toMatchObject([{ id: 0, error: { code: -32602, message, data: { limit: 65_536 } } }]);
    expect(connection.session).toBeUndefined();
    wire.post(initialize(newest.id, {}, 1));
    await settle();
    expect(wire.sent[1]).toMatchObject({ id: 1, result: { protocolVersion: newest.id } });
  });
});

describe("an unknown revision", () => {
  test("an unknown revision gets a supported one, not an error (L-08, trap 3)", async () => {
    const { wire } = await serveWire();
    await runTranscript(wire, [[">", initialize("1999-01-01")], respond(newest.id)]);
  });

  test("an unknown revision gets one of the served subset", async () => {
    const { wire } = await serveWire({ revisions: [revisionOf("2025-03-26"), revisionOf("2024-11-05")] });
    await runTranscript(wire, [[">", initialize(newest.id)], respond("2025-03-26")]);
  });

  test("an unknown revision gets the error of the examples with the option (L-13)", async () => {
    const { wire } = await serveWire({ versionMismatch: "error", revisions: [newest] });
    const error = {
      code: -32602,
      message: "Unsupported protocol version",
      data: { supported: [newest.id], requested: "1.0" },
    };
    await runTranscript(wire, [
      [">", initialize("1.0")],
      ["<", { id: 0, error }],
      [">", initialize(newest.id, {}, 1)],
      respond(newest.id, 1),
    ]);
  });

  test("a request without a revision gets the error of its params, also with the option", async () => {
    const { wire } = await serveWire({ versionMismatch: "error" });
    wire.post({ jsonrpc: "2.0", id: 0, method: "initialize", params: {} });
    await settle();
    expect(wire.sent).toMatchObject([{ id: 0, error: { code: -32602, data: { path: "protocolVersion" } } }]);
  });
});

test.each([
  ["no params", undefined, ""],
  ["no version", { capabilities: {}, clientInfo: { name: "a", version: "1" } }, "protocolVersion"],
  ["no capabilities", { protocolVersion: newest.id, clientInfo: { name: "a", version: "1" } }, "capabilities"],
  ["no name", { protocolVersion: newest.id, capabilities: {}, clientInfo: { version: "1" } }, "clientInfo/name"],
])("initialize with %s is -32602, and may be tried again (R17)", async (_, params, path) => {
  const { wire } = await serveWire();
  wire.post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  await settle();
  expect(wire.sent.splice(0)[0]).toMatchObject({ id: 0, error: { code: -32602, data: { path } } });
  await runTranscript(wire, [[">", initialize(newest.id, {}, 1)], respond(newest.id, 1)]);
});

test("the runtime serves a revision that only the test defines", async () => {
  const { wire } = await serveWire({ revisions: [invented], handlers: { doThing: () => ({ done: true }) } });
  await runTranscript(wire, [
    [">", initialize(invented.id)],
    respond(invented.id),
    [">", { id: 1, method: "things/do" }],
    ["<", { id: 1, result: { done: true } }],
  ]);
});

test.each([
  ["clientInfo", { capabilities: {} }],
  ["capabilities", { clientInfo: { name: "test", version: "1" } }],
])("a client is rejected without %s, also at a revision whose tables accept any params", async (_, params) => {
  const { wire, connection } = await serveWire({ revisions: [invented] });
  const error = { code: -32602, message: "Invalid params: clientInfo and capabilities are required" };
  await runTranscript(wire, [
    [">", { id: 0, method: "initialize", params: { protocolVersion: invented.id, ...params } }],
    ["<", { id: 0, error }],
  ]);
  expect(connection.session).toBeUndefined();
});

test.each([
  ["2025-06-18", { title: "Server" }],
  ["2024-11-05", {}],
])("a server describes itself to a client of %s as far as the revision can", async (id, known) => {
  const described = { title: "Server", description: "For tests.", websiteUrl: "https://server.example", icons: [] };
  const { wire } = await serveWire({ info: { name: "server", version: "1", ...described } });
  const serverInfo = { name: "server", version: "1", ...known };
  await runTranscript(wire, [
    [">", initialize(id)],
    ["<", { id: 0, result: { protocolVersion: id, capabilities: {}, serverInfo } }],
  ]);
});

test("a second initialize is rejected, and the session stays open", async () => {
  const { wire, connection } = await serveWire({}, newest.id);
  await runTranscript(wire, [
    [">", initialize(batching.id, {}, 1)],
    ["<", { id: 1, error: { code: -32600, message: "The session is already initialized" } }],
  ]);
  expect([connection.state, connection.session?.revision]).toEqual(["INITIALIZED", newest]);
});

test("a batch before the handshake is rejected", async () => {
  const { wire } = await serveWire({ revisions: [batching] });
  wire.post([{ jsonrpc: "2.0", id: 1, method: "ping" }]);
  await settle();
  expect(wire.sent).toMatchObject([{ error: { code: -32600 } }]);
});

test("info, capabilities, instructions and handlers may differ from revision to revision", async () => {
  for (const revision of handshakeRevisions) {
    const { wire } = await serveWire({
      info: ({ id }) => ({ name: id, version: "1" }),
      capabilities: ({ id }) => ({ tools: {}, experimental: { [id]: {} } }),
      instructions: ({ id }) => `This is ${id}`,
      handlers: ({ id }) => ({ listTools: () => ({ tools: [], _meta: { id } }) }),
    });
    const { id } = revision;
    const result = {
      protocolVersion: id,
      capabilities: { tools: {}, experimental: { [id]: {} } },
      serverInfo: { name: id, version: "1" },
      instructions: `This is ${id}`,
    };
    await runTranscript(wire, [
      [">", initialize(id)],
      ["<", { id: 0, result }],
      [">", { id: 1, method: "tools/list" }],
      ["<", { id: 1, result: { tools: [], _meta: { id } } }],
    ]);
  }
});

test("the info and capabilities of a server are checked when it is created", () => {
  const options = { revisions: handshakeRevisions, handlers: {}, info: { name: "s", version: "1", title: 5 } };
  expect(() => createAcceptor(options)).toThrow("The result of initialize at serverInfo/title must be string");
});

test("one acceptor serves many connections that share nothing (trap 6)", async () => {
  const accept = createAcceptor({
    info: { name: "server", version: "1" },
    revisions: handshakeRevisions,
    capabilities: { tools: {} },
    handlers: { callTool: () => new Promise(() => {}) },
  });
  const wires = [new Wire(), new Wire()];
  for (const wire of wires) accept(wire);
  const [first, second] = wires;
  first?.post(initialize(newest.id), { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x" } });
  second?.post({ jsonrpc: "2.0", id: 1, method: "ping" }, { jsonrpc: "2.0", id: 2, method: "tools/list" });
  await settle();
  expect(second?.sent).toEqual([
    { jsonrpc: "2.0", id: 1, result: {} },
    expect.objectContaining({ id: 2, error: expect.objectContaining({ code: -32600 }) }),
  ]);
});

test("the hook receives the session before its first message is handled", async () => {
  const seen: unknown[] = [];
  const { wire } = await serveWire({
    onOpen: (connection) => void seen.push(connection.session?.peer.info?.name),
    capabilities: { tools: {} },
    handlers: { listTools: () => void seen.push("listTools") },
  });
  wire.post(initialize(newest.id), { jsonrpc: "2.0", id: 1, method: "tools/list" });
  await settle();
  expect(seen).toEqual(["test", "listTools"]);
});
