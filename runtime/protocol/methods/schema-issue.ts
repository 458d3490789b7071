/** Problem found in a value. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** JSON Schema with an object as its root, as tools need it. */
export interface ObjectSchema {
  readonly type: "object";
  readonly [keyword: string]: unknown;
}

/**
 * Enforces JSON Schemas: returns the problems of a value, or an empty list when there are none. Adapters for validators are such functions, and so is
 * a custom function that knows a single schema.
 *
 * @throws {Error} when the schema itself is unusable
 */
export type JsonSchemaValidator = (value: unknown, schema: ObjectSchema) => readonly SchemaIssue[];

/**
 * Formats issues as one readable line each: `- items[0].name: expected a string`. Libraries report an issue for each wrong item of a list and may
 * quote the input, so the text is limited: the first 20 issues and the number of the others, in 4 KiB at most.
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

/** Bytes of all lines but the last, which has the number of omitted issues. */
const mostBytes = 4_000;

/** Maximum characters of one line. */
const longestLine = 1_000;

/** Maximum number of path keys in a message. */
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
