import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject } from "../../../../generated/support.ts";
import { CancellationOrder } from "../../../../runtime/transport/http-server/exchange/cancellation-order.ts";
import { listenHttp } from "../../../../runtime/transport/http-server/listen.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";

test("the memory of the checks of POSTs is released when they are over, also while an earlier POST is checked", async () => {
  const order = new CancellationOrder();
  let admit = (): void => {};
  const first = new Promise<{ kind: string }>((resolve) => (admit = () => resolve({ kind: "refused" })));
  const pending = order.arrange("session", first);
  const known = await Promise.all(Array.from({ length: 20 }, (_, post) => checkOne(order, post)));
  await collectGarbage();
  expect(known.filter((checks) => checks.deref() !== undefined)).toEqual([]);
  admit();
  await pending;
});

test("the memory of connections without a request is released when they are closed", async () => {
  const known: WeakRef<object>[] = [];
  const watch = (message: unknown): void => {
    if (isObject(message) && isObject(message.socket)) known.push(new WeakRef(message.socket));
  };
  subscribe("net.server.socket", watch);
  const listener = await listenHttp({
    revisions,
    accept: () => expect.unreachable("No message was sent"),
    readParamHeaders: () => [],
  });
  const port = Number(new URL(listener.url).port);
  for (let count = 0; count < 20; count += 1) {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    await expect.poll(() => known.length).toBe(count + 1);
    socket.destroy();
  }
  unsubscribe("net.server.socket", watch);
  await expect
    .poll(async () => {
      await collectGarbage();
      return known.filter((socket) => socket.deref() !== undefined).length;
    })
    .toBeLessThan(5);
  await listener.close();
});

async function checkOne(order: CancellationOrder, post: number): Promise<WeakRef<object>> {
  const checks = post % 2 === 0 ? Promise.resolve({ kind: "refused" }) : Promise.reject(new Error("lost"));
  const known = new WeakRef(checks);
  await order.arrange("session", checks).catch(() => {});
  return known;
}

async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("The memory cannot be measured; V8 has no gc");
  // One collection need not find everything.
  for (let round = 0; round < 5; round += 1) {
    await settle();
    collect();
  }
}
