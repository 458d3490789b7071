import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createNatsEngine } from "../../../cluster/nats/index.ts";
import { ServerClock } from "../../../cluster/nats/server-clock.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { SharedValueStore } from "../../../runtime/stores/shared-value-store.ts";
import { startNats, type NatsProcess } from "../processes/nats-process.ts";

/*
 * A node estimates the clock of the server, so that its estimate is a little behind or ahead.
 */

let nats: NatsProcess;
beforeAll(async () => {
  nats = await startNats();
});
afterAll(() => nats.close());

/** Opens an engine whose estimate is wrong by some milliseconds. */
async function openEngine(error: number): Promise<Engine> {
  const exact = ServerClock.prototype.now;
  const spy = vi.spyOn(ServerClock.prototype, "now").mockImplementation(function (this: ServerClock) {
    return exact.call(this) + error;
  });
  const engine = createNatsEngine({
    servers: nats.url,
    keys: [new Uint8Array(32).fill(1)],
    prefix: `clock${error}`.replace("-", "behind"),
  });
  onTestFinished(async () => {
    await engine.close();
    spy.mockRestore();
  });
  await engine.open();
  return engine;
}

function valuesOf({ values }: Engine): SharedValueStore {
  if (!values) throw new Error("The engine keeps no values");
  return values;
}

test.each([-50, 50])("a value can be locked as soon as another holder ends its use (%d ms)", async (error) => {
  const values = valuesOf(await openEngine(error));
  expect(await values.lock("key", { holder: "a", milliseconds: 60_000 })).toBe(true);
  expect(await values.lock("key", { holder: "b", milliseconds: 60_000 })).toBe(false);
  await values.unlock("key", "a");
  expect(await values.lock("key", { holder: "b", milliseconds: 60_000 })).toBe(true);
});

test.each([-50, 50])("a node that has just joined is alive (%d ms)", async (error) => {
  const { nodes } = await openEngine(error);
  expect(await nodes.renew("node000000000", { milliseconds: 6_000, isNew: true })).toBe(true);
  expect(await nodes.isAlive("node000000000")).toBe(true);
  await nodes.leave("node000000000");
  expect(await nodes.isAlive("node000000000")).toBe(false);
});
