import { Ajv2020, type ErrorObject, type SchemaObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { Location } from "../model.ts";
import type { ExtensionOverlay, Overlay } from "../model/overlay.ts";
import { escapeKey } from "../../runtime/internal/json-pointer.ts";
import { SpecError } from "../internal/spec-error.ts";

/** Text of one overlay. No file is opened, so any text can be checked. */
export interface OverlayFile {
  /** Path of the overlay, for messages only. */
  readonly path: string;
  readonly text: string;
}

/** Number of problems in one message: enough to see a pattern, few enough to read. */
const problemsShown = 3;

/** Compiled schemas by text. Compiling one takes longer than reading all overlays, and most folders have the same. */
const compiled = {
  revisions: new Map<string, ValidateFunction<Overlay>>(),
  extensions: new Map<string, ValidateFunction<ExtensionOverlay>>(),
};

/**
 * Returns a function to read overlays and check them against `schema`, the text of `spec/overlay.schema.json`. The function throws a `SpecError` with
 * the correction when an overlay does not match.
 *
 * @throws {SpecError} when the schema is no JSON object.
 */
export function createOverlayReader(schema: string): (file: OverlayFile) => Overlay {
  const known = compiled.revisions;
  const isValid = known.get(schema) ?? createAjv().compile<Overlay>(parseSchema(overlaySchemaName, schema));
  known.set(schema, isValid);
  return (file) => check(isValid, { ...file, schemaName: overlaySchemaName });
}

/**
 * Returns a function to read overlays of extensions. Their schema refers to the schema of overlays. It throws the same errors as a reader of
 * overlays.
 *
 * @throws {SpecError} when a schema is no JSON object.
 */
export function createExtensionOverlayReader(schemas: ExtensionSchemas): (file: OverlayFile) => ExtensionOverlay {
  const key = JSON.stringify([schemas.schema, schemas.extensionSchema]);
  const isValid = compiled.extensions.get(key) ?? compileExtensionSchema(schemas);
  compiled.extensions.set(key, isValid);
  return (file) => check(isValid, { ...file, schemaName: extensionSchemaName });
}

interface ExtensionSchemas {
  readonly schema: string;
  readonly extensionSchema: string;
}

function compileExtensionSchema({ schema, extensionSchema }: ExtensionSchemas): ValidateFunction<ExtensionOverlay> {
  const ajv = createAjv().addSchema(parseSchema(overlaySchemaName, schema), overlaySchemaName);
  return ajv.compile<ExtensionOverlay>(parseSchema(extensionSchemaName, extensionSchema));
}

const overlaySchemaName = "overlay.schema.json";
const extensionSchemaName = "extension.schema.json";

function createAjv(): Ajv2020 {
  return new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, verbose: true });
}

interface Checked {
  readonly path: string;
  readonly text: string;
  readonly schemaName: string;
}

function check<Value>(isValid: ValidateFunction<Value>, { path, text, schemaName }: Checked): Value {
  const value = parseJson(path, text);
  if (isValid(value)) return value;
  throw toSpecError({ path, text, schemaName }, isValid.errors ?? []);
}

function parseSchema(name: string, text: string): SchemaObject {
  const rules = parseJson(name, text);
  if (isSchema(rules)) return rules;
  throw new SpecError({ file: name, text: "a schema object was expected" });
}

function isSchema(value: unknown): value is SchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The scan comes first. It knows the position of a syntax error, which `JSON.parse` reports only sometimes, and finds duplicate keys. */
function parseJson(path: string, text: string): unknown {
  locateValues(path, text);
  return JSON.parse(text);
}

// Conversion of schema violations to one message.

interface Problem {
  /** JSON pointer of the value to correct. */
  readonly pointer: string;
  readonly expectation: string;
}

function toSpecError({ path, text, schemaName }: Checked, errors: readonly ErrorObject[]): SpecError {
  const places = locateValues(path, text);
  const offsetOf = ({ pointer }: Problem): number => places.get(pointer) ?? 0;
  const problems = errors.filter(isTelling).map(toProblem);
  problems.sort((a, b) => offsetOf(a) - offsetOf(b));
  const lines = problems.slice(0, problemsShown).map((problem) => {
    const { line, column } = toLocation(text, offsetOf(problem));
    return `  ${problem.pointer || "the file"} (${line}:${column}): ${problem.expectation}`;
  });
  const hidden = problems.length - lines.length;
  if (hidden > 0) lines.push(`  and ${hidden} more`);
  const start = problems[0] ? offsetOf(problems[0]) : 0;
  const advice = `Correct it there; ${schemaName} describes every entry.`;
  return new SpecError({
    file: path,
    ...toLocation(text, start),
    text: ["the overlay does not fit its schema", ...lines, advice].join("\n"),
  });
}

