import { describe, expect, test } from "vitest";
import { checkHint, toCacheMembers, toPrivate, type CacheHint } from "../../../runtime/protocol/methods/cache-hint.ts";

test.each<[CacheHint | undefined, CacheHint, CacheHint]>([
  [undefined, { ttlMs: 0, cacheScope: "private" }, { cacheScope: "private" }],
  [{ ttlMs: 5 }, { ttlMs: 5, cacheScope: "private" }, { ttlMs: 5, cacheScope: "private" }],
  [{ cacheScope: "public" }, { ttlMs: 0, cacheScope: "public" }, { cacheScope: "private" }],
  [
    { ttlMs: 5, cacheScope: "public" },
    { ttlMs: 5, cacheScope: "public" },
    { ttlMs: 5, cacheScope: "private" },
  ],
])("the hint %j is sent as %j, and as %j for results of one client", (hint, expected, own) => {
  expect(toCacheMembers(hint)).toEqual(expected);
  expect(toPrivate(hint)).toEqual(own);
});

describe("the check of a hint", () => {
  test.each<[CacheHint | undefined]>([
    [undefined],
    [{}],
    [{ ttlMs: 0 }],
    [{ ttlMs: 1, cacheScope: "public" }],
    [{ cacheScope: "private" }],
  ])("the hint %j is valid", (hint) => {
    expect(() => checkHint("Tool a", hint)).not.toThrow();
  });

  test.each([-1, 1.5, NaN, Infinity])("the time %d is rejected", (ttlMs) => {
    expect(() => checkHint("Tool a", { ttlMs })).toThrow(
      `Tool a: ttlMs is ${ttlMs}; use a whole number of milliseconds, 0 or more`,
    );
  });

  test("other scopes are rejected", () => {
    const hint: CacheHint = JSON.parse('{"cacheScope":"everyone"}');
    expect(() => checkHint("Tool a", hint)).toThrow('Tool a: cacheScope is "everyone"; use private or public');
  });
});
