import { expect, test } from "vitest";
import { Metrics } from "../../../runtime/jsonrpc/metrics.ts";

test("metrics count errors, rejections, reports and what is dropped, each by its kind", () => {
  const metrics = new Metrics();
  metrics.responded({ jsonrpc: "2.0", id: 1, error: { code: -32601, message: "" } });
  metrics.responded({ jsonrpc: "2.0", id: 1, error: { code: -32601, message: "" } });
  metrics.responded({ jsonrpc: "2.0", error: { code: -32700, message: "" } });
  metrics.responded({ jsonrpc: "2.0", id: 1, result: {} });
  for (const status of [403, 404, 404]) metrics.rejected(status);
  metrics.drop("log");
  metrics.drop("event", 3);
  metrics.drop("event");
  for (const kind of ["loss", "handler", "loss"] as const) metrics.reported({ kind, error: new Error() });
  const { errorResponses, rejected, dropped, reports } = metrics.read();
  expect([...errorResponses]).toEqual([
    [-32601, 2],
    [-32700, 1],
  ]);
  expect([...rejected]).toEqual([
    [403, 1],
    [404, 2],
  ]);
  expect([...dropped]).toEqual([
    ["log", 1],
    ["event", 4],
  ]);
  expect([...reports]).toEqual([
    ["loss", 2],
    ["handler", 1],
  ]);
});

test("metrics are a copy, which later events do not change", () => {
  const metrics = new Metrics();
  const before = metrics.read();
  metrics.responded({ jsonrpc: "2.0", id: 1, error: { code: 1, message: "" } });
  metrics.rejected(403);
  metrics.drop("log");
  metrics.reported({ kind: "loss", error: new Error() });
  metrics.enter({ size: 1 }, { size: 1 }, { buffered: 1 });
  expect(before).toEqual(new Metrics().read());
});

test("metrics sum up the load of the connections that are open", () => {
  const metrics = new Metrics();
  const running = [{ size: 1 }, { size: 10 }];
  const [first = { size: 0 }, second = { size: 0 }] = running;
  metrics.enter(first, { size: 2 }, { buffered: 3 });
  metrics.enter(second, { size: 20 }, {});
  expect(metrics.read()).toMatchObject({ connections: 2, running: 11, waiting: 22, buffered: 3 });
  metrics.leave(first);
  expect(metrics.read()).toMatchObject({ connections: 1, running: 10, waiting: 20, buffered: 0 });
});

test("metrics have the delay of the event loop while it is watched", () => {
  const metrics = new Metrics();
  const delay = { mean: 1, p99: 2, max: 3 };
  expect("loopDelay" in metrics.read()).toBe(false);
  metrics.watchLoop(() => delay);
  expect(metrics.read().loopDelay).toBe(delay);
  metrics.watchLoop(undefined);
  expect("loopDelay" in metrics.read()).toBe(false);
});
