import { describe, expect, test } from "vitest";
import { SetupError } from "../../../runtime/jsonrpc/errors.ts";
import { Health } from "../../../cluster/engine/health.ts";

interface Observed {
  readonly health: Health;
  pass(milliseconds: number): void;
}

function observe(isConnected = true): Observed {
  let now = 1_000_000;
  const health = new Health("Redis", () => now);
  if (isConnected) health.connected();
  return { health, pass: (milliseconds) => void (now += milliseconds) };
}

const fail = ({ health }: Observed, count: number): void => {
  for (let time = 0; time < count; time += 1) health.failed("GET", "no reply");
};

describe("the state of an engine", () => {
  test("an engine is lost before it is connected, and since when is known", () => {
    const { health, pass } = observe(false);
    expect(health.read()).toEqual({ state: "lost", since: 1_000_000, problems: ["Redis is not connected"] });
    expect(() => health.admit()).toThrow("Redis is not connected; try again later");
    pass(10);
    health.connected();
    expect(health.read()).toEqual({ state: "ready", since: 1_000_010, problems: [] });
    expect(() => health.admit()).not.toThrow();
    pass(10);
    expect(health.read().since).toBe(1_000_010);
    health.lost();
    expect(health.read()).toMatchObject({ state: "lost", since: 1_000_020 });
  });

  test("settings that do not permit to use the server are the problem until it is connected or lost", () => {
    const { health } = observe();
    health.reconnectFailed(new SetupError("Redis evicts keys; set maxmemory-policy"));
    expect(health.read()).toMatchObject({ state: "lost", problems: ["Redis evicts keys; set maxmemory-policy"] });
    expect(() => health.admit()).toThrow("Redis evicts keys");
    health.lost();
    expect(health.read().problems).toEqual(["Redis is not connected"]);
    health.reconnectFailed(new SetupError("again"));
    health.connected();
    expect(health.read()).toMatchObject({ state: "ready", problems: [] });
  });

  test("an attempt to connect that fails otherwise is a problem for 5 s, with one line of its error", () => {
    const { health, pass } = observe();
    health.reconnectFailed(new Error(`refused\n${"at "}x`));
    expect(health.read()).toMatchObject({ state: "degraded", problems: ["The operation connect fails: refused"] });
    health.reconnectFailed("refused");
    expect(health.read().problems).toEqual(["The operation connect fails: unknown problem"]);
    pass(4_999);
    expect(health.read().state).toBe("degraded");
    pass(1);
    expect(health.read()).toMatchObject({ state: "ready", problems: [] });
  });

  test("weaknesses of the settings are listed first, and do not change the state", () => {
    const { health } = observe();
    health.setWeaknesses(["a", "b"]);
    health.setWeaknesses(["c"]);
    health.countInvalid();
    health.countInvalid();
    expect(health.read()).toMatchObject({
      state: "ready",
      problems: ["c", "2 messages or values were dropped because they did not verify"],
    });
  });

  test("an operation that the engine rejects is a problem, the last one of each operation", () => {
    const { health } = observe();
    health.rejected("SET", "OOM");
    health.rejected("GET", "NOPERM");
    health.rejected("SET", "READONLY");
    expect(health.read()).toMatchObject({
      state: "degraded",
      problems: ["The operation GET fails: NOPERM", "The operation SET fails: READONLY"],
    });
  });
});

describe("an engine whose operations fail", () => {
  test("five failures within a second pause it, four do not", () => {
    const observed = observe();
    fail(observed, 4);
    expect(observed.health.read().state).toBe("degraded");
    observed.health.admit();
    fail(observed, 1);
    expect(observed.health.read().state).toBe("lost");
    expect(() => observed.health.admit()).toThrow("Redis has failed repeatedly; try again later");
  });

  test.each<readonly [number, "lost" | "degraded"]>([
    [1_000, "lost"],
    [1_001, "degraded"],
  ])("five failures over %i ms leave it %s", (milliseconds, state) => {
    const observed = observe();
    fail(observed, 4);
    observed.pass(milliseconds);
    fail(observed, 1);
    expect(observed.health.read().state).toBe(state);
  });

  test("a success between them begins the count again", () => {
    const observed = observe();
    fail(observed, 4);
    observed.health.succeeded(1);
    fail(observed, 4);
    expect(observed.health.read().state).toBe("degraded");
  });

  test("one operation is tried after the pause, and the others when it has succeeded", () => {
    const observed = observe();
    const { health, pass } = observed;
    fail(observed, 5);
    pass(249);
    expect(() => health.admit()).toThrow("repeatedly");
    pass(101);
    health.admit();
    expect(() => health.admit()).toThrow("repeatedly");
    health.succeeded(1);
    health.admit();
    health.admit();
  });

  test("a trial that fails pauses it again, one that is rejected does not", () => {
    const observed = observe();
    const { health, pass } = observed;
    fail(observed, 5);
    pass(5_000);
    health.admit();
    fail(observed, 1);
    expect(() => health.admit()).toThrow("repeatedly");
    pass(350);
    health.admit();
    health.rejected("GET", "OOM");
    health.admit();
    health.admit();
    expect(health.read().state).toBe("degraded");
  });

  test("a new connection ends the pause", () => {
    const observed = observe();
    fail(observed, 5);
    observed.health.connected();
    observed.health.admit();
    observed.health.admit();
    fail(observed, 4);
    expect(() => observed.health.admit()).not.toThrow();
  });
});

describe("an engine whose operations are slow", () => {
  const slow = "Redis takes more than 250 ms for some operations";

  test.each<readonly [string, readonly (readonly [number, number])[], boolean]>([
    ["one of one takes 251 ms", [[1, 251]], true],
    ["one takes 250 ms", [[1, 250]], false],
    [
      "one of a hundred takes 251 ms",
      [
        [99, 1],
        [1, 251],
      ],
      true,
    ],
    [
      "one of 101 takes 251 ms",
      [
        [100, 1],
        [1, 251],
      ],
      false,
    ],
    [
      "the slow one is not among the last 200",
      [
        [1, 251],
        [1, 251],
        [1, 251],
        [200, 1],
      ],
      false,
    ],
  ])("operations are slow if 1 % of them takes more than 250 ms: %s", (_, durations, isSlow) => {
    const { health } = observe();
    for (const [count, milliseconds] of durations)
      for (let time = 0; time < count; time += 1) health.succeeded(milliseconds);
    expect(health.read()).toMatchObject(
      isSlow ? { state: "degraded", problems: [slow] } : { state: "ready", problems: [] },
    );
  });

  test("an operation that was slow 5 s ago no longer counts", () => {
    const { health, pass } = observe();
    health.succeeded(251);
    pass(4_999);
    expect(health.read().state).toBe("degraded");
    pass(1);
    expect(health.read().state).toBe("ready");
  });
});
