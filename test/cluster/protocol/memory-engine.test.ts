import { expect, onTestFinished, test, vi } from "vitest";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";

test("an engine in memory is ready while it is open and not lost, and says since when", async () => {
  const now = vi.spyOn(Date, "now").mockReturnValue(1);
  onTestFinished(() => now.mockRestore());
  const cluster = createMemoryCluster();
  const [engine, other] = [cluster.connect(), cluster.connect()];
  const closed = ["The engine is not open; call open() first"];
  const after = async (time: number, change: () => unknown): Promise<unknown> => {
    now.mockReturnValue(time);
    await change();
    return engine.status();
  };
  expect(engine.status()).toEqual({ state: "lost", since: 1, problems: closed });
  expect(await after(2, () => engine.close())).toEqual({ state: "lost", since: 1, problems: closed });
  expect(await after(3, () => engine.open())).toEqual({ state: "ready", since: 3, problems: [] });
  expect(await after(4, () => engine.open())).toEqual({ state: "ready", since: 3, problems: [] });
  const lost = { state: "lost", since: 5, problems: ["The engine is lost; try again later"] };
  expect(await after(5, () => cluster.lose(engine))).toEqual(lost);
  expect(await after(6, () => cluster.lose())).toEqual(lost);
  expect(await after(7, () => cluster.restore(other))).toEqual(lost);
  expect(await after(8, () => cluster.restore())).toEqual({ state: "ready", since: 8, problems: [] });
  expect(await after(9, () => engine.close())).toEqual({ state: "lost", since: 9, problems: closed });
});

test("an engine of another cluster cannot be lost", () => {
  const engine = createMemoryCluster().connect();
  const problem = "The engine belongs to another cluster; use the cluster that connected it";
  expect(() => createMemoryCluster().lose(engine)).toThrow(problem);
  expect(() => createMemoryCluster().restore(engine)).toThrow(problem);
});
