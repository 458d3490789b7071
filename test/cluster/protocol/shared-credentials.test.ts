import { expect, test } from "vitest";
import { SetupError } from "../../../runtime/jsonrpc/errors.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import { createSharedCredentials } from "../../../cluster/shared-credentials.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import { override } from "../../kit/override.ts";

const day = 24 * 3_600_000;

test("credentials are found by each node, of their owner, until they are deleted", async () => {
  const cluster = createMemoryCluster();
  const [first, second] = [cluster.connect(), cluster.connect()];
  await Promise.all([first.open(), second.open()]);
  const store = createSharedCredentials(first, { owner: "ada" });
  const elsewhere = createSharedCredentials(second, { owner: "ada" });
  await store.set("token", "secret");
  expect(await elsewhere.get("token")).toBe("secret");
  expect(await elsewhere.get("other")).toBeUndefined();
  expect(await createSharedCredentials(second, { owner: "bob" }).get("token")).toBeUndefined();
  await elsewhere.delete("token");
  expect(await store.get("token")).toBeUndefined();
});

test.each<readonly [number | undefined, number]>([
  [undefined, 30 * day],
  [1_000, 1_000],
])("credentials with the lifetime %s are kept for %i ms after they were stored last", async (ttl, kept) => {
  const clock = new ManualClock();
  const engine = createMemoryCluster({ clock }).connect();
  await engine.open();
  const store = createSharedCredentials(engine, { owner: "ada", ...(ttl !== undefined && { ttl }) });
  await store.set("token", "first");
  clock.advance(kept - 1);
  await store.set("token", "second");
  clock.advance(kept - 1);
  expect(await store.get("token")).toBe("second");
  clock.advance(1);
  expect(await store.get("token")).toBeUndefined();
});

test("an engine without values stores no credentials", () => {
  const engine = override(createMemoryCluster().connect(), {});
  Object.defineProperty(engine, "values", { value: undefined });
  expect(() => createSharedCredentials(engine, { owner: "ada" })).toThrow(SetupError);
});
