import { describe, expect, it } from "vitest";
import { toCompatModel } from "./json-schema.ts";
import { isObject, type Check } from "../../templates/support.ts";
import { compileChecks } from "./compiled-checks.ts";
import { makeCases, type Case } from "./corpus.ts";
import { readOfficialSchema } from "./official.ts";
import { createValidators } from "./official-validators.ts";
import { readBareModel, revisions } from "./revisions.ts";

/** Guards that no value can reach, or that only test/generated/hostile.program.test.ts reaches. */
const unreachable: readonly RegExp[] = [
  /depth > maxDepth/,
  // Called only for arrays.
  /^checkSamplingMessageContentBlockArray: .*Array\.isArray/,
];

describe.each(revisions)("corpus of %s", (revision) => {
  it("the corpus detects when any single guard of the emitted checks is missing", async () => {
    const model = readBareModel(revision);
    const guards: string[] = [];
    const { checks, module } = await compileChecks(toCompatModel(model), (text) => makeDroppable(text, guards));
    const official = createValidators(readOfficialSchema(revision));
    const groups = groupCases(makeCases(revision, model, { values: 12, mutants: 40 }));
    const judged = [...groups].map(([declaration, cases]) => ({
      declaration,
      check: checks.get(declaration),
      cases: cases.map(({ value }) => ({ value, isValid: official(declaration)(value) })),
    }));
    const isUnnoticed = (guard: string, at: number): boolean => {
      drop(module, at);
      const near = judged.filter(({ declaration }) => guard.startsWith(`check${declaration}`));
      const others = judged.filter((group) => !near.includes(group));
      return [...near, ...others].every(({ check, cases }) =>
        cases.every(({ value, isValid }) => accepts(check, value) === isValid),
      );
    };
    expect(isUnnoticed("none", -1)).toBe(true);
    const unnoticed = guards.filter(isUnnoticed);
    console.log(`${revision}: ${guards.length} guards dropped one by one, ${unnoticed.length} unnoticed`);
    expect(unnoticed.filter((guard) => !unreachable.some((pattern) => pattern.test(guard)))).toEqual([]);
  });
});

/** Gives every guard a number, so that one at a time can be switched off, and lists them. */
function makeDroppable(text: string, guards: string[]): string {
  let current = "";
  const lines = text.split("\n").map((line) => {
    current = /^export function (\w+)/.exec(line)?.[1] ?? current;
    const [, condition] = /^\s+if \((.*)\)(?: return .*;| continue;)?$/.exec(line) ?? [];
    if (condition === undefined) return line;
    guards.push(`${current}: ${line.trim()}`);
    return line.replace(`(${condition})`, () => `(dropped.at !== ${guards.length - 1} && (${condition}))`);
  });
  return [`export const dropped = { at: -1 };`, ...lines].join("\n");
}

function drop(module: Readonly<Record<string, unknown>>, at: number): void {
  const { dropped } = module;
  if (!isObject(dropped)) throw new Error("The module was not prepared for dropping guards.");
  dropped["at"] = at;
}

function groupCases(cases: Iterable<Case>): Map<string, Case[]> {
  const groups = new Map<string, Case[]>();
  for (const one of cases) groups.set(one.declaration, [...(groups.get(one.declaration) ?? []), one]);
  return groups;
}

/** A check that throws notices the missing guard as well. */
function accepts(check: Check | undefined, value: unknown): boolean | undefined {
  try {
    return check?.(value) === undefined;
  } catch {
    return undefined;
  }
}
