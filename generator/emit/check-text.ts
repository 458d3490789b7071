import type { Constraint, Declaration, ObjectShape, Property, Shape } from "../model.ts";
import { escapeKey } from "../../runtime/internal/json-pointer.ts";
import { findRecursive, resolveConstraints, resolveObject, type Declared } from "../model/resolve.ts";
import { isAnyString, referencesIn, shapeKey } from "../model/shapes.ts";
import { conditionOf, lengthText, type Condition, type SupportName } from "./check-condition.ts";
import { unionBody, type UnionWriter } from "./check-union.ts";
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
export interface CheckWriter extends UnionWriter {
  /** Returns the check of a declaration, followed by the helpers it is the first to need. */
  writeDeclaration(declaration: Declaration): CheckFunction[];
  /** Returns the check of an anonymous shape, for calls from outside this file. */
  writeShape(shape: Shape, suggestion: string): { readonly name: string; readonly functions: readonly CheckFunction[] };
}

/** Creates the writer of one revision. It returns functions in the order in which they should appear in the file. */
export function createCheckWriter(model: Declared): CheckWriter {
  const recursive = findRecursive(model);
  const origins = originsOf(model);
  const helpers = new Map<string, string>();
  // Inherited properties have the same shape in many declarations.
  const named = new Map<Shape, string>();
  const taken = new Set(model.declarations.map(({ name }) => `check${name}`));
  let pending: CheckFunction[] = [];
  let insideRecursive = false;
  let calls = new Set<string>();
  let support = new Set<SupportName>();

  const isDeep = (shape: Shape): boolean => referencesIn(shape).some((name) => recursive.has(name));

  const callee = (shape: Shape, suggestion: string): string => {
    const name = findName(shape, suggestion);
    calls.add(name);
    return name;
  };

  const findName = (shape: Shape, suggestion: string): string => {
    if (shape.kind === "reference") return `check${shape.name}`;
    const name = named.get(shape) ?? findHelper(shape, suggestion);
    named.set(shape, name);
    return name;
  };

  const findHelper = (shape: Shape, suggestion: string): string => {
    const key = shapeKey(shape);
    const known = helpers.get(key);
    if (known !== undefined) return known;
    const name = freeName(helperName(shape, suggestion), taken);
    helpers.set(key, name);
    const slot = pending.length;
    pending.push({ name, text: "", calls: [], support: [] });
    pending[slot] = { name, ...writeBody(shape, suggestion, isDeep(shape)) };
    return name;
  };

  const use = (name: SupportName): SupportName => {
    support.add(name);
    return name;
  };

  const condition = (shape: Shape, expression: string): Condition | undefined => {
    const found = conditionOf(shape, expression, model);
    for (const guard of found?.guards ?? []) support.add(guard);
    return found;
  };

  const call = (shape: Shape, expression: string, suggestion: string): string => {
    const isInside = expression !== "v";
    const depth = insideRecursive && isDeep(shape) ? `, depth${isInside ? " + 1" : ""}` : "";
    return `${callee(shape, suggestion)}(${expression}${depth})`;
  };

  const writeBody = (
    shape: Shape,
    suggestion: string,
    deep: boolean,
    constraints: readonly Constraint[] = [],
  ): Omit<CheckFunction, "name"> => {
    const outer = { insideRecursive, calls, support };
    insideRecursive = deep;
    calls = new Set();
    support = new Set();
    const body = bodyText({ writer, shape, suggestion, origins, constraints });
    const text = deep
      ? `(v: unknown, depth = 0): Issue | undefined {\nif (depth > ${use("maxDepth")}) return ${use("tooDeep")}();\n${body}\n}`
      : `(v: unknown): Issue | undefined {\n${body}\n}`;
    const written = { text, calls: [...calls], support: [...support] };
    ({ insideRecursive, calls, support } = outer);
    return written;
  };

  const flush = (): CheckFunction[] => {
    const written = pending;
    pending = [];
    return written;
  };

  const writer: CheckWriter = {
    model,
    use,
    condition,
    call,
    writeDeclaration(declaration) {
      const { name, kind, shape } = declaration;
      const whole = kind === "interface" ? resolveObject({ kind: "reference", name }, model) : shape;
      const written = writeBody(whole ?? shape, name, recursive.has(name), resolveConstraints(declaration, model));
      return [{ name: `check${name}`, ...written }, ...flush()];
    },
    writeShape(shape, suggestion) {
      return { name: callee(shape, suggestion), functions: flush() };
    },
  };
  return writer;
}

