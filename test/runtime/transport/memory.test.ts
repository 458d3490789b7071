import { expect, test } from "vitest";
import { connect } from "../../../runtime/client/connect.ts";
import { createAcceptor } from "../../../runtime/lifecycle/acceptor.ts";
import type { Incoming } from "../../../runtime/jsonrpc/message.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import type { FramingProblem, Receiver } from "../../../runtime/jsonrpc/channel.ts";
import { handshakeRevisions, newest } from "../../kit/revisions.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";

class Ear implements Receiver {
  readonly received: unknown[] = [];
  message(value: unknown): void {
    this.received.push(value);
  }
  classified(incoming: Incoming): void {
    this.received.push(incoming);
  }
  problem({ kind }: FramingProblem): void {
    this.received.push(kind);
  }
  ended(): void {
    this.received.push("ended");
  }
  disconnected(): void {
    this.received.push("disconnected");
  }
}

const note = (params: unknown): { jsonrpc: "2.0"; method: string; params: unknown } => ({
  jsonrpc: "2.0",
  method: "m",
  params,
});

test("messages arrive later, in order, as copies", async () => {
  const [a, b] = createInMemoryTransports();
  const ear = new Ear();
  a.start(new Ear());
  b.start(ear);
  const params = { list: [1], gone: undefined };
  void a.send(note(params));
  params.list.push(2);
  void a.send(note({}));
  expect(ear.received).toEqual([]);
  await settle();
  expect(ear.received).toEqual([note({ list: [1] }), note({})]);
  expect(Object.keys(Object(ear.received[0]).params)).toEqual(["list"]);
});

test("messages that are sent before the other end listens are kept for it", async () => {
  const [a, b] = createInMemoryTransports();
  a.start(new Ear());
  void a.send(note(1));
  await settle();
  const ear = new Ear();
  b.start(ear);
  await settle();
  expect(ear.received).toEqual([note(1)]);
});

test("messages that were sent before closing still arrive, and closing closes both ends", async () => {
  const [a, b] = createInMemoryTransports();
  const ears = [new Ear(), new Ear()] as const;
  a.start(ears[0]);
  b.start(ears[1]);
  void a.send(note(1));
  await a.close();
  void b.send(note(2));
  await settle();
  void b.send(note(3));
  await b.close();
  await settle();
  expect([ears[0].received, ears[1].received]).toEqual([["disconnected"], [note(1), "disconnected"]]);
});

test("a whole conversation of 1000 concurrent calls leaves nothing behind", async () => {
  const [clientEnd, serverEnd] = createInMemoryTransports();
  const callTool = async ({ arguments: given }: { arguments: { n: number } }): Promise<object> => {
    await Promise.resolve();
    return { content: [{ type: "text", text: String(given.n) }] };
  };
  const server = createAcceptor({
    info: { name: "s", version: "1" },
    revisions: handshakeRevisions,
    capabilities: { tools: {} },
    handlers: { callTool },
  })(serverEnd);
  const client = await connect(clientEnd, { info: { name: "c", version: "1" }, revisions: [newest] });
  const calls = Array.from({ length: 1_000 }, (_, n) => client.request("tools/call", { name: "n", arguments: { n } }));
  const results = await Promise.all(calls);
  expect(results[999]).toEqual({ content: [{ type: "text", text: "999" }] });
  await client.close();
  expect(await server.closed).toBeUndefined();
  expect([client.state, server.state]).toEqual(["DISCONNECTED", "DISCONNECTED"]);
});

test("a message with more values than allowed is stray data, as it is where text is decoded", async () => {
  const [a, b] = createInMemoryTransports({ maxValues: 10 });
  const ear = new Ear();
  a.start(new Ear());
  b.start(ear);
  // The members of the message count, too: here three, of a request four, of a result three.
  const fits = { items: [1, 2, 3, 4, 5], more: {} };
  void a.send(note(fits));
  void a.send(note({ ...fits, items: [1, 2, 3, 4, 5, 6] }));
  void a.send({ jsonrpc: "2.0", id: 1, method: "ping", params: fits });
  void a.send({ jsonrpc: "2.0", id: 1, result: { items: [1, 2, 3, 4, 5, 6, 7] } });
  void a.send(note({ items: Array.from({ length: 20 }, (_, index) => index) }));
  void a.send({ jsonrpc: "2.0", id: 1, result: { items: [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}] } });
  await settle();
  expect(ear.received).toEqual([note(fits), "values", "values", "values", "values", "values"]);
});
