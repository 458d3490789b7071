import { createDecision, objectRules } from "../conversions/needs-conversion.ts";
import { conversionRules, ruleFunction } from "../conversions/rules.ts";
import type { Conversions, FoundRule } from "../conversions/conversions.ts";
import type {
  Change,
  Difference,
  ObjectDifference,
  Outline,
  ShapeDifference,
  WholeDifference,
} from "../conversions/difference.ts";
import type { RuleName } from "../model.ts";
import { freeName, lowerFirst, pascal } from "./check-text.ts";
import { createRuleError, unionConversion, type ConvertScope } from "./convert-union.ts";
import { accessText } from "./type-text.ts";

/** Conversion function in the generated code. */
export interface ConvertFunction {
  readonly name: string;
  /** Type or place of the returned values. */
  readonly type: string;
  /** True if it converts what peers of the revision send to the type of a newer revision. */
  readonly isReceived?: true;
  /** Constants before the function. */
  readonly constants: string;
  /** Parameters and body, to be written after `function name`. */
  readonly text: string;
  /** Names the function uses: of the support modules, and of its parameter. */
  readonly uses: readonly string[];
  /** Names of the conversions called by the function, in the order in which they should follow it. */
  readonly calls: readonly string[];
}

/** Emits the conversions of one revision. */
export interface ConvertWriter {
  /** Every function written so far, in the order in which they should appear in the file. */
  readonly functions: readonly ConvertFunction[];
  /** Returns the name of the function that handles a difference, or `undefined` if every change may stay. */
  callee(difference: Difference | undefined): string | undefined;
}

/** Options of a writer: the direction of its conversions, and the names of other functions in the file. */
export interface ConvertWriterOptions {
  /** `from`: conversions of what peers of the revision send. */
  readonly prefix: "to" | "from";
  /** The names of the functions are added. */
  readonly taken: Set<string>;
}

/** Creates the writer of one revision. It writes a text only after the decision that the values of a difference need a conversion. */
export function createConvertWriter(conversions: Conversions, { prefix, taken }: ConvertWriterOptions): ConvertWriter {
  const needs = createDecision(conversions);
  const names = new Map<WholeDifference, string>();
  const begun = new Set<WholeDifference>();
  const namesByText = new Map<string, string>();
  const functions: ConvertFunction[] = [];

  const callee = (difference: Difference | undefined): string | undefined => {
    const whole = difference?.kind === "recursive" ? difference.whole() : difference;
    if (!whole || !needs(whole)) return undefined;
    // A function that calls itself gets its name before its text is known.
    return names.get(whole) ?? (begun.has(whole) ? takeName(whole) : write(whole));
  };

  const wantedName = (difference: WholeDifference): string => `${prefix}${placeName(typeOf(difference))}`;

  const takeName = (difference: WholeDifference): string => {
    const name = freeName(wantedName(difference), taken);
    names.set(difference, name);
    return name;
  };

  /** Equal functions share a name, and called ones are named first: a text is written under the wanted name, and again if the name is taken. */
  const write = (difference: WholeDifference): string => {
    const at = functions.length;
    begun.add(difference);
    const draft = writeAs(wantedName(difference), difference);
    const key = JSON.stringify([draft.type, draft.constants, draft.text]);
    const equal = names.has(difference) ? undefined : namesByText.get(key);
    const name = equal ?? names.get(difference) ?? takeName(difference);
    names.set(difference, name);
    if (equal !== undefined) return equal;
    namesByText.set(key, name);
    functions.splice(at, 0, name === draft.name ? draft : writeAs(name, difference));
    return name;
  };

  const writeAs = (name: string, difference: WholeDifference): ConvertFunction => {
    const keys = `${lowerFirst(name.slice(prefix.length))}Keys`;
    const scope = createScope({ conversions, needs, name, keys }, callee);
    const body = conversionText(scope, difference);
    const { uses, calls, constants } = scope;
    return {
      name,
      type: typeOf(difference),
      ...(prefix === "from" && { isReceived: true }),
      constants: constants.join("\n"),
      text: `(v: unknown, ${uses.has("loss") ? "loss" : "_loss"}?: OnLoss): unknown {\n${body}\n}`,
      uses: [...uses],
      calls: [...calls],
    };
  };

  return { functions, callee };
}

