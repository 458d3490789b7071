import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { CancellationOrder } from "../../../../runtime/transport/http-server/exchange/cancellation-order.ts";
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
