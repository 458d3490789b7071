import type { Constraint, Declaration, ObjectShape, Property, Shape } from "../model.ts";
import { escapeKey } from "../../runtime/internal/json-pointer.ts";
import { findRecursive, resolveConstraints, resolveObject, type Declared } from "../model/resolve.ts";
import { isAnyString, referencesIn, shapeKey } from "../model/shapes.ts";
import { conditionOf, lengthText, type SupportName } from "./check-condition.ts";
import { unionBody, type CheckScope } from "./check-union.ts";
import { accessText } from "./type-text.ts";
import { capitalize } from "../internal/text.ts";

/** Check function in the generated code. */
export interface CheckFunction {
  readonly name: string;
  /** Parameters and body, to be written after `function name`. */
  readonly text: string;
  /** Names of the checks called by the function. */
  readonly calls: readonly string[];
  /** Names of the support module the function uses. */
  readonly support: readonly SupportName[];
}

/** Emits the checks of one revision and remembers the helper of each anonymous shape. */
export interface CheckWriter {
  /** Returns the check of a declaration, followed by the helpers it is the first to need. */
  writeDeclaration(declaration: Declaration): CheckFunction[];
  /** Returns the check of an anonymous shape, for calls from outside this file. */
  writeShape(shape: Shape, place: string): { readonly name: string; readonly functions: readonly CheckFunction[] };
}

/** Creates the writer of one revision. It returns functions in the order in which they should appear in the file. */
export function createCheckWriter(model: Declared): CheckWriter {
  const recursive = findRecursive(model);
  const origins = originsOf(model);
  const helpers = new Map<string, string>();
  // Inherited properties have the same shape in many declarations.
  const named = new Map<Shape, string>();
  const taken = new Set(model.declarations.map(({ name }) => `check${name}`));
  const pending: CheckFunction[] = [];

  const isDeep = (shape: Shape): boolean => referencesIn(shape).some((name) => recursive.has(name));

  const nameOf = (shape: Shape, place: string): string => {
    if (shape.kind === "reference") return `check${shape.name}`;
    const name = named.get(shape) ?? findHelper(shape, place);
    named.set(shape, name);
    return name;
  };

  const findHelper = (shape: Shape, place: string): string => {
    const key = shapeKey(shape);
    const known = helpers.get(key);
    if (known !== undefined) return known;
    const name = freeName(helperName(shape, place), taken);
    helpers.set(key, name);
    const at = pending.length;
    const helper = writeCheck(name, shape, createScope(place, isDeep(shape)));
    pending.splice(at, 0, helper);
    return name;
  };

  const createScope = (place: string, countsDepth: boolean): CheckScope => {
    const calls = new Set<string>();
    const support = new Set<SupportName>();
    const callOn = (value: { readonly text: string; readonly depth: string }, shape: Shape, inner: string): string => {
      const name = nameOf(shape, inner);
      calls.add(name);
      return countsDepth && isDeep(shape) ? `${name}(${value.text}, ${value.depth})` : `${name}(${value.text})`;
    };
    return {
      model,
      place,
      countsDepth,
      calls,
      support,
      use(name) {
        support.add(name);
        return name;
      },
      condition(shape, expression) {
        const found = conditionOf(shape, expression, model);
        for (const guard of found?.guards ?? []) support.add(guard);
        return found;
      },
      call: (shape, inner) => callOn({ text: "v", depth: "depth" }, shape, inner),
      callPart: (shape, access, inner) => callOn({ text: access, depth: "depth + 1" }, shape, inner),
      originOf: (property) => origins.get(property) ?? place,
    };
  };

  return {
    writeDeclaration(declaration) {
      const { name, kind, shape } = declaration;
      const whole = kind === "interface" ? resolveObject({ kind: "reference", name }, model) : shape;
      const scope = createScope(name, recursive.has(name));
      const check = writeCheck(`check${name}`, whole ?? shape, scope, resolveConstraints(declaration, model));
      return [check, ...pending.splice(0)];
    },
    writeShape(shape, place) {
      return { name: nameOf(shape, place), functions: pending.splice(0) };
    },
  };
}