function createScope(
  known: Pick<ConvertScope, "conversions" | "needs" | "name" | "keys">,
  callee: ConvertWriter["callee"],
): ConvertScope {
  const { conversions } = known;
  const uses = new Set<string>();
  const calls = new Set<string>();
  const constants: string[] = [];
  const use = (name: string): string => {
    uses.add(name);
    return name;
  };
  const find = (difference: Difference | undefined): string | undefined => {
    const name = callee(difference);
    if (name !== undefined) calls.add(name);
    return name;
  };
  const scope: ConvertScope = {
    ...known,
    uses,
    calls,
    constants,
    use,
    declare: (constant) => void constants.push(constant),
    expression(difference, expression) {
      if (difference?.kind === "array") return scope.each("mapItems", difference.items, expression);
      if (difference?.kind === "shape" && !isRejected(scope, difference))
        return scope.expression(difference.inner, shapeExpression(scope, difference.change, expression));
      const name = find(difference);
      return name === undefined ? expression : `${name}(${expression}, ${use("loss")})`;
    },
    each(helper, difference, expression) {
      const name = find(difference);
      return name === undefined ? expression : `${use(helper)}(${expression}, ${name}, ${use("loss")})`;
    },
    rejection: (change) => `throw new ${use("ConversionError")}(${rejectionText(change, conversions.ruleOf(change))});`,
    apply: (rule, { value, type, member }) => {
      const { lossless, works } = conversionRules[rule];
      const place = works === "content" ? { type, member } : type;
      const report = lossless ? "" : `, ${JSON.stringify(place)}, ${use("loss")}`;
      return `${use(ruleFunction(rule))}(${value}${report})`;
    },
  };
  return scope;
}

