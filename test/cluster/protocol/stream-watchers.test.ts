import { expect, test } from "vitest";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import { StreamWatchers } from "../../../cluster/streams/stream-watchers.ts";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import { override } from "../../kit/override.ts";

test("a stream that could not be watched is forgotten", async () => {
  const { nodes } = createMemoryCluster().connect();
  const watch = (): never => {
    throw new EngineError("The engine is away");
  };
  const watchers = new StreamWatchers(override(nodes, { watch }));
  const key = { id: "1", owner: undefined };
  let wakes = 0;
  await expect(watchers.watch(key, "a", () => void (wakes += 1))).rejects.toThrow("The engine is away");
  watchers.changed(key, "a");
  expect(wakes).toBe(0);
});

test("a stream wakes each of its followers until that one leaves, and then is no longer watched", async () => {
  const { nodes } = createMemoryCluster().connect();
  const watched: string[] = [];
  const watchers = new StreamWatchers(
    override(nodes, {
      watch({ id }, stream) {
        watched.push(`watch ${id} ${stream}`);
        return () => void watched.push(`unwatch ${id} ${stream}`);
      },
    }),
  );
  const [key, other] = [
    { id: "1", owner: "ada" },
    { id: "1", owner: "bob" },
  ];
  const wakes: string[] = [];
  const leaveFirst = await watchers.watch(key, "a", () => void wakes.push("first"));
  const leaveSecond = await watchers.watch(key, "a", () => void wakes.push("second"));
  watchers.changed(key, "a");
  watchers.changed(key, "b");
  watchers.changed(other, "a");
  expect(wakes).toEqual(["first", "second"]);
  leaveFirst();
  watchers.changed(key, "a");
  leaveSecond();
  watchers.changed(key, "a");
  expect(wakes).toEqual(["first", "second", "second"]);
  expect(watched).toEqual(["watch 1 a", "watch 1 a", "unwatch 1 a", "unwatch 1 a"]);
});
