import { setTimeout as sleep } from "node:timers/promises";
import { startListener } from "../client/listener.ts";
import { openSession, type Workload } from "./workload.ts";

/** Milliseconds that a listener stays after a change, so that the checker has something to say about it. */
const stay = 4_000;

/** Listeners of several sessions, and a tool that comes and goes on some node. */
export const listen: Workload = async (context) => {
  const clients = await Promise.all([openSession(context), openSession(context, "bob"), openSession(context)]);
  const listeners = clients.map((client) => startListener(client));
  await Promise.all(listeners.map(({ connected }) => connected));
  for (const client of clients) {
    await client.call("toggle", {});
    await sleep(200);
  }
  await sleep(stay);
  await Promise.all(listeners.map((listener) => listener.stop()));
};

/** A resource that changes on some node, and its subscribers. */
export const subscribe: Workload = async (context) => {
  const [subscriber, other] = await Promise.all([openSession(context), openSession(context, "bob")]);
  const listener = startListener(subscriber);
  await listener.connected;
  const params = { uri: "test://touched" };
  const id = subscriber.takeId();
  await subscriber.deliver("subscribe", subscriber.session, {
    jsonrpc: "2.0",
    id,
    method: "resources/subscribe",
    params,
  });
  for (let call = 0; call < 2; call++) {
    await other.call("touch", {});
    await sleep(200);
  }
  await sleep(stay);
  await listener.stop();
};