function rejectionText({ kind, type, member }: Change, { name, reason }: FoundRule): string {
  const place = kind === "option" ? { type: name, reason } : { type, member, reason };
  const fields = Object.entries(place).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${JSON.stringify(value)}`],
  );
  return `{ ${fields.join(", ")}, revision }`;
}

function conversionText(scope: ConvertScope, difference: WholeDifference): string {
  if (difference.kind === "object") return objectConversion(scope, difference);
  if (difference.kind === "union") return unionConversion(scope, difference);
  if (difference.kind === "shape" && isRejected(scope, difference)) return rejectingConversion(scope, difference);
  return `return ${scope.expression(difference, "v")};`;
}

function isRejected({ conversions }: ConvertScope, { change }: ShapeDifference): boolean {
  return conversions.ruleOf(change).rule === "error";
}

/** Rejects values of a kind this revision does not have here. */
function rejectingConversion(scope: ConvertScope, { change, own, inner }: ShapeDifference): string {
  const tests = own.flatMap((outline) => otherKindTest(scope, outline) ?? []);
  if (tests.length < own.length)
    throw createRuleError(scope, `other values of ${change.type} cannot be distinguished; use another rule than error`);
  const rejection = `if (${["v !== undefined", ...tests].join(" && ")}) ${scope.rejection(change)}`;
  return `${rejection}\nreturn ${scope.expression(inner, "v")};`;
}

function otherKindTest(scope: ConvertScope, { kind, plain }: Outline): string | undefined {
  if (kind === "object") return `!${scope.use("isObject")}(v)`;
  if (kind === "array") return "!Array.isArray(v)";
  if (plain?.kind === "value") return `v !== ${JSON.stringify(plain.value)}`;
  if (plain?.integer) return "!Number.isInteger(v)";
  return plain && `typeof v !== "${plain.type}"`;
}

/** Rules for the surrounding object are applied there, not here. */
function shapeExpression({ conversions, apply }: ConvertScope, change: Change, expression: string): string {
  const { rule } = conversions.ruleOf(change);
  if (conversionRules[rule].works !== "value") return expression;
  return apply(rule, { value: expression, type: change.type });
}

/** Guards and errors come first, then rules on the object as a whole, then removed keys, then conversions of the members. */
function objectConversion(scope: ConvertScope, difference: ObjectDifference): string {
  const { type, changes, members } = difference;
  const rules = objectRules(difference, scope.conversions);
  const tests = [
    ...rules
      .filter((rule) => conversionRules[rule].works === "guard")
      .map((rule) => `if (!${scope.apply(rule, { value: "v", type })}) return undefined;`),
    ...changes
      .filter((change) => scope.conversions.ruleOf(change).rule === "error")
      .map((change) => rejectionLine(scope, change)),
  ];
  const steps: Step[] = [
    ...rules
      .filter((rule) => conversionRules[rule].works === "object")
      .map((rule) => (value: string) => scope.apply(rule, { value, type })),
    ...changes.flatMap((change) => defaultSteps(scope, change)),
    ...keySteps(scope, difference),
    ...members.flatMap((member) => memberSteps(scope, member)),
    ...indexSteps(scope, difference),
  ];
  return [`if (!${scope.use("isObject")}(v)) return v;`, ...tests, ...stepLines(steps)].join("\n");
}

function defaultSteps({ conversions, use }: ConvertScope, change: Change): Step[] {
  const { rule, value } = conversions.ruleOf(change);
  if (rule !== "default") return [];
  const member = JSON.stringify(change.member);
  return [(variable) => `${use("withDefault")}(${variable}, ${member}, ${JSON.stringify(value)})`];
}

/** Returns an expression that creates a new object from the one in a variable. */
type Step = (variable: string) => string;

function stepLines(steps: readonly Step[]): string[] {
  const [first, ...others] = steps;
  if (!first) return ["return v;"];
  const last = others.pop();
  if (!last) return [`return ${first("v")};`];
  const keyword = others.length === 0 ? "const" : "let";
  return [
    `${keyword} out = ${first("v")};`,
    ...others.map((step) => `out = ${step("out")};`),
    `return ${last("out")};`,
  ];
}

function memberSteps(scope: ConvertScope, { name, difference }: ObjectDifference["members"][number]): Step[] {
  if (!scope.needs(difference)) return [];
  return [
    (variable) => {
      const converted = scope.expression(difference, accessText(variable, name));
      return `${scope.use("withMember")}(${variable}, ${JSON.stringify(name)}, ${converted})`;
    },
  ];
}

function indexSteps(scope: ConvertScope, { type, known, index }: ObjectDifference): Step[] {
  if (!index || !scope.needs(index)) return [];
  if (known.length > 0)
    throw createRuleError(scope, `further members of ${type} cannot be converted beside named ones; use the rule keep`);
  return [(value) => scope.each("mapValues", index, value)];
}

function rejectionLine(scope: ConvertScope, change: Change): string {
  const test = change.kind === "missing" ? "===" : "!==";
  return `if (${accessText("v", change.member ?? "")} ${test} undefined) ${scope.rejection(change)}`;
}

/** Declares the keys to remove: all but the known ones of a closed object, only the listed ones of an open one. */
function keySteps(
  { conversions, keys, use, declare }: ConvertScope,
  { type, known, open, changes }: ObjectDifference,
): Step[] {
  const ruleOf = (change: Change): RuleName => conversions.ruleOf(change).rule;
  // The only rule for further keys is `keep`.
  const isOpen = open || changes.some(({ kind }) => kind === "open");
  const unknown = changes.filter(({ kind }) => kind === "member");
  const kept = unknown.filter((change) => ruleOf(change) === "keep").map(memberOf);
  const gone = unknown.filter((change) => !["keep", "error"].includes(ruleOf(change)));
  if (gone.length === 0 && (isOpen || unknown.length === kept.length)) return [];
  const silent = gone.filter((change) => ruleOf(change) !== "drop").map(memberOf);
  const fields = [
    `type: ${JSON.stringify(type)}`,
    isOpen ? `gone: ${JSON.stringify(gone.map(memberOf))}` : `known: ${setText([...known, ...kept])}`,
    ...(silent.length > 0 ? [`silent: ${setText(silent)}`] : []),
  ];
  declare(`const ${keys}: ${use(isOpen ? "GoneKeys" : "KnownKeys")} = { ${fields.join(", ")} };`);
  return [(value) => `${use(isOpen ? "dropGone" : "keepKnown")}(${value}, ${keys}, ${use("loss")})`];
}

function setText(names: readonly string[]): string {
  return `new Set(${JSON.stringify(names)})`;
}

function memberOf({ member = "" }: Change): string {
  return member;
}

function typeOf(difference: Difference): string {
  switch (difference.kind) {
    case "array":
      return `${typeOf(difference.items)}[]`;
    case "shape":
      return difference.change.type;
    case "recursive": {
      const whole = difference.whole();
      return whole ? typeOf(whole) : "";
    }
    default:
      return difference.type;
  }
}

/** Converts a place to a name: `CallToolRequest.result` becomes `CallToolRequestResult`. */
function placeName(type: string): string {
  return type.replace("[]", "Array").split(".").map(pascal).join("");
}
