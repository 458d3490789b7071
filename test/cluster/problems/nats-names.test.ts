import { expect, test } from "vitest";
import { createNatsNames } from "../../../cluster/nats/nats-names.ts";
import { defaultNatsLimits } from "../../../cluster/nats/nats-limits.ts";

test("applications whose prefixes differ have different subjects, also by a dot and a hyphen", () => {
  const prefixes = ["a.b", "a-b", "a_b", "ab", "a..b", "a.-b", "a-v1.b"];
  const starts = prefixes.map((prefix) => createNatsNames(prefix, defaultNatsLimits).start);
  expect(new Set(starts).size).toBe(prefixes.length);
});

test("the start of subjects and names of streams is one token", () => {
  const { start, streams } = createNatsNames("com.example.shop", defaultNatsLimits);
  expect(start).toBe("com=example=shop-v1");
  for (const { name } of Object.values(streams)) expect(name).toMatch(/^[\w=-]+$/);
});
