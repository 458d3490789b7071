import { describe, expect, it } from "vitest";
import { describeViolations, findViolations } from "./checker.ts";
import { failing } from "./checker/broken-samples.ts";
import { passing } from "./checker/good-samples.ts";
import { cancelled, start, toEffects, toHistory, type Sample } from "./checker/sample-lines.ts";

/* Histories written by hand: the checker accepts the good ones, and finds what is broken in each of the others. */

function check({ lines, effects = [], engineState }: Sample): readonly string[] {
  const evidence = { history: toHistory(lines), effects: toEffects(effects), ...(engineState && { engineState }) };
  return [...new Set(findViolations(evidence).map(({ invariant }) => invariant))];
}

describe("checker", () => {
  it.each(Object.entries(passing))("accepts %s", (_name, sample) => {
    expect(check(sample)).toEqual([]);
  });

  it.each(failing)("finds with %s: %s", (invariant, _name, sample) => {
    expect(check(sample)).toContain(invariant);
  });

  it("changes of the time that everything may take move the limit", () => {
    const evidence = {
      history: toHistory(cancelled()),
      effects: toEffects([start, { kind: "abort", key: "c/1", t: 2_500 }]),
    };
    expect(findViolations(evidence, { slack: 1_000 })).toEqual([]);
  });

  it("descriptions have the number of violations of an invariant and examples", () => {
    const violations = Array.from({ length: 7 }, (_, index) => ({
      invariant: "I1",
      subject: `${index}`,
      problem: "a hole",
    }));
    expect(describeViolations(violations).split("\n")).toHaveLength(6);
    expect(describeViolations(violations)).toMatch(/^I1: 7\n {2}0: a hole\n/);
  });
});
