import { checkNumbers } from "../jsonrpc/check-numbers.ts";
import { unescapeKey } from "../internal/json-pointer.ts";

/** Size limits of a schema. */
export interface SchemaBounds {
  /** Maximum nesting depth. Default 64. */
  readonly maxDepth?: number;
  /** Maximum number of objects and arrays, counted at every level. Default 20,000. */
  readonly maxNodes?: number;
}

/** Dialects supported by the adapters. */
export type Dialect = "draft-07" | "2020-12";

/**
 * Checks the size of a schema, which may come from an untrusted source.
 *
 * @throws {Error} when it is too large to be compiled, or contains a name with a lone surrogate, which libraries cannot encode.
 * @see https://www.rfc-editor.org/rfc/rfc8259#section-9
 */
export function checkBounds(schema: object, { maxDepth = 64, maxNodes = 20_000 }: SchemaBounds): void {
  checkNumbers({ maxDepth, maxNodes });
  let level: object[] = [schema];
  let nodes = 0;
  for (let depth = 0; level.length > 0; depth++) {
    nodes += level.length;
    if (depth > maxDepth) throw new Error(`The JSON Schema is nested deeper than ${maxDepth} levels`);
    if (nodes > maxNodes) throw new Error(`The JSON Schema has more than ${maxNodes} parts`);
    level = level.flatMap((node) => {
      if (Object.keys(node).some((name) => surrogate.test(name)))
        throw new Error("The JSON Schema has a property name that is not valid Unicode; rename the property");
      return Object.values(node).filter(isNode);
    });
  }
}

/**
 * Returns the dialect of a schema from `$schema`; the default is 2020-12.
 *
 * @throws {Error} when the dialect is not supported.
 */
export function readDialect(schema: { readonly $schema?: unknown }): Dialect {
  const { $schema } = schema;
  if ($schema === undefined) return "2020-12";
  const dialect = typeof $schema === "string" ? dialects.get($schema.replace(/#$/, "")) : undefined;
  if (dialect) return dialect;
  throw new Error(`The JSON Schema dialect ${JSON.stringify($schema)} is not supported; use draft-07 or 2020-12`);
}

/** Returns the keys of a JSON Pointer, with array indexes as numbers. */
export function readPointer(pointer: string): readonly (string | number)[] {
  const keys = pointer.split("/").slice(1);
  return keys.map((key) => (/^\d+$/.test(key) ? Number(key) : unescapeKey(key)));
}

/** Lone half of a surrogate pair. */
const surrogate = /\p{Surrogate}/u;

const dialects: ReadonlyMap<string, Dialect> = new Map([
  ["http://json-schema.org/draft-07/schema", "draft-07"],
  ["https://json-schema.org/draft/2020-12/schema", "2020-12"],
]);

function isNode(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
