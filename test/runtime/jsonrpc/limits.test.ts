import { describe, expect, it } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import {
  defaultLimits,
  defaultTimeouts,
  handlerTimeoutOf,
  isLongRunning,
  timeoutOf,
  toLimits,
  totalTimeoutOf,
  toTimeouts,
} from "../../../runtime/jsonrpc/limits.ts";

/* Timeouts follow from the rows of the tables, so that a method of a new revision needs no change here. */

const { request, work, wait, initialize, total, handler } = defaultTimeouts;

const rows = revisions.flatMap(({ clientRequests, serverRequests, embeddedRequests }) =>
  [clientRequests, serverRequests, embeddedRequests].flatMap((table) => Object.values(table)),
);

describe.each([
  { methods: ["ping", "tools/list", "resources/subscribe", "roots/list"], timeout: request, isLong: false },
  { methods: ["initialize"], timeout: initialize, isLong: false },
  {
    methods: ["tools/call", "resources/read", "prompts/get", "completion/complete"],
    timeout: work,
    isLong: true,
  },
  { methods: ["sampling/createMessage", "elicitation/create"], timeout: wait, isLong: true },
])("$methods", ({ methods, timeout, isLong }) => {
  it.each(methods)("the method %s has the same timeout at every revision", (method) => {
    const found = rows.filter((row) => row.method === method);
    expect(found.length).toBeGreaterThan(0);
    for (const row of found) {
      expect(timeoutOf(row, defaultTimeouts)).toBe(timeout);
      expect(totalTimeoutOf(row, defaultTimeouts)).toBe(total);
      expect(handlerTimeoutOf(row, defaultTimeouts)).toBe(handler);
      expect(isLongRunning(row)).toBe(isLong);
    }
  });
});

describe("a long request", () => {
  it("a request until the end of a task has a timeout for its sender, and none for its handler", () => {
    expect(timeoutOf({ duration: "task" }, defaultTimeouts)).toBe(wait);
    expect(handlerTimeoutOf({ duration: "task" }, defaultTimeouts)).toBe(Infinity);
    expect(isLongRunning({ duration: "task" })).toBe(true);
    expect(rows.filter(({ duration }) => duration === "task").map(({ method }) => method)).toContain("tasks/result");
  });

  it("a request until the end of the connection has no timeout, and requests no progress", () => {
    const endless = { duration: "endless" } as const;
    expect(timeoutOf(endless, defaultTimeouts)).toBe(Infinity);
    expect(totalTimeoutOf(endless, defaultTimeouts)).toBe(Infinity);
    expect(handlerTimeoutOf(endless, defaultTimeouts)).toBe(Infinity);
    expect(isLongRunning(endless)).toBe(false);
    expect(rows.filter(({ duration }) => duration === "endless").map(({ method }) => method)).toEqual([
      "subscriptions/listen",
    ]);
  });
});

describe("limits and timeouts that are given", () => {
  it("limits and timeouts that are given replace the defaults", () => {
    expect([toLimits(undefined), toTimeouts(undefined)]).toEqual([defaultLimits, defaultTimeouts]);
    expect(toLimits({ maxBatch: 7 })).toEqual({ ...defaultLimits, maxBatch: 7 });
    expect(toTimeouts({ drain: Infinity })).toEqual({ ...defaultTimeouts, drain: Infinity });
  });

  it("the depth is at most 512", () => {
    expect([511, 512, 513, Infinity].map((maxDepth) => toLimits({ maxDepth }).maxDepth)).toEqual([511, 512, 512, 512]);
  });

  it("the defaults are those of the documentation", () => {
    expect([defaultLimits.maxMessageBytes, defaultLimits.maxBufferedBytes]).toEqual([16 * 2 ** 20, 64 * 2 ** 20]);
    expect(defaultTimeouts).toEqual({
      initialize: 30_000,
      request: 5_000,
      work: 60_000,
      wait: 600_000,
      total: 600_000,
      handler: 600_000,
      confirmation: 5_000,
      drain: 1_000,
    });
  });
});

describe("a request that is safe to repeat", () => {
  it("a request that is safe to repeat changes nothing: no tool call, no subscription, no log level", () => {
    const safe = new Set(rows.flatMap((row) => ("safe" in row && row.safe ? [row.handler] : [])));
    expect([...safe].sort()).toEqual([
      "complete",
      "getPrompt",
      "getTask",
      "getTaskPayload",
      "listPrompts",
      "listResourceTemplates",
      "listResources",
      "listTasks",
      "listTools",
      "ping",
      "readResource",
    ]);
  });
});
