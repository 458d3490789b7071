import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { LazyUpstream } from "../../../../runtime/gateway/upstream/lazy-upstream.ts";

/** Connections in the order in which they are opened, each with a function that ends it. */
class Rig {
  readonly kept = new LazyUpstream<ReturnType<Rig["create"]>>();
  readonly opened: (() => void)[] = [];
  closings = 0;

  create() {
    const closed = new Promise<void>((resolve) => this.opened.push(resolve));
    return { id: this.opened.length, connection: { closed }, close: async () => void (this.closings += 1) };
  }

  async get(failure?: string): Promise<number | string> {
    const open = async () => (failure === undefined ? this.create() : Promise.reject(new Error(failure)));
    return this.kept.get(open).then(
      ({ id }) => id,
      ({ message }: Error) => message,
    );
  }
}

test("a connection is opened once, and again after it has ended", async () => {
  const rig = new Rig();
  expect(await Promise.all([rig.get(), rig.get()])).toEqual([1, 1]);
  expect(await rig.get()).toBe(1);
  rig.opened[0]?.();
  await nextTurn();
  expect([await rig.get(), await rig.get()]).toEqual([2, 2]);
});

test("a connection that could not be opened is opened again at its next use", async () => {
  const rig = new Rig();
  expect(await Promise.all([rig.get("refused"), rig.get()])).toEqual(["refused", "refused"]);
  expect(await rig.get()).toBe(1);
});

test("a connection is closed if there is one, also while it is being opened", async () => {
  const rig = new Rig();
  await rig.kept.close();
  expect(rig.closings).toBe(0);
  void rig.get();
  await rig.kept.close();
  expect(rig.closings).toBe(1);
});

test("a connection that cannot be opened keeps nothing from closing", async () => {
  const rig = new Rig();
  const failed = rig.get("refused");
  await expect(rig.kept.close()).resolves.toBeUndefined();
  await failed;
});
