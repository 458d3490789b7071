import { overlayPath, type Conversions } from "../conversions/conversions.ts";
import type {
  Change,
  Difference,
  OptionDifference,
  Outline,
  PlainOutline,
  UnionDifference,
} from "../conversions/difference.ts";
import { findMisfit } from "../conversions/misfit.ts";
import { conversionRules } from "../conversions/rules.ts";
import { SpecError } from "../internal/spec-error.ts";
import type { RuleName } from "../model.ts";
import { accessText } from "./type-text.ts";

/** Conversion being written. It records the names its text uses. */
export interface ConvertScope {
  readonly conversions: Conversions;
  readonly name: string;
  /** Name of the constant with the keys of its object. */
  readonly keys: string;
  /** True if values of a difference need a conversion. */
  needs(difference: Difference): boolean;
  /** Names used so far: of the support modules, and of the parameter. */
  readonly uses: ReadonlySet<string>;
  /** Names of the conversions called so far. */
  readonly calls: ReadonlySet<string>;
  /** Constants declared so far, to be written before the function. */
  readonly constants: readonly string[];
  declare(constant: string): void;
  /** Returns a name, and records its use. */
  use(name: string): string;
  /** Returns the converted value of an expression: the expression itself if the value may stay. */
  expression(difference: Difference | undefined, expression: string): string;
  /** Like {@link expression}, for each item of an array or each value of an object. */
  each(helper: "mapItems" | "mapValues", difference: Difference, expression: string): string;
  /**
   * Returns a call of the function behind a rule, for the expression of a value, its type or place, and its unknown alternative. Functions of lossless
   * rules take no arguments for reporting a loss.
   */
  apply(
    rule: RuleName,
    subject: { readonly value: string; readonly type: string; readonly member?: string | undefined },
  ): string;
  /** Returns a statement that throws the error of a change. */
  rejection(change: Change): string;
}

/** Alternative with the statement for its values. The statement is `undefined` if they may stay. */
interface Branch {
  readonly outline: Outline;
  /** True if the revision does not know the alternative. */
  readonly isGone: boolean;
  /** True if the statement throws. */
  readonly isRejected?: true;
  /** True if the statement returns a plain value. */
  readonly isValue?: true;
  readonly code: string | undefined;
}

/** Returns the body of the conversion of a union. The body finds the alternative of a value and handles it. */
export function unionConversion(scope: ConvertScope, union: UnionDifference): string {
  const branches = union.options.map((option) => branchOf(scope, union, option));
  const lines = [
    ...plainLines(
      scope,
      union,
      branches.filter(({ outline }) => outline.kind === "other"),
    ),
    ...arrayLines(
      scope,
      union,
      branches.filter(({ outline }) => outline.kind === "array"),
    ),
    ...objectLines(
      scope,
      union,
      branches.filter(({ outline }) => outline.kind === "object"),
    ),
  ];
  return lines.at(-1)?.startsWith("return ") ? lines.join("\n") : [...lines, "return v;"].join("\n");
}

/** A rule turns an unknown alternative into a value of a known one, which is then converted in turn. Plain values stay as they are. */
function branchOf(scope: ConvertScope, union: UnionDifference, option: OptionDifference): Branch {
  const { type } = union;
  const { outline, change, difference } = option;
  if (!change) {
    const isConverted = difference !== undefined && scope.needs(difference);
    return { outline, isGone: false, code: isConverted ? `return ${scope.expression(difference, "v")};` : undefined };
  }
  const { rule, value, isLossless } = scope.conversions.ruleOf(change);
  if (rule === "keep") return { outline, isGone: true, code: undefined };
  if (rule === "as") {
    const report = { type, member: change.member, rule };
    const loss = isLossless ? "" : `${scope.use("loss")}?.(${JSON.stringify(report)});\n`;
    const converted = `return ${JSON.stringify(value)};`;
    return { outline, isGone: true, isValue: true, code: loss === "" ? converted : `{\n${loss}${converted}\n}` };
  }
  if (rule === "error") return { outline, isGone: true, isRejected: true, code: scope.rejection(change) };
  if (rule === "single-item") {
    const code = `{\nif (v.length === 1) return ${scope.name}(v[0], ${scope.use("loss")});\n${scope.rejection(change)}\n}`;
    return { outline, isGone: true, code };
  }
  const problem = conversionRules[rule].works === "content" ? findMisfit(rule, option, union) : undefined;
  if (problem !== undefined) throw createRuleError(scope, problem);
  const { member } = change;
  const code = `return ${scope.name}(${scope.apply(rule, { value: "v", type, member })}, ${scope.use("loss")});`;
  return { outline, isGone: true, code };
}

