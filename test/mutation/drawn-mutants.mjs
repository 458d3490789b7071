import { readFileSync } from "node:fs";

/* Plugin of Stryker: a checker for drawn mutants. The variable `DRAWN_MUTANTS` names their file. */

function createChecker() {
  const drawn = new Set(JSON.parse(readFileSync(process.env.DRAWN_MUTANTS ?? "", "utf8")).map(keyOf));
  const checkOne = (mutant) =>
    drawn.has(keyOf(mutant)) ? { status: "passed" } : { status: "compileError", reason: "not drawn" };
  return {
    init: async () => {},
    group: async (mutants) => [mutants.map(({ id }) => id)],
    check: async (mutants) => Object.fromEntries(mutants.map((mutant) => [mutant.id, checkOne(mutant)])),
  };
}

function keyOf({ fileName, location: { start, end }, replacement }) {
  return JSON.stringify([fileName, start.line, start.column, end.line, end.column, replacement]);
}

export const strykerPlugins = [{ kind: "Checker", name: "drawn", factory: createChecker }];
