import { runInNewContext } from "node:vm";
import { setFlagsFromString } from "node:v8";
import { expect, test } from "vitest";
import { accept, connectRaw, formParams, type Context, type RawClient, type Run } from "./raw-client.ts";

/*
 * Handlers that never stop listening to their signal, as most do: with the call everything must go that the listener knows.
 */

const calls = 20;

test("the memory of a call is released after its response", async () => {
  const { run, alive } = listening(() => "done");
  const raw = connectRaw(run);
  for (let i = 0; i < calls; i += 1) await raw.call();
  expect(await alive()).toBe(0);
});

test("the memory of a suspended execution and of its retry is released after the response", async () => {
  const { run, alive } = listening(async ({ elicit }) => JSON.stringify(await elicit(formParams("?"))));
  const raw = connectRaw(run);
  for (let i = 0; i < calls; i += 1) await raw.again(await raw.call(), { "elicit-1": accept("x") });
  expect(await alive()).toBe(0);
});

test("the memory of a cancelled call is released", async () => {
  const { run, alive } = listening(
    ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
  );
  const raw = connectRaw(run);
  for (let id = 1; id <= calls; id += 1) await cancelNext(raw, id);
  expect(raw.wire.sent).toEqual([]);
  expect(await alive()).toBe(0);
});

async function cancelNext(raw: RawClient, requestId: number): Promise<void> {
  void raw.call();
  await new Promise((resolve) => setTimeout(resolve));
  raw.wire.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
}

/** A handler that listens to its signal for ever, and how much is left of what its listeners know. */
function listening(work: (context: Context) => unknown): { readonly run: Run; alive(): Promise<number> } {
  const known: WeakRef<object>[] = [];
  const run: Run = (_args, context) => {
    const { signal } = context;
    const mark = { count: 0 };
    known.push(new WeakRef(mark));
    signal.addEventListener("abort", () => (mark.count += 1));
    return work(context);
  };
  return { run, alive: () => countAlive(known) };
}

async function countAlive(known: readonly WeakRef<object>[]): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("memory cannot be measured");
  expect(known.length).toBeGreaterThanOrEqual(calls);
  // One collection need not find everything.
  for (let round = 0; round < 20; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
  }
  await new Promise((resolve) => setTimeout(resolve));
  return known.filter((mark) => mark.deref() !== undefined).length;
}