/** Plain values unknown to the revision become other plain values, or are rejected. */
function plainLines(scope: ConvertScope, { type }: UnionDifference, branches: readonly Branch[]): string[] {
  const known = branches.filter(({ code }) => code === undefined).map(({ outline }) => outline.plain);
  return branches.flatMap(({ outline: { plain }, code, isRejected, isValue }) => {
    if (code === undefined) return [];
    if (!isRejected && !isValue)
      throw createRuleError(scope, `new plain values of ${type} cannot be converted; use the rule as or error`);
    if (plain) return [`if (${plainTest(plain, known)}) ${code}`];
    throw createRuleError(scope, `new values of ${type} cannot be distinguished; list them instead of allowing any`);
  });
}

/** Returns a test for plain values, except for known ones. */
function plainTest(plain: PlainOutline, known: readonly (PlainOutline | undefined)[]): string {
  if (plain.kind === "value") return `v === ${JSON.stringify(plain.value)}`;
  const { type } = plain;
  const tests = known.flatMap((other) => {
    if (other?.kind === "value") return typeof other.value === type ? [`v !== ${JSON.stringify(other.value)}`] : [];
    return other?.integer && type === "number" ? ["!Number.isInteger(v)"] : [];
  });
  return [`typeof v === "${type}"`, ...tests].join(" && ");
}

/** Creates the error of rules the generator cannot follow. */
export function createRuleError({ conversions }: Pick<ConvertScope, "conversions">, text: string): SpecError {
  return new SpecError({ file: overlayPath(conversions.model), text });
}

function arrayLines(scope: ConvertScope, { type }: UnionDifference, branches: readonly Branch[]): string[] {
  const codes = [...new Set(branches.map(({ code }) => code))];
  if (codes.length > 1)
    throw createRuleError(scope, `lists of ${type} cannot be distinguished; use rules that treat their items alike`);
  return codes[0] === undefined ? [] : [`if (Array.isArray(v)) ${codes[0]}`];
}

function objectLines(scope: ConvertScope, union: UnionDifference, branches: readonly Branch[]): string[] {
  const [first] = branches;
  if (!first || branches.every(({ code }) => code === undefined)) return [];
  const isObject = `if (!${scope.use("isObject")}(v)) return v;`;
  const property = [...first.outline.literals.keys()].find((name) =>
    branches.every(({ outline }) => outline.literals.has(name)),
  );
  if (property === undefined || branches.length === 1) return [isObject, ...chainLines(scope, union, branches)];
  const values = [...new Set(branches.flatMap(({ outline }) => outline.literals.get(property) ?? []))];
  const groups = new Map<string, string[]>();
  for (const value of values) {
    const group = branches.filter(({ outline }) => outline.literals.get(property)?.includes(value));
    const code = chainLines(scope, union, group).join("\n");
    groups.set(code, [
      ...(groups.get(code) ?? []),
      `case ${value === undefined ? "undefined" : JSON.stringify(value)}:`,
    ]);
  }
  const cases = [...groups].filter(([code]) => code !== "return v;").flatMap(([code, labels]) => [...labels, code]);
  return [isObject, `switch (${accessText("v", property)}) {`, ...cases, "}"];
}

/**
 * Unknown alternatives are tested first. Of the known ones, if there are any, the alternative with the fewest distinguishing keys takes the remaining
 * values.
 */
function chainLines(scope: ConvertScope, { type }: UnionDifference, branches: readonly Branch[]): string[] {
  const known = branches.filter(({ isGone }) => !isGone);
  const gone = branches.filter(({ isGone }) => isGone);
  const isUntested = (branch: Branch): boolean => testText(branch, branches) === undefined;
  const untested = gone.filter(isUntested);
  const plain = known.filter(isUntested);
  const isSame = new Set([...untested, ...plain].map(({ code }) => code)).size < 2;
  if (!isSame || (untested.length > 0 && known.length > 0))
    throw createRuleError(
      scope,
      `alternatives of ${type} cannot be distinguished; give each a required or literal member`,
    );
  const rest = known.length > 0 ? known : gone;
  const fewest = rest.find((branch) => ownKeys(branch, branches, "required").length === 0) ?? rest.at(-1);
  const last = untested[0] ?? plain[0] ?? fewest;
  const tests = [...gone, ...known].flatMap((branch) => {
    const test = branch === last ? undefined : testText(branch, branches);
    return test === undefined ? [] : [`if (${test}) ${branch.code ?? "return v;"}`];
  });
  return [...tests, last?.code ?? "return v;"];
}

/** Tests for all required properties present only in this alternative, or else for any such optional property. */
function testText(branch: Branch, branches: readonly Branch[]): string | undefined {
  const isPresent = (name: string): string => `${accessText("v", name)} !== undefined`;
  const required = ownKeys(branch, branches, "required");
  if (required.length > 0) return required.map(isPresent).join(" && ");
  const optional = ownKeys(branch, branches, "optional");
  return optional.length > 0 ? optional.map(isPresent).join(" || ") : undefined;
}

function ownKeys({ outline }: Branch, branches: readonly Branch[], kind: "required" | "optional"): string[] {
  const others = branches.filter((other) => other.outline !== outline);
  const foreign = new Set(others.flatMap((other) => [...other.outline.required, ...other.outline.optional]));
  return [...new Set(outline[kind])].filter((name) => !foreign.has(name));
}
