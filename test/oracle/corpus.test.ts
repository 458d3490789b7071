import { describe, expect, it } from "vitest";
import { toCompatModel } from "../../generator/json-schema.ts";
import { isObject } from "../../templates/support.ts";
import { compileChecks } from "./compiled-checks.ts";
import { makeCases, type Case } from "./corpus.ts";
import { readOfficialSchema } from "./official.ts";
import { createValidators } from "./official-validators.ts";
import { readBareModel, revisions } from "./revisions.ts";

/** Guards that no value can reach, or that only test/generated/hostile.test.ts reaches. */
const unreachable: readonly RegExp[] = [
  /depth > maxDepth/,
  // Called only for arrays.
  /^checkSamplingMessageContentBlockArray: .*Array\.isArray/,
];

describe.each(revisions)("corpus of %s", (revision) => {
  it("notices when any single guard of the emitted checks is missing", async () => {
    const model = readBareModel(revision);
    const guards: string[] = [];
    const { checks, module } = await compileChecks(toCompatModel(model), (text) => makeDroppable(text, guards));
    const official = createValidators(readOfficialSchema(revision));
    const cases = [...makeCases(revision, model, { values: 12, mutants: 40 })].map((one) => ({
      ...one,
      isValid: official(one.declaration)(one.value),
    }));
    const unnoticed = guards.filter((guard, at) => {
      drop(module, at);
      const nearFirst = cases.toSorted((a, b) => Number(isNear(b, guard)) - Number(isNear(a, guard)));
      return nearFirst.every(
        ({ declaration, value, isValid }) => (checks.get(declaration)?.(value) === undefined) === isValid,
      );
    });
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

/** Cases of the declaration that the guard belongs to are tried first. */
function isNear({ declaration }: Case, guard: string): boolean {
  return guard.startsWith(`check${declaration}`);
}
