import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reachedElsewhere } from "./elsewhere.ts";
import { check, limitCases } from "./limits.ts";
import { readPublishedLimits } from "./published-limits.ts";

describe.concurrent("a limit that is reached has the documented outcome, and another client is served (R35)", () => {
  test.each(limitCases.map((limitCase) => [limitCase.limit, limitCase.over, limitCase.action, limitCase] as const))(
    "%s over %s: %s",
    async (_limit, _over, _action, limitCase) => {
      expect(await check(limitCase)).toEqual([]);
    },
  );
});

test("every published limit is reached by a case, or by another test", () => {
  const reached = new Set([...limitCases.map(({ limit }) => limit), ...Object.keys(reachedElsewhere)]);
  const published = readPublishedLimits();
  expect(published.length).toBeGreaterThan(40);
  expect(published.filter((limit) => !reached.has(limit))).toEqual([]);
  const options = [...reached].filter((limit) => /^[A-Z]\w+\.\w+$/.test(limit));
  expect(options.filter((limit) => !published.includes(limit))).toEqual([]);
});

test.each(Object.entries(reachedElsewhere))("%s is reached by another test", (_limit, [file, text]) => {
  expect(readFileSync(join(import.meta.dirname, "../..", file), "utf8")).toContain(text);
});