/** Input for the body of one check. */
interface BodyRequest {
  readonly writer: CheckWriter;
  readonly shape: Shape;
  readonly suggestion: string;
  readonly origins: ReadonlyMap<Property, string>;
  readonly constraints: readonly Constraint[];
}

function bodyText(request: BodyRequest): string {
  const { writer, shape, suggestion } = request;
  const condition = writer.condition(shape.kind === "reference" ? { kind: "unknown" } : shape, "v");
  if (condition)
    return `return ${condition.invalid} ? ${writer.use("fail")}(${JSON.stringify(condition.expected)}) : undefined;`;
  switch (shape.kind) {
    case "unknown":
      return `return v === undefined ? ${writer.use("fail")}("any value") : undefined;`;
    case "reference":
      return `return ${writer.call(shape, "v", suggestion)};`;
    case "array":
      return arrayBody(writer, shape, suggestion);
    case "union":
      return unionBody(writer, shape, suggestion);
    default: {
      const object = resolveObject(shape, writer.model);
      if (!object)
        throw new Error(
          `No check can be written for the ${shape.kind} in ${suggestion}; extend generator/emit/check-text.ts.`,
        );
      return objectBody(request, object);
    }
  }
}

function objectBody({ writer, suggestion, origins, constraints }: BodyRequest, object: ObjectShape): string {
  const lines = [`if (!${writer.use("isObject")}(v)) return ${writer.use("fail")}("object");`];
  const issues = new Set<string>();
  for (const property of object.properties) {
    lines.push(...propertyLines(writer, property, { origin: origins.get(property) ?? suggestion, issues }));
  }
  const { properties, index } = object;
  if (index && index.kind !== "unknown") lines.push(...indexLines(writer, { properties, index }, suggestion));
  lines.push(...constraints.map((constraint) => constraintLine(writer, constraint)), "return undefined;");
  return lines.join("\n");
}

/** `issues` has the variables of the function so far: different names of properties may give the same variable. */
function propertyLines(
  writer: CheckWriter,
  property: Property,
  { origin, issues }: { readonly origin: string; readonly issues: Set<string> },
): string[] {
  const { name, shape } = property;
  const access = accessText("v", name);
  const segment = JSON.stringify(escapeKey(name));
  const mayBeAbsent = property.optional || property.absentMeans !== undefined;
  if (shape.kind === "unknown")
    return mayBeAbsent ? [] : [`if (${access} === undefined) return ${writer.use("fail")}("any value", ${segment});`];
  if (shape.kind === "never")
    return [`if (${access} !== undefined) return ${writer.use("fail")}("no value", ${segment});`];
  const condition = writer.condition(shape, access);
  if (condition) {
    const test = condition.invalid.includes("||") && mayBeAbsent ? `(${condition.invalid})` : condition.invalid;
    const guard = mayBeAbsent ? `${access} !== undefined && ` : "";
    return [`if (${guard}${test}) return ${writer.use("fail")}(${JSON.stringify(condition.expected)}, ${segment});`];
  }
  const word = pascal(name);
  const issue = freeName(`${/^\d/.test(word) ? "_" : ""}${lowerFirst(word)}Issue`, issues);
  const call = writer.call(shape, access, origin + word);
  const guarded = mayBeAbsent ? `${access} === undefined ? undefined : ${call}` : call;
  return [`const ${issue} = ${guarded};`, `if (${issue}) return ${writer.use("under")}(${segment}, ${issue});`];
}

type Indexed = Pick<ObjectShape, "properties"> & { readonly index: Shape };

function indexLines(writer: CheckWriter, { properties, index }: Indexed, suggestion: string): string[] {
  const skip = properties.map(({ name }) => `key === ${JSON.stringify(name)}`).join(" || ");
  return [
    // Measured at a third of the cost of Object.keys. Parsed JSON has no inherited keys; with a polluted prototype the check fails closed.
    "for (const key in v) {",
    ...(skip === "" ? [] : [`if (${skip}) continue;`]),
    ...itemLines(writer, index, {
      access: "v[key]",
      segment: `${writer.use("escapeKey")}(key)`,
      suggestion: `${suggestion}Value`,
    }),
    "}",
  ];
}

