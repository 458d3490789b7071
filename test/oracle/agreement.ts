import { toCompatModel } from "./json-schema.ts";
import { isObject, type Check } from "../../templates/support.ts";
import { compileChecks } from "./compiled-checks.ts";
import { readOfficialSchema } from "./official.ts";
import { createValidators, type Validator } from "./official-validators.ts";
import { readBareModel } from "./revisions.ts";

/** Everything that judges a value of one revision. */
export interface Judges {
  readonly revision: string;
  readonly declarations: readonly string[];
  /** Results of the checks that are emitted from the schema only. */
  readonly faithful: ReadonlyMap<string, Check>;
  /** Results after the quirks of the official schema were added. */
  readonly compat: ReadonlyMap<string, Check>;
  readonly official: (declaration: string) => Validator;
}

/** Outcome of the checks of many values. */
export interface Tally {
  cases: number;
  accepted: number;
  /** Disagreements in compat mode, spelled out. */
  readonly disagreements: string[];
  /** Disagreements in faithful mode, by the class that explains them. */
  readonly explained: Map<string, number>;
  /** Disagreements in faithful mode without an explanation, spelled out. */
  readonly unexplained: string[];
}

/** Compiles the judges of a revision. */
export async function createJudges(revision: string): Promise<Judges> {
  const model = readBareModel(revision);
  const faithful = await compileChecks(model);
  const compat = await compileChecks(toCompatModel(model));
  return {
    revision,
    declarations: model.declarations.map(({ name }) => name),
    faithful: faithful.checks,
    compat: compat.checks,
    official: createValidators(readOfficialSchema(revision)),
  };
}

/** Creates an empty tally. */
export function createTally(): Tally {
  return { cases: 0, accepted: 0, disagreements: [], explained: new Map(), unexplained: [] };
}

/** Lets all judge one value and notes the outcome. */
export function judge(judges: Judges, declaration: string, value: unknown, tally: Tally): void {
  const official = judges.official(declaration);
  const isValid = official(value);
  const isFaithful = accepts(judges.faithful.get(declaration), value);
  tally.cases += 1;
  if (isValid) tally.accepted += 1;
  if (accepts(judges.compat.get(declaration), value) !== isValid) {
    tally.disagreements.push(spell(declaration, value, isValid));
  }
  if (isFaithful === isValid) return;
  const reason = isFaithful ? explain(judges, official, value) : undefined;
  if (reason === undefined) tally.unexplained.push(spell(declaration, value, isValid));
  else tally.explained.set(reason, (tally.explained.get(reason) ?? 0) + 1);
}

function accepts(check: Check | undefined, value: unknown): boolean {
  if (!check) throw new Error("No check was emitted for a declaration; see generator/emit/check-text.ts.");
  return check(value) === undefined;
}

/**
 * Names the quirk that explains why only we accept a value: the official validator accepts it as soon as fractions are
 * rounded, or `null` is replaced, and nothing else is changed.
 */
function explain({ declarations }: Judges, official: Validator, value: unknown): string | undefined {
  if (official(repair(value, floor))) return "fraction where the official file says integer";
  if (!declarations.includes("JSONValue")) return undefined;
  if (official(repair(value, fill))) return "null inside JSONValue";
  return official(repair(repair(value, fill), floor)) ? "null and fraction inside JSONValue" : undefined;
}

function floor(value: unknown): unknown {
  return typeof value === "number" ? Math.floor(value) : value;
}

function fill(value: unknown): unknown {
  return value === null ? "" : value;
}

function repair(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => repair(item, change));
  if (!isObject(value)) return change(value);
  return Object.fromEntries(Object.entries(value).map(([key, own]) => [key, repair(own, change)]));
}

function spell(declaration: string, value: unknown, isValid: boolean): string {
  return `${declaration}: the official schema ${isValid ? "accepts" : "rejects"} ${JSON.stringify(value)?.slice(0, 400)}`;
}