function writeCheck(
  name: string,
  shape: Shape,
  scope: CheckScope,
  constraints: readonly Constraint[] = [],
): CheckFunction {
  const { calls, support, countsDepth, use } = scope;
  const body = bodyText(scope, shape, constraints);
  const text = countsDepth
    ? `(v: unknown, depth = 0): Issue | undefined {\nif (depth > ${use("maxDepth")}) return ${use("tooDeep")}();\n${body}\n}`
    : `(v: unknown): Issue | undefined {\n${body}\n}`;
  return { name, text, calls: [...calls], support: [...support] };
}

function bodyText(scope: CheckScope, shape: Shape, constraints: readonly Constraint[]): string {
  const condition = scope.condition(shape.kind === "reference" ? { kind: "unknown" } : shape, "v");
  if (condition)
    return `return ${condition.invalid} ? ${scope.use("fail")}(${JSON.stringify(condition.expected)}) : undefined;`;
  switch (shape.kind) {
    case "unknown":
      return `return v === undefined ? ${scope.use("fail")}("any value") : undefined;`;
    case "reference":
      return `return ${scope.call(shape, scope.place)};`;
    case "array":
      return arrayBody(scope, shape);
    case "union":
      return unionBody(scope, shape);
    default: {
      const object = resolveObject(shape, scope.model);
      if (!object)
        throw new Error(
          `No check can be written for the ${shape.kind} in ${scope.place}; extend generator/emit/check-text.ts.`,
        );
      return objectBody(scope, object, constraints);
    }
  }
}

function objectBody(scope: CheckScope, object: ObjectShape, constraints: readonly Constraint[]): string {
  const lines = [`if (!${scope.use("isObject")}(v)) return ${scope.use("fail")}("object");`];
  const issues = new Set<string>();
  for (const property of object.properties) lines.push(...propertyLines(scope, property, issues));
  const { properties, index } = object;
  if (index && index.kind !== "unknown") lines.push(...indexLines(scope, { properties, index }));
  lines.push(...constraints.map((constraint) => constraintLine(scope, constraint)), "return undefined;");
  return lines.join("\n");
}

/** `issues` has the variables of the function so far: different names of properties may give the same variable. */
function propertyLines(scope: CheckScope, property: Property, issues: Set<string>): string[] {
  const { name, shape } = property;
  const access = accessText("v", name);
  const segment = JSON.stringify(escapeKey(name));
  const mayBeAbsent = property.optional || property.absentMeans !== undefined;
  if (shape.kind === "unknown")
    return mayBeAbsent ? [] : [`if (${access} === undefined) return ${scope.use("fail")}("any value", ${segment});`];
  if (shape.kind === "never")
    return [`if (${access} !== undefined) return ${scope.use("fail")}("no value", ${segment});`];
  const condition = scope.condition(shape, access);
  if (condition) {
    const test = condition.invalid.includes("||") && mayBeAbsent ? `(${condition.invalid})` : condition.invalid;
    const guard = mayBeAbsent ? `${access} !== undefined && ` : "";
    return [`if (${guard}${test}) return ${scope.use("fail")}(${JSON.stringify(condition.expected)}, ${segment});`];
  }
  const word = pascal(name);
  const issue = freeName(`${/^\d/.test(word) ? "_" : ""}${lowerFirst(word)}Issue`, issues);
  const call = scope.callPart(shape, access, scope.originOf(property) + word);
  const guarded = mayBeAbsent ? `${access} === undefined ? undefined : ${call}` : call;
  return [`const ${issue} = ${guarded};`, `if (${issue}) return ${scope.use("under")}(${segment}, ${issue});`];
}

type Indexed = Pick<ObjectShape, "properties"> & { readonly index: Shape };

function indexLines(scope: CheckScope, { properties, index }: Indexed): string[] {
  const skip = properties.map(({ name }) => `key === ${JSON.stringify(name)}`).join(" || ");
  return [
    // Measured at a third of the cost of Object.keys. Parsed JSON has no inherited keys; with a polluted prototype the check fails closed.
    "for (const key in v) {",
    ...(skip === "" ? [] : [`if (${skip}) continue;`]),
    ...itemLines(scope, index, {
      access: "v[key]",
      segment: `${scope.use("escapeKey")}(key)`,
      place: `${scope.place}Value`,
    }),
    "}",
  ];
}