function arrayBody(writer: CheckWriter, shape: Shape & { readonly kind: "array" }, suggestion: string): string {
  const { items, prefix = [], minItems = 0 } = shape;
  const maxItems =
    items.kind === "never" ? Math.min(prefix.length, shape.maxItems ?? Infinity) : (shape.maxItems ?? Infinity);
  const lines = [`if (!Array.isArray(v)) return ${writer.use("fail")}("array");`];
  const outside = [
    ...(minItems > 0 ? [`v.length < ${minItems}`] : []),
    ...(maxItems < Infinity ? [`v.length > ${maxItems}`] : []),
  ];
  if (outside.length > 0) {
    const expected = `array of ${lengthText(minItems, maxItems, "item")}`;
    lines.push(`if (${outside.join(" || ")}) return ${writer.use("fail")}("${expected}");`);
  }
  lines.push(
    ...prefix.flatMap((item, at) => listedItemLines(writer, item, { at, suggestion, isRequired: at < minItems })),
  );
  if (items.kind !== "unknown" && items.kind !== "never") {
    const body = itemLines(writer, items, { access: "v[i]", segment: "i", suggestion: `${suggestion}Item` });
    lines.push(`for (let i = ${prefix.length}; i < v.length; i++) {`, ...body, "}");
  }
  return [...lines, "return undefined;"].join("\n");
}

/** Tests an item of a tuple. */
function listedItemLines(
  writer: CheckWriter,
  shape: Shape,
  { at, suggestion, isRequired }: { readonly at: number; readonly suggestion: string; readonly isRequired: boolean },
): string[] {
  if (shape.kind === "unknown") return [];
  const place = { access: `v[${at}]`, segment: `${at}`, suggestion: `${suggestion}Item${at}` };
  const lines = itemLines(writer, shape, place);
  return isRequired && lines.length === 1 ? lines : [isRequired ? "{" : `if (v.length > ${at}) {`, ...lines, "}"];
}

function itemLines(
  writer: CheckWriter,
  shape: Shape,
  place: { access: string; segment: string; suggestion: string },
): string[] {
  const condition = writer.condition(shape, place.access);
  if (condition)
    return [
      `if (${condition.invalid}) return ${writer.use("fail")}(${JSON.stringify(condition.expected)}, ${place.segment});`,
    ];
  const call = writer.call(shape, place.access, place.suggestion);
  return [`const issue = ${call};`, `if (issue) return ${writer.use("under")}(${place.segment}, issue);`];
}

function constraintLine({ use }: CheckWriter, { rule, properties }: Constraint): string {
  const quoted = properties.map((name) => JSON.stringify(name));
  if (rule === "atLeastOne") {
    const absent = properties.map((name) => `${accessText("v", name)} === undefined`).join(" && ");
    return `if (${absent}) return ${use("fail")}(${JSON.stringify(`object with ${quoted.join(" or ")}`)});`;
  }
  const present = properties.map((name) => `${accessText("v", name)} !== undefined`).join(" && ");
  return `if (${present}) return ${use("fail")}(${JSON.stringify(`object with only one of ${quoted.join(", ")}`)});`;
}

/** Arrays and maps of named types share one helper. Every other helper is named after its place. */
function helperName(shape: Shape, suggestion: string): string {
  const isPlainArray =
    shape.kind === "array" && !shape.prefix && shape.minItems === undefined && shape.maxItems === undefined;
  if (isPlainArray && shape.items.kind === "reference") return `check${shape.items.name}Array`;
  if (isPlainArray && isAnyString(shape.items)) return "checkStringArray";
  const isMap = shape.kind === "object" && shape.properties.length === 0;
  if (isMap && shape.index?.kind === "reference") return `check${shape.index.name}Map`;
  if (isMap && shape.index && isAnyString(shape.index)) return "checkStringMap";
  if (isMap && shape.index?.kind === "anyObject") return "checkObjectMap";
  return `check${suggestion}`;
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

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