/** `if` only repeats the error of its branch, and `propertyNames` describes an invalid name better. */
function isTelling({ keyword, propertyName }: ErrorObject): boolean {
  return keyword !== "if" && (keyword === "propertyNames" || propertyName === undefined);
}

function toProblem({ instancePath, keyword, message, params, parentSchema }: ErrorObject): Problem {
  const at = (pointer: string, expectation: string): Problem => ({ pointer, expectation });
  switch (keyword) {
    case "additionalProperties":
      return at(
        `${instancePath}/${escapeKey(params.additionalProperty)}`,
        `is not a known property; expected one of ${Object.keys(parentSchema?.properties ?? {}).join(", ")}`,
      );
    case "propertyNames":
      return at(`${instancePath}/${escapeKey(params.propertyName)}`, "is not a valid method name");
    case "false schema":
      return at(instancePath, "cannot be combined with `presence`; keep one of them");
    case "required":
      return at(instancePath, `the property \`${params.missingProperty}\` is missing`);
    case "enum":
      return at(instancePath, `expected ${params.allowedValues.join(" or ")}`);
    default:
      return at(instancePath, `${message ?? keyword}${describe(parentSchema?.description)}`);
  }
}

function describe(description: unknown): string {
  return typeof description === "string" ? ` (${description})` : "";
}

// Positions of values in a JSON text.

interface Scan {
  readonly path: string;
  readonly text: string;
  /** Start offset of each value, by JSON pointer. */
  readonly starts: Map<string, number>;
  offset: number;
}

/** Returns the offsets of all values by JSON pointer. Throws a `SpecError` at the first invalid character, and at a duplicate key. */
function locateValues(path: string, text: string): ReadonlyMap<string, number> {
  const scan: Scan = { path, text, starts: new Map(), offset: 0 };
  scanValue(scan, "");
  if (peek(scan) !== "") throw reject(scan, "the end of the file");
  return scan.starts;
}

function scanValue(scan: Scan, pointer: string): void {
  const first = peek(scan);
  scan.starts.set(pointer, scan.offset);
  if (first === "{") return scanList(scan, "}", () => scanMember(scan, pointer));
  if (first === "[") return scanList(scan, "]", (index) => scanValue(scan, `${pointer}/${index}`));
  if (first === '"') return void scanString(scan);
  take(scan, /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y, "a value");
}

function scanList(scan: Scan, end: string, scanEntry: (index: number) => void): void {
  scan.offset += 1;
  if (peek(scan) === end) return void (scan.offset += 1);
  for (let index = 0; ; index += 1) {
    scanEntry(index);
    const next = peek(scan);
    if (next !== "," && next !== end) throw reject(scan, `"," or "${end}"`);
    scan.offset += 1;
    if (next === end) return;
  }
}

function scanMember(scan: Scan, pointer: string): void {
  if (peek(scan) !== '"') throw reject(scan, "a property name in double quotes");
  const start = scan.offset;
  const key = scanString(scan);
  const member = `${pointer}/${escapeKey(key)}`;
  if (scan.starts.has(member)) {
    scan.offset = start;
    throw reject(scan, `another property name: "${key}" is already defined`);
  }
  if (peek(scan) !== ":") throw reject(scan, '":"');
  scan.offset += 1;
  scanValue(scan, member);
}

function scanString(scan: Scan): string {
  return String(JSON.parse(take(scan, /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y, "a string")));
}

/** Returns the next character other than whitespace without consuming it, or an empty string at the end. */
function peek(scan: Scan): string {
  take(scan, /[ \t\r\n]*/y, "");
  return scan.text.charAt(scan.offset);
}

function take(scan: Scan, pattern: RegExp, expected: string): string {
  pattern.lastIndex = scan.offset;
  const found = pattern.exec(scan.text)?.[0];
  if (found === undefined) throw reject(scan, expected);
  scan.offset += found.length;
  return found;
}

function reject(scan: Scan, expected: string): SpecError {
  const found = scan.text.slice(scan.offset, scan.offset + 20).split("\n", 1)[0];
  const instead = scan.offset >= scan.text.length ? "the file ends" : `found ${JSON.stringify(found)}`;
  return new SpecError({
    file: scan.path,
    ...toLocation(scan.text, scan.offset),
    text: `not JSON: expected ${expected}, ${instead}`,
  });
}

function toLocation(text: string, offset: number): Location {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