function arrayBody(scope: CheckScope, shape: Shape & { readonly kind: "array" }): string {
  const { items, prefix = [], minItems = 0 } = shape;
  const maxItems =
    items.kind === "never" ? Math.min(prefix.length, shape.maxItems ?? Infinity) : (shape.maxItems ?? Infinity);
  const lines = [`if (!Array.isArray(v)) return ${scope.use("fail")}("array");`];
  const outside = [
    ...(minItems > 0 ? [`v.length < ${minItems}`] : []),
    ...(maxItems < Infinity ? [`v.length > ${maxItems}`] : []),
  ];
  if (outside.length > 0) {
    const expected = `array of ${lengthText(minItems, maxItems, "item")}`;
    lines.push(`if (${outside.join(" || ")}) return ${scope.use("fail")}("${expected}");`);
  }
  lines.push(...prefix.flatMap((item, at) => listedItemLines(scope, item, { at, isRequired: at < minItems })));
  if (items.kind !== "unknown" && items.kind !== "never") {
    const body = itemLines(scope, items, { access: "v[i]", segment: "i", place: `${scope.place}Item` });
    lines.push(`for (let i = ${prefix.length}; i < v.length; i++) {`, ...body, "}");
  }
  return [...lines, "return undefined;"].join("\n");
}

/** Tests an item of a tuple. */
function listedItemLines(
  scope: CheckScope,
  shape: Shape,
  { at, isRequired }: { readonly at: number; readonly isRequired: boolean },
): string[] {
  if (shape.kind === "unknown") return [];
  const lines = itemLines(scope, shape, { access: `v[${at}]`, segment: `${at}`, place: `${scope.place}Item${at}` });
  return isRequired && lines.length === 1 ? lines : [isRequired ? "{" : `if (v.length > ${at}) {`, ...lines, "}"];
}

function itemLines(
  scope: CheckScope,
  shape: Shape,
  { access, segment, place }: { readonly access: string; readonly segment: string; readonly place: string },
): string[] {
  const condition = scope.condition(shape, access);
  if (condition)
    return [
      `if (${condition.invalid}) return ${scope.use("fail")}(${JSON.stringify(condition.expected)}, ${segment});`,
    ];
  const call = scope.callPart(shape, access, place);
  return [`const issue = ${call};`, `if (issue) return ${scope.use("under")}(${segment}, issue);`];
}

function constraintLine({ use }: CheckScope, { rule, properties }: Constraint): string {
  const quoted = properties.map((name) => JSON.stringify(name));
  if (rule === "atLeastOne") {
    const absent = properties.map((name) => `${accessText("v", name)} === undefined`).join(" && ");
    return `if (${absent}) return ${use("fail")}(${JSON.stringify(`object with ${quoted.join(" or ")}`)});`;
  }
  const present = properties.map((name) => `${accessText("v", name)} !== undefined`).join(" && ");
  return `if (${present}) return ${use("fail")}(${JSON.stringify(`object with only one of ${quoted.join(", ")}`)});`;
}

/** Arrays and maps of named types share one helper. Every other helper is named after its place. */
function helperName(shape: Shape, place: string): string {
  const isPlainArray =
    shape.kind === "array" && !shape.prefix && shape.minItems === undefined && shape.maxItems === undefined;
  if (isPlainArray && shape.items.kind === "reference") return `check${shape.items.name}Array`;
  if (isPlainArray && isAnyString(shape.items)) return "checkStringArray";
  const isMap = shape.kind === "object" && shape.properties.length === 0;
  if (isMap && shape.index?.kind === "reference") return `check${shape.index.name}Map`;
  if (isMap && shape.index && isAnyString(shape.index)) return "checkStringMap";
  if (isMap && shape.index?.kind === "anyObject") return "checkObjectMap";
  return `check${place}`;
}

/** Returns a free name, and takes it: the wanted one, or one with `Value` behind it. */
export function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  while (taken.has(name)) name += "Value";
  taken.add(name);
  return name;
}

/** Returns the declaration in which each property is written: helpers are named after their origin. */
function originsOf(model: Declared): Map<Property, string> {
  const origins = new Map<Property, string>();
  for (const { name, shape } of model.declarations) {
    if (shape.kind !== "object") continue;
    for (const property of shape.properties) origins.set(property, name);
  }
  return origins;
}

/** Converts a name to Pascal case: `io.modelcontextprotocol/logLevel` becomes `LogLevel`, `_meta` becomes `Meta`. */
export function pascal(name: string): string {
  return name
    .slice(name.lastIndexOf("/") + 1)
    .split(/[^A-Za-z0-9]/)
    .map(capitalize)
    .join("");
}

/** Returns a name whose first letter is lower case. */
export function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
