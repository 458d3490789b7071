import { expect, test } from "vitest";
import { createMemoryCluster } from "../../../runtime/scale/memory-engine.ts";
import { StreamWatchers } from "../../../runtime/scale/streams/stream-watchers.ts";
import { EngineError } from "../../../runtime/stores/engine.ts";
import { override } from "../mutants/mutants.ts";

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
