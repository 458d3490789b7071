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

/**
 * Puts issues into one readable line each: `- items[0].name: expected a string`. Libraries report an issue for each wrong item of a list and may
 * quote what was sent, so the text has a bound: the first 20 issues and the number of the others, in 4 KiB at most.
 */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  const lines: string[] = [];
  let bytes = 0;
  for (const issue of issues.slice(0, mostIssues)) {
    const line = `- ${cut(describePath(issue) + issue.message)}\n`;
    bytes += new TextEncoder().encode(line).length;
    if (bytes > mostBytes) break;
    lines.push(line);
  }
  const rest = issues.length - lines.length;
  return rest > 0 ? `${lines.join("")}- and ${rest} more` : lines.join("").trimEnd();
}

const mostIssues = 20;

/** Bytes of all lines but the last, which has the number of the issues that are left out. */
const mostBytes = 4_000;

/** Characters of one line. */
const longestLine = 1_000;

/** Keys of a path that are shown. */
const longestPath = 64;

function cut(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine)}...` : line;
}

function describePath({ path = [] }: SchemaIssue): string {
  const keys = path.slice(0, longestPath).map((segment) => (typeof segment === "object" ? segment.key : segment));
  if (keys.length === 0) return "";
  const text = keys.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return `${text.startsWith(".") ? text.slice(1) : text}: `;
}
