import { once } from "node:events";
import { spawn } from "node:child_process";
import { afterEach, describe, expect, test } from "vitest";
import { connect, type ClientConnection } from "../../../../runtime/client/connect.ts";
import type { PeerOptions } from "../../../../runtime/protocol/peer/peer-options.ts";
import { createStdioClientTransport } from "../../../../runtime/transport/stdio/stdio-client.ts";
import { createHttpClientTransport } from "../../../../runtime/transport/http-client/http-client.ts";
import { createTcpTransport, listenTcp } from "../../../../runtime/transport/tcp/tcp.ts";
import type { Transport } from "../../../../runtime/transport/transport.ts";
import { handshakeRevisions } from "../../../kit/revisions.ts";
import { fixture } from "../stdio/fixture.ts";
import { start } from "../../../kit/http-server.ts";
import { createSuiteServer } from "../transport.suite-server.ts";
import { createFaultProxy, type Fault, type FaultProxy } from "./fault-proxy.ts";

/* Both ends with a network between them that slices, delays, swallows and breaks what the server says (R69). */

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const text = "žluťoučký 🐎 ".repeat(10);

/** Servers with a tool that echoes, and how to reach them through a proxy. */
const servers: Readonly<Record<string, () => Promise<readonly [port: number, join: (port: number) => Transport]>>> = {
  async TCP() {
    const server = await listenTcp({ accept: createSuiteServer() });
    open.push(() => server.close());
    return [server.port, (port) => createTcpTransport({ port })];
  },
  async HTTP() {
    const rig = await start({ echo: (_context, args) => args.text }, { responseMode: "sse" });
    open.push(() => rig.close());
    const reconnect = { initialDelay: 1, maxDelay: 2, maxAttempts: 3 };
    const join = (port: number): Transport => createHttpClientTransport(`http://127.0.0.1:${port}/mcp`, { reconnect });
    return [Number(new URL(rig.url).port), join];
  },
};

async function setUp(
  kind: string,
  options: PeerOptions = {},
): Promise<{ readonly proxy: FaultProxy; readonly client: ClientConnection; readonly other: ClientConnection }> {
  const [port, join] = (await servers[kind]?.()) ?? [0, (): Transport => createTcpTransport({ port: 0 })];
  const proxy = await createFaultProxy(port);
  open.push(() => proxy.close());
  const client = await connect(join(proxy.port), toOptions(options));
  const other = await connect(join(port), toOptions());
  open.push(() => Promise.all([client.close(), other.close()]));
  return { proxy, client, other };
}

function toOptions(options: PeerOptions = {}): Parameters<typeof connect>[1] {
  return { info: { name: "c", version: "1" }, revisions: handshakeRevisions, ...options };
}

function echo(client: ClientConnection): Promise<unknown> {
  return client.request("tools/call", { name: "echo", arguments: { text } });
}

const echoed = { content: [{ type: "text", text }] };

describe.each(Object.keys(servers))("over %s", (kind) => {
  test.each<Fault>([
    { kind: "slice", bytes: 1 },
    { kind: "slice", bytes: 3 },
    { kind: "delay", milliseconds: 30 },
    { kind: "throttle", bytes: 64, milliseconds: 1 },
  ])("every response arrives complete, however its bytes are split: %j (R69, R23)", async (fault) => {
    const { proxy, client } = await setUp(kind, { timeouts: { request: Infinity, work: Infinity, total: Infinity } });
    proxy.harm(fault);
    expect(await Promise.all([echo(client), echo(client), client.request("ping")])).toEqual([echoed, echoed, {}]);
  });

  test.each<Fault>([
    { kind: "cut", after: 0 },
    { kind: "cut", after: 100 },
    { kind: "reset", after: 0 },
    { kind: "reset", after: 100 },
  ])("a call whose connection breaks fails or gets its response, and never hangs: %j (R69, R29)", async (fault) => {
    const { proxy, client, other } = await setUp(kind);
    proxy.harm(fault);
    const outcome = await echo(client).catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome.name).toMatch(/^(ClosedError|LostError)$/);
    else expect(outcome).toEqual(echoed);
    expect(await echo(other)).toEqual(echoed);
  });

  test.each<Fault>([
    { kind: "swallow", after: 0 },
    { kind: "swallow", after: 50 },
  ])("a call over a silent connection times out: %j (R69, R15)", async (fault) => {
    const { proxy, client, other } = await setUp(kind, { timeouts: { work: 100, drain: 0 } });
    proxy.harm(fault);
    await expect(echo(client)).rejects.toMatchObject({ name: "TimeoutError" });
    expect(await echo(other)).toEqual(echoed);
  });
});

test("calls wait for a stopped server, and get responses when it continues (SIGSTOP, R69)", async () => {
  const transport = createStdioClientTransport({ ...fixture, stderr: "ignore" });
  const client = await connect(transport, toOptions());
  open.push(() => client.close());
  const { pid } = transport;
  if (pid === undefined) throw new Error("The server has no process.");
  process.kill(pid, "SIGSTOP");
  open.push(() => process.kill(pid, "SIGCONT"));
  const hurried = client.request("ping", undefined, { timeout: 50 });
  await expect(hurried).rejects.toMatchObject({ name: "TimeoutError" });
  const patient = client.request("ping");
  process.kill(pid, "SIGCONT");
  expect(await patient).toEqual({});
});

test("a stopped client occupies only its own connection (SIGSTOP, R69, R25)", async () => {
  const server = await listenTcp({ accept: createSuiteServer() });
  open.push(() => server.close());
  const code = `
    const socket = require("node:net").connect(${server.port}, "127.0.0.1");
    const say = (message) => socket.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    say({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } } });
    socket.once("data", () => console.log("ready"));`;
  const frozen = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  open.push(() => frozen.kill("SIGKILL"));
  await once(frozen.stdout, "data");
  frozen.kill("SIGSTOP");
  const client = await connect(createTcpTransport({ port: server.port }), toOptions());
  open.push(() => client.close());
  expect(await echo(client)).toEqual(echoed);
});
