import { setTimeout as sleep } from "node:timers/promises";
import type { TestClient } from "../client/client.ts";
import { startListener } from "../client/listener.ts";
import type { Message } from "../client/message.ts";
import { below, createNonce, openSession, readNonce, type Workload } from "./workload.ts";

/** Streams of many events, whose connections are cut; each is resumed on another node. */
export const count: Workload = async (context) => {
  const client = await openSession(context);
  const { random } = context;
  for (let call = 0; call < 3; call++) {
    const args = { n: 1 + below(20, random), delay: below(40, random) };
    const id = client.takeId();
    await client.call("count", args, { id, cuts: below(4, random) });
    await client.reread(id);
  }
  await client.end();
};

/** One input request at a time; its response goes to another node than the call. */
export const ask: Workload = async (context) => {
  const client = await openSession(context);
  for (let call = 0; call < 2; call++) {
    const id = client.takeId();
    const key = client.keyOf(id);
    const onRequest = (request: Message): void => void client.respond(key, request, readNonce(request));
    await client.call("ask", { nonce: createNonce() }, { id, onRequest, cuts: below(2, context.random) });
  }
};

/** Two input requests of one session at once; their responses come in the other order. */
export const both: Workload = async (context) => {
  const client = await openSession(context);
  const inputRequests: { readonly key: string; readonly request: Message }[] = [];
  const respondToAll = async (): Promise<void> => {
    for (const { key, request } of inputRequests.splice(0).reverse())
      await client.respond(key, request, readNonce(request));
  };
  const start = (): Promise<unknown> => {
    const id = client.takeId();
    const onRequest = (request: Message): void => {
      inputRequests.push({ key: client.keyOf(id), request });
      if (inputRequests.length === 2) void respondToAll();
    };
    return client.call("ask", { nonce: createNonce() }, { id, onRequest });
  };
  const calls = Promise.all([start(), start()]);
  // A question that a fault has swallowed must not keep the other one waiting.
  const timer = setInterval(() => void respondToAll(), 3_000);
  await calls;
  clearInterval(timer);
};

/** A call that only cancellation ends. */
export const cancel: Workload = async (context) => {
  await callAndCancel(await openSession(context));
};

/** Calls a tool that never ends, and cancels the call. Returns `false` when the call did not begin. */
export async function callAndCancel(client: TestClient): Promise<boolean> {
  const id = client.takeId();
  let cancelled: Promise<void> | undefined;
  const onRunning = (): void => {
    cancelled = sleep(50).then(() => client.cancel(id));
  };
  await client.call("hang", {}, { id, onRunning });
  await cancelled;
  return cancelled !== undefined;
}

/** A call that the end of its session ends. */
export const end: Workload = async (context) => {
  const client = await openSession(context);
  const listener = startListener(client);
  await listener.connected;
  let ended: Promise<void> | undefined;
  const onRunning = (): void => {
    ended = sleep(50).then(() => client.end());
  };
  await client.call("hang", {}, { onRunning });
  await ended;
  await listener.stop();
};

/** One request at two nodes at once, as when a proxy repeats it. */
export const twice: Workload = async (context) => {
  const client = await openSession(context);
  const id = client.takeId();
  const args = { milliseconds: 400 };
  await Promise.all([client.call("slow", args, { id }), client.call("slow", args, { id })]);
};

/** A log level that is set on one node and counts on all. */
export const level: Workload = async (context) => {
  const client = await openSession(context);
  const params = { level: "error" };
  await client.deliver("level", client.session, {
    jsonrpc: "2.0",
    id: client.takeId(),
    method: "logging/setLevel",
    params,
  });
  for (let call = 0; call < 3; call++) await client.call("log_levels", {});
};
