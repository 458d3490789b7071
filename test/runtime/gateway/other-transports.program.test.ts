import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { connect, type ClientConnection } from "../../../runtime/client/connect.ts";
import { createTcpTransport } from "../../../runtime/transport/tcp/tcp.ts";
import { createWsTransport } from "../../../runtime/transport/websocket/index.ts";
import { createOurServer } from "../../interop/our-server.ts";
import { serveTcp } from "../../tools/live/socket-servers.ts";
import { createProgram, isAlive } from "../../kit/programs.ts";
import { handshakeRevisions } from "../../kit/revisions.ts";
import { readPids, readUrl, startGateway } from "./command-run.ts";

/* `create-mcp-server gateway` over WebSocket and TCP. */

const stdioServer = await createProgram(new URL("../../interop/sdk1/stdio-server.ts", import.meta.url));
const info = { name: "test", version: "1" };

async function open(address: string, headers: Readonly<Record<string, string>> = {}): Promise<ClientConnection> {
  const { protocol, port, hostname } = new URL(address);
  const transport =
    protocol === "tcp:"
      ? createTcpTransport({ port: Number(port), host: hostname })
      : createWsTransport(address, { headers });
  const connection = await connect(transport, { info, revisions });
  onTestFinished(() => connection.close());
  return connection;
}

const echoed = { content: [{ type: "text", text: "again" }] };
const call = (connection: ClientConnection): Promise<unknown> =>
  connection.request("tools/call", { name: "echo", arguments: { text: "again" } });

test.each(["ws://127.0.0.1:0", "tcp://127.0.0.1:0", "tcp://0"])(
  "a server on stdio is served at --listen %s, and ended with the gateway",
  async (address) => {
    const gateway = startGateway(["--listen", address, "--", process.execPath, stdioServer]);
    const url = await readUrl(gateway);
    expect(new URL(url).protocol).toBe(new URL(address).protocol);
    const [one, other] = await Promise.all([open(url), open(url)]);
    expect(await call(one)).toMatchObject(echoed);
    expect(await call(other)).toMatchObject(echoed);
    gateway.kill("SIGTERM");
    expect(await gateway.exited).toBe(0);
    expect(gateway.stdout()).toBe("");
    expect(readPids(gateway).filter(isAlive)).toEqual([]);
  },
);

test("a server over TCP is served over WebSocket to callers with a key", async () => {
  const upstream = await serveTcp(createOurServer(handshakeRevisions.map(({ id }) => id)));
  const key = randomBytes(24).toString("base64url");
  const gateway = startGateway(["--listen", "ws://127.0.0.1:0", "--api-key-env", "KEYS", upstream], { KEYS: key });
  const url = await readUrl(gateway);
  const cause = expect.objectContaining({ message: expect.stringMatching(/401/) });
  await expect(open(url)).rejects.toThrow(expect.objectContaining({ cause }));
  expect(await call(await open(url, { "X-API-Key": key }))).toMatchObject(echoed);
});

test.each([
  [["--listen", "udp://127.0.0.1:0"], /--listen udp:\/\/127\.0\.0\.1:0 is not valid; pass HOST:PORT or PORT/],
  [["--listen", "ws://127.0.0.1"], / with the prefix ws:\/\/ or tcp:\/\//],
  [["--listen", "tcp://0.0.0.0:0"], /is open to other machines, and TCP has no authentication; use 127\.0\.0\.1/],
  [
    ["--listen", "tcp://127.0.0.1:0", "--api-key-env", "KEYS"],
    /apply to HTTP and ws:\/\/ only; remove them for tcp:\/\//,
  ],
  [["--listen", "ws://0.0.0.0:0"], /is open to other machines; pass the host names/],
])("the option %j is rejected with a reason", async (args, reason) => {
  const gateway = startGateway([...args, "--", process.execPath, stdioServer]);
  expect(await gateway.exited).toBe(2);
  expect(gateway.stderr()).toMatch(reason);
});
