/** Side of a tool described by a schema. */
export type Side = "input" | "output";

/**
 * Rejects values written in place of a schema by habit from other libraries.
 *
 * @throws {Error} when the value is not a usable schema; the message names the remedy
 */
export function checkSchema(schema: unknown, side: Side): void {
  const problem = findProblem(schema);
  if (problem !== undefined) throw new Error(`its ${side} ${problem}`);
}

function findProblem(schema: unknown): string | undefined {
  if (!hasMembers(schema)) return noSchema;
  const standard = schema["~standard"];
  if (hasMembers(standard)) return hasMembers(standard.jsonSchema) ? undefined : findUnwritable(standard.vendor);
  if (isZod3(schema)) return zod3;
  if (isJsonSchema(schema)) return "is plain JSON Schema; wrap it in fromJsonSchema(schema, { validate })";
  return Object.values(schema).every(isSchema) ? "is an object of schemas; wrap it in z.object({ ... })" : noSchema;
}

const noSchema = "is not a schema; use zod 4, valibot, arktype or fromJsonSchema(schema, { validate })";
const zod3 = "schema is from zod 3; update zod to version 4";

/** Returns the problem of a library with validation, but without a way to write its schemas as JSON Schema. */
function findUnwritable(vendor: unknown): string {
  if (vendor === "zod") return zod3;
  if (vendor === "valibot")
    return "schema has no JSON Schema; wrap it in toStandardJsonSchema of @valibot/to-json-schema";
  return `schema of ${JSON.stringify(vendor)} has no JSON Schema; use a version or library with Standard JSON Schema`;
}

function isSchema(value: unknown): boolean {
  return hasMembers(value) && (hasMembers(value["~standard"]) || isZod3(value));
}

/** True for a schema of zod 3. Versions before 3.24 do not implement Standard Schema. */
function isZod3(value: Readonly<Record<string, unknown>>): boolean {
  return hasMembers(value._def) && typeof value.safeParse === "function";
}

function isJsonSchema({
  type,
  $schema,
  $ref,
  properties,
  anyOf,
  oneOf,
  allOf,
}: Readonly<Record<string, unknown>>): boolean {
  const isTyped =
    typeof type === "string" || Array.isArray(type) || typeof $schema === "string" || typeof $ref === "string";
  const isDescribed = hasMembers(properties) && !isSchema(properties);
  return isTyped || isDescribed || [anyOf, oneOf, allOf].some(Array.isArray);
}

/** True if a value has members. Schemas of some libraries are functions. */
function hasMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
