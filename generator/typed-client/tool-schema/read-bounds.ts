import { note, type Reading } from "./reading.ts";
import type { Bounds, SafeSchema } from "./safe-schema.ts";
import { safeLine } from "../../internal/text.ts";

/** Reads the limits of values. Unusable limits are ignored and reported. */
export function readBounds(schema: Record<string, unknown>, path: string, reading: Reading): Bounds {
  const limits: Bounds = Object.fromEntries(numeric.flatMap((key) => readLimit(schema, key, path, reading)));
  return {
    ...limits,
    ...readOldExclusive(schema, limits),
    ...readPattern(schema, path, reading),
    ...readUnique(schema),
  };
}

/** Returns keywords that restrict or describe values beyond their type, as text for a comment. */
export function readNotes(schema: Record<string, unknown>): SafeSchema["notes"] {
  return noted.flatMap((key) => {
    if (!Object.hasOwn(schema, key)) return [];
    const value = schema[key];
    const text = typeof value === "string" && key !== "default" ? value : JSON.stringify(value);
    return [`@${key} ${safeLine(text ?? "", 120)}`];
  });
}

const numeric = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
] as const satisfies readonly (keyof Bounds)[];

const noted = [
  "default",
  "format",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "contentEncoding",
  "contentMediaType",
] as const;

function readLimit(
  schema: Record<string, unknown>,
  key: (typeof numeric)[number],
  path: string,
  reading: Reading,
): [string, number][] {
  const value = schema[key];
  // Before 2019 the exclusive limits were flags beside the others.
  if (value === undefined || (key.startsWith("exclusive") && typeof value === "boolean")) return [];
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  const isUsable = typeof number === "number" && Number.isFinite(number) && (key !== "multipleOf" || number > 0);
  if (isUsable && typeof value === "number") return [[key, number]];
  note(
    reading,
    "corrected",
    `${path}/${key}`,
    `${key} is not a usable number; ${isUsable ? "it is read as one" : "it is ignored"}`,
  );
  return isUsable ? [[key, number]] : [];
}

function readOldExclusive(schema: Record<string, unknown>, { minimum, maximum }: Bounds): Bounds {
  return {
    ...(schema.exclusiveMinimum === true && minimum !== undefined && { exclusiveMinimum: minimum }),
    ...(schema.exclusiveMaximum === true && maximum !== undefined && { exclusiveMaximum: maximum }),
  };
}

function readPattern(schema: Record<string, unknown>, path: string, reading: Reading): Pick<Bounds, "pattern"> {
  const { pattern } = schema;
  if (pattern === undefined) return {};
  if (typeof pattern === "string" && reading.acceptPattern(pattern)) return { pattern };
  const why = "the pattern is invalid or potentially slow, so it is not enforced";
  note(reading, "widened", `${path}/pattern`, why);
  return {};
}

function readUnique({ uniqueItems }: Record<string, unknown>): Pick<Bounds, "uniqueItems"> {
  return uniqueItems === true ? { uniqueItems } : {};
}
