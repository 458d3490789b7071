import { expect, test } from "vitest";
import { ManualClock } from "../../../../runtime/testing/manual-clock.ts";
import {
  Maintenance,
  type Maintained,
  type MaintenanceOptions,
} from "../../../../runtime/transport/http-server/session/maintenance.ts";

/* One timer for all connections of a server. */

function create(times: Partial<Pick<MaintenanceOptions, "keepAlive" | "ttl">> = {}) {
  const clock = new ManualClock();
  const visits: (readonly [name: string, isCommenting: boolean])[] = [];
  const names = new Map<Maintained, string>();
  const maintenance = new Maintenance({
    clock,
    keepAlive: 15_000,
    ttl: 60_000,
    ...times,
    visit: (maintained, isCommenting) => void visits.push([names.get(maintained) ?? "", isCommenting]),
  });
  const createMaintained = (name: string): Maintained => {
    const maintained: Maintained = {
      connection: { closed: Promise.resolve(undefined), close: async () => {} },
      keepAlive() {},
    };
    names.set(maintained, name);
    return maintained;
  };
  /** Lets time pass, and returns the visits since then. */
  const pass = (milliseconds: number): typeof visits => {
    clock.advance(milliseconds);
    return visits.splice(0);
  };
  return { clock, maintenance, createMaintained, pass };
}

test("connections are visited once in each interval, until they are deleted; without any no timer runs", () => {
  const { clock, maintenance, createMaintained, pass } = create();
  const [lasting, brief, moved] = ["lasting", "brief", "moved"].map(createMaintained);
  if (!lasting || !brief || !moved) return expect.unreachable();
  expect(clock.active).toBe(0);
  maintenance.add(lasting);
  maintenance.addBrief(brief);
  maintenance.addBrief(moved);
  maintenance.add(moved);
  expect(clock.active).toBe(1);
  const visited = (): readonly string[] =>
    pass(15_000)
      .map(([name]) => name)
      .sort();
  expect(visited()).toEqual(["brief", "lasting", "moved"]);
  maintenance.delete(lasting);
  expect(visited()).toEqual(["brief", "moved"]);
  maintenance.delete(brief);
  expect(visited()).toEqual(["moved"]);
  maintenance.delete(moved);
  expect([visited(), clock.active]).toEqual([[], 0]);
  maintenance.add(lasting);
  expect(visited()).toEqual(["lasting"]);
});

test.each<readonly [keepAlive: number, ttl: number, interval: number, rounds: readonly boolean[]]>([
  [15_000, 60_000, 15_000, [true, true, true]],
  [60_000, 40_000, 20_000, [false, false, true, false, false, true]],
  [Infinity, 60_000, 30_000, [false, false, false]],
  [20, 60_000, 20, [true, true, true]],
])("connections whose streams get a comment each %d ms, and which live for %d ms, are visited each %d ms", (...row) => {
  const [keepAlive, ttl, interval, rounds] = row;
  const { maintenance, createMaintained, pass } = create({ keepAlive, ttl });
  maintenance.add(createMaintained("lasting"));
  maintenance.addBrief(createMaintained("brief"));
  for (const isCommenting of rounds)
    expect(pass(interval).sort()).toEqual([
      ["brief", isCommenting],
      ["lasting", isCommenting],
    ]);
});

test("thousands of connections are visited a few at a time, and few connections five turns at a time", () => {
  const { clock, maintenance, createMaintained, pass } = create();
  const all = Array.from({ length: 1_200 }, () => createMaintained("one"));
  for (const one of all.slice(0, 1_000)) maintenance.add(one);
  expect([pass(249).length, pass(1).length]).toEqual([0, 20]);
  for (const one of all.slice(1_000)) maintenance.add(one);
  pass(15_000 - 250);
  const started = clock.started;
  expect([pass(50).length, pass(50).length, clock.started - started]).toEqual([4, 4, 2]);
  expect(pass(14_900)).toHaveLength(1_192);
});

test("a server that has stopped visits no connection", () => {
  const { clock, maintenance, createMaintained, pass } = create();
  maintenance.add(createMaintained("lasting"));
  maintenance.addBrief(createMaintained("brief"));
  maintenance.stop();
  expect([clock.active, pass(60_000)]).toEqual([0, []]);
});
