import { isObject } from "../../../generated/support.ts";
import { SetupError } from "../../jsonrpc/errors.ts";

/** Environment variable read by a server as a setting. */
export interface SettingVariable {
  readonly name: string;
  /** Type of the value. The items of an `array` are separated by commas. */
  readonly type: SettingType;
  readonly description?: string;
  /** True if the server does not start without it. */
  readonly isRequired: boolean;
  /** True if the value must not appear in logs and shared files: `writeOnly` or the format `password` in the schema. */
  readonly isSecret: boolean;
  /** Value without the variable, as text. */
  readonly default?: string;
  /** Permitted values. Default: any. */
  readonly choices?: readonly string[];
}

/** Types for the conversion of a variable's text. */
export type SettingType = "string" | "number" | "integer" | "boolean" | "array";

/**
 * Returns the variables described by the properties of an object schema.
 *
 * @throws {SetupError} when a property cannot be read from an environment variable
 */
export function toVariables(schema: Readonly<Record<string, unknown>>): readonly SettingVariable[] {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return properties.map(([name, property]) => toVariable(name, { property, isRequired: required.includes(name) }));
}

interface Property {
  readonly property: unknown;
  readonly isRequired: boolean;
}

function toVariable(name: string, { property, isRequired }: Property): SettingVariable {
  if (!/^[A-Za-z]\w*$/.test(name))
    throw new SetupError(`The setting ${JSON.stringify(name)} is not a variable name; use letters, digits and _`);
  if (ownVariables.has(name)) throw new SetupError(`The setting ${name} is read by the transports; rename it`);
  const shape = isObject(property) ? property : {};
  const type = typeOf(shape);
  if (type === undefined)
    throw new SetupError(`The setting ${name} has no simple type; use text, a number, a boolean or a list of these`);
  const isOptional = !isRequired || shape.default !== undefined;
  return {
    name,
    type,
    isRequired: !isOptional,
    isSecret: shape.writeOnly === true || shape.format === "password",
    ...(typeof shape.description === "string" && { description: shape.description }),
    ...(shape.default !== undefined && { default: toText(shape.default) }),
    ...(Array.isArray(shape.enum) && { choices: shape.enum.map(String) }),
  };
}

/** Variables with a meaning for every server over HTTP. */
const ownVariables: ReadonlySet<string> = new Set(["PORT", "HOST", "MCP_HTTP_PORT", "ALLOWED_HOSTS"]);

function typeOf(shape: Readonly<Record<string, unknown>>): SettingType | undefined {
  const { type, items } = shape;
  if (Array.isArray(shape.enum) && shape.enum.every((value) => typeof value === "string")) return "string";
  if (type === "array") return isObject(items) && isPlain(typeOf(items)) ? "array" : undefined;
  return type === "string" || type === "number" || type === "integer" || type === "boolean" ? type : undefined;
}

function isPlain(type: SettingType | undefined): boolean {
  return type !== undefined && type !== "array";
}

function toText(value: unknown): string {
  return Array.isArray(value) ? value.join(",") : String(value);
}

/** Converts the text of a variable to the type of its schema. Any other text stays: the schema reports it. */
export function toValue(text: string, shape: unknown): unknown {
  const { items, ...rest } = isObject(shape) ? shape : {};
  const type = typeOf({ ...rest, items });
  if (type === "array") return splitItems(text).map((item) => toValue(item, items));
  if (type === "boolean") return booleans.get(text.toLowerCase()) ?? text;
  if (type === "number" || type === "integer") return text.trim() === "" ? text : toNumber(text);
  return text;
}

function splitItems(text: string): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

function toNumber(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}
