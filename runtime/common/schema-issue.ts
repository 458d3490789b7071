/** One thing that is wrong with a value. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A JSON Schema whose root is an object, as tools need it. */
export interface ObjectSchema {
  readonly type: "object";
  readonly [keyword: string]: unknown;
}

/**
 * Enforces JSON Schemas: returns what is wrong with a value, an empty list when nothing is. Adapters over validators are such
 * functions, and so is one of your own that knows a single schema. Throws when the schema itself is of no use.
 */
export type JsonSchemaValidator = (value: unknown, schema: ObjectSchema) => readonly SchemaIssue[];

/** Puts issues into one readable line each: `- items[0].name: expected a string`. */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  return issues.map((issue) => `- ${describePath(issue)}${issue.message}`).join("\n");
}

function describePath(issue: SchemaIssue): string {
  const keys = (issue.path ?? []).map((segment) => (typeof segment === "object" ? segment.key : segment));
  if (keys.length === 0) return "";
  const text = keys.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return `${text.startsWith(".") ? text.slice(1) : text}: `;
}
