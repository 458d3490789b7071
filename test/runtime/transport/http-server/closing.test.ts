import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { expect, onTestFinished, test, vi } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { createServer, serveHttp } from "../../../../runtime/index.ts";
import { joinCluster } from "../../../../cluster/cluster.ts";
import { createMemoryCluster } from "../../../../cluster/memory-engine.ts";
import { createGate, inTime } from "../../../kit/time.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { request } from "../../../kit/messages.ts";
import { acceptBoth, call, initialize } from "../../../kit/http-exchange.ts";

const spoken = revisions.filter(({ lifecycle }) => lifecycle === "handshake");

const read = (name: string): Buffer => readFileSync(new URL(`../../auth/server/certificates/${name}`, import.meta.url));
const tls = { key: read("server.key"), cert: read("server.crt") };

test.each([
  ["on which nothing was asked yet", "", false],
  ["with TLS on which nothing was asked yet", "", true],
  ["whose client keeps it for the next request", "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", false],
])("a connection %s does not delay a server that closes", async (_name, sent, isSecure) => {
  const options = { closeTimeout: 600_000, headersTimeout: 600_000, requestTimeout: 600_000, drainDelay: 1 };
  const server = createServer({ name: "test", version: "1.0.0" }, spoken);
  const listener = await serveHttp(server, { ...options, ...(isSecure && { tls }) });
  const place = { port: Number(new URL(listener.url).port), host: "127.0.0.1" };
  const socket = isSecure ? connectSecurely({ ...place, rejectUnauthorized: false }) : connect(place);
  await once(socket, isSecure ? "secureConnect" : "connect");
  const ended = once(
    socket.on("error", () => {}),
    "close",
  );
  if (sent !== "") {
    socket.write(sent);
    await once(socket, "data");
  } else {
    // The server has to accept it, too.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await inTime(Promise.all([listener.close(), ended]), "The end of the server");
  expect(socket.destroyed).toBe(true);
});

test("a request that does not arrive delays a server that closes by a second more than its calls may take", async () => {
  const arriving = createGate();
  const times = { closeTimeout: 50, headersTimeout: 600_000, requestTimeout: 600_000 };
  const authenticate = () => (arriving.open(), { principal: "ada" });
  const server = createServer({ name: "test", version: "1.0.0" }, spoken);
  const listener = await serveHttp(server, { ...times, authenticate });
  const socket = connect(Number(new URL(listener.url).port), "127.0.0.1");
  const ended = once(
    socket.on("error", () => {}),
    "close",
  );
  onTestFinished(() => void socket.destroy());
  const fields = ["Host: localhost", `Accept: ${acceptBoth}`, "Content-Type: application/json", "Content-Length: 9"];
  socket.write(["POST /mcp HTTP/1.1", ...fields, "", "{"].join("\r\n"));
  await arriving.opened;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const closed = listener.close();
  await vi.advanceTimersByTimeAsync(1_049);
  expect(socket.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await Promise.all([closed, ended]);
});

/** POSTs a message to a server. */
function post(url: string, message: object, headers: Record<string, string> = {}): Promise<Response> {
  const fields = { accept: acceptBoth, "content-type": "application/json", ...headers };
  return fetch(url, { method: "POST", headers: fields, body: JSON.stringify(message) });
}

/** Opens a session, and returns the headers of its requests. */
async function openSession(url: string): Promise<Record<string, string>> {
  const opened = await post(url, initialize("2025-11-25"));
  await opened.text();
  return { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
}

const stateless = { "mcp-protocol-version": statelessRevision.id, "mcp-method": "tools/call", "mcp-name": "slow" };

test.each([
  ["rejects connections of clients without sessions", { isInSession: false, isNode: false, isRefused: true }],
  ["accepts connections of clients with sessions", { isInSession: true, isNode: false, isRefused: false }],
  ["rejects all connections as a node of a cluster", { isInSession: true, isNode: true, isRefused: true }],
])("a server that closes while a call is running %s", async (_what, { isInSession, isNode, isRefused: isRejected }) => {
  const [begun, finished] = [createGate(), createGate()];
  const slow = { name: "slow", execute: () => (begun.open(), finished.opened.then(() => "done")) };
  const memory = createMemoryCluster();
  const cluster = isNode && (await joinCluster(memory.connect(), { keys: [new Uint8Array(32).fill(1)] }));
  const server = createServer({ name: "test", version: "1.0.0", tools: [slow] }, revisions);
  const listener = await serveHttp(server, { closeTimeout: 600_000, ...(cluster && { cluster }) });
  const { url } = listener;
  const running = isInSession
    ? post(url, call(1, "slow"), await openSession(url))
    : post(url, request(1, "tools/call", { name: "slow" }), stateless);
  await begun.opened;
  const closed = listener.close();
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const outcome = await new Promise((resolve) => {
    socket.once("connect", () => resolve("accepted"));
    socket.once("error", (error) => resolve(Reflect.get(error, "code")));
  });
  socket.destroy();
  expect(outcome).toBe(isRejected ? "ECONNREFUSED" : "accepted");
  finished.open();
  expect(await (await running).text()).toContain("done");
  await inTime(closed, "The end of the server");
  if (cluster) await cluster.close();
});
