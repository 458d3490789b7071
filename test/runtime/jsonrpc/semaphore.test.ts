import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { Semaphore } from "../../../runtime/jsonrpc/semaphore.ts";
import { nextTurn } from "../../kit/time.ts";

/** Lists the names of callers in the order in which they get a permit. */
function queue(semaphore: Semaphore): {
  readonly order: string[];
  readonly enter: (name: string, signal?: AbortSignal) => Promise<unknown>;
} {
  const order: string[] = [];
  const enter = (name: string, signal?: AbortSignal): Promise<unknown> =>
    semaphore.enter(signal).then(
      () => order.push(name),
      (error: unknown) => error,
    );
  return { order, enter };
}

test("permits are taken while one is free", () => {
  const semaphore = new Semaphore(2);
  expect([semaphore.take(), semaphore.free, semaphore.take(), semaphore.free]).toEqual([true, 1, true, 0]);
  expect([semaphore.take(), semaphore.free]).toEqual([false, 0]);
  semaphore.leave();
  expect([semaphore.free, semaphore.take()]).toEqual([1, true]);
});

test("callers wait in order of arrival", async () => {
  const semaphore = new Semaphore(1);
  const { order, enter } = queue(semaphore);
  for (const name of ["a", "b", "c"]) void enter(name);
  await nextTurn();
  expect(order).toEqual(["a"]);
  semaphore.leave();
  await nextTurn();
  expect(order).toEqual(["a", "b"]);
  expect(semaphore.free).toBe(0);
  semaphore.leave();
  semaphore.leave();
  await nextTurn();
  expect([order, semaphore.free]).toEqual([["a", "b", "c"], 1]);
});

test("a caller whose signal is aborted gets no permit, and the next one does", async () => {
  const semaphore = new Semaphore(1);
  const { order, enter } = queue(semaphore);
  const controller = new AbortController();
  const reason = new Error("no longer needed");
  void enter("a");
  const waiting = enter("b", controller.signal);
  void enter("c");
  controller.abort(reason);
  expect(await waiting).toBe(reason);
  semaphore.leave();
  await nextTurn();
  expect(order).toEqual(["a", "c"]);
  expect(await enter("d", controller.signal)).toBe(reason);
  semaphore.leave();
  expect(semaphore.free).toBe(1);
});

test("a reason that is no error becomes one", async () => {
  const semaphore = new Semaphore(0);
  const controller = new AbortController();
  const { enter } = queue(semaphore);
  const waiting = enter("a", controller.signal);
  controller.abort("done");
  expect(await waiting).toMatchObject({ cause: "done" });
  expect(await enter("b", controller.signal)).toMatchObject({ cause: "done" });
});

test("a caller with a permit no longer listens to its signal", async () => {
  const semaphore = new Semaphore(1);
  const { signal } = new AbortController();
  await semaphore.enter(signal);
  const waiting = semaphore.enter(signal);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  semaphore.leave();
  await waiting;
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});
