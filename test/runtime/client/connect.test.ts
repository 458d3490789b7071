import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { isObject } from "../../../generated/support.ts";
import { ServerCalls } from "../../../generated/2025-11-25/server.ts";
import { ClientCalls } from "../../../generated/2025-11-25/client.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { createAcceptor } from "../../../runtime/lifecycle/acceptor.ts";
import type { CallContext } from "../../../runtime/protocol/peer/incoming-call.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { createTcpTransport } from "../../../runtime/transport/tcp/tcp.ts";
import { createWsTransport } from "../../../runtime/transport/websocket/ws-package.ts";
import { inTime } from "../../kit/time.ts";
import { handshakeRevisions, newest } from "../../kit/revisions.ts";
import { runTranscript } from "../../../runtime/testing/transcript.ts";
import { connectWire } from "./raw-server.ts";

describe.each(handshakeRevisions)("at $id", (revision) => {
  test("a client calls a server", async () => {
    const [clientEnd, serverEnd] = createInMemoryTransports();
    createAcceptor({
      info: { name: "s", version: "1" },
      revisions: handshakeRevisions,
      capabilities: { tools: {} },
      handlers: { callTool: ({ name }: { name: string }) => ({ content: [{ type: "text", text: name }] }) },
    })(serverEnd);
    const client = await connect(clientEnd, { info: { name: "c", version: "1" }, revisions: [revision] });
    expect(client.revision).toBe(revision);
    expect(await client.request("tools/call", { name: "x" })).toEqual({ content: [{ type: "text", text: "x" }] });
    expect(await client.request("ping")).toEqual({});
    await client.close();
  });
});

test("generated calls work in both directions: the server sends a request while it handles one", async () => {
  const [clientEnd, serverEnd] = createInMemoryTransports();
  const callTool = async (_: unknown, context: CallContext): Promise<object> => {
    const { roots } = await new ServerCalls(context).listRoots();
    return { content: roots.map(({ uri }) => ({ type: "text", text: uri })) };
  };
  createAcceptor({
    info: { name: "s", version: "1" },
    revisions: [newest],
    capabilities: { tools: {} },
    handlers: { callTool },
  })(serverEnd);
  const client = await connect(clientEnd, {
    info: { name: "c", version: "1" },
    capabilities: { roots: {} },
    revisions: [newest],
    handlers: { listRoots: () => ({ roots: [{ uri: "file:///home" }] }) },
  });
  const result = await new ClientCalls(client).callTool({ name: "roots" });
  expect(result).toEqual({ content: [{ type: "text", text: "file:///home" }] });
  await client.close();
});

test.each([
  ["its signal is aborted", { signal: AbortSignal.abort() }],
  ["a setting is not valid", { progressRate: { burst: 0, perSecond: 0 } }],
])("a connection that is not opened because %s closes its transport", async (_, options) => {
  const [near, far] = createInMemoryTransports();
  const closed = new Promise<void>((resolve) => {
    far.start({ message() {}, classified() {}, problem() {}, ended: resolve, disconnected: () => resolve() });
  });
  const connecting = connect(near, { info: { name: "c", version: "1" }, revisions: [newest], ...options });
  await expect(connecting).rejects.toThrow();
  await inTime(closed, "The end of the transport");
});

test.each([
  ["TCP", (port: number) => createTcpTransport({ port })],
  ["WebSocket", (port: number) => createWsTransport(`ws://127.0.0.1:${port}/mcp`)],
])("an aborted connection over %s to a port without a server does not end the process", async (_, create) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  const errors: unknown[] = [];
  const keep = (error: unknown): void => void errors.push(error);
  process.on("uncaughtException", keep);
  onTestFinished(() => void process.off("uncaughtException", keep));
  const transport = create(isObject(address) ? Number(address.port) : 0);
  const options = { info: { name: "c", version: "1" }, revisions: [newest], signal: AbortSignal.abort() };
  await expect(connect(transport, options)).rejects.toMatchObject({ name: "AbortError" });
  // Time for the connection to be refused.
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(errors).toEqual([]);
});

test("a method that the revision does not have is rejected by the client, also by a name of the prototype", async () => {
  const { wire, client } = await connectWire();
  for (const method of ["no/such", "constructor", "__proto__", "roots/list"]) {
    await expect(client.request(method)).rejects.toThrow(`Revision ${newest.id} has no client request ${method}`);
    await expect(client.notify(method)).rejects.toThrow("has no client request");
  }
  await runTranscript(wire, []);
});

test("notifications are sent by name or by row", async () => {
  const { wire, client } = await connectWire({ capabilities: { roots: { listChanged: true } } });
  const row = newest.clientNotifications["notifications/roots/list_changed"];
  await client.notify("notifications/roots/list_changed");
  if (row) await client.notify(row, undefined);
  const sent = { method: "notifications/roots/list_changed" };
  await runTranscript(wire, [
    ["<", sent],
    ["<", sent],
  ]);
});
