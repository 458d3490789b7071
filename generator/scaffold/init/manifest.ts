import { ts } from "../../read/syntax.ts";
import { UserError } from "../../internal/user-error.ts";
import { isRecord } from "../../internal/json-text.ts";

/** Members to add to a `package.json`, by section. */
export type ManifestAdditions = { readonly [Section in (typeof sections)[number]]: Readonly<Record<string, string>> };

/** Parts of a `package.json` that matter for an addition. */
export interface Manifest {
  readonly name: string | undefined;
  readonly main: string | undefined;
  /** True if `.js` files are ES modules. */
  readonly isModule: boolean;
  readonly hasWorkspaces: boolean;
  readonly scripts: Readonly<Record<string, string>>;
  /** Version ranges of all kinds of dependencies, by package. */
  readonly packages: Readonly<Record<string, string>>;
}

/** Reads a `package.json`. @throws {UserError} when it is no JSON object. */
export function readManifest(text: string, path: string): Manifest {
  const value = parseManifest(text, path);
  const optional = (key: string): string | undefined => {
    const found = value[key];
    return typeof found === "string" ? found : undefined;
  };
  const kinds = ["optionalDependencies", "peerDependencies", "devDependencies", "dependencies"];
  return {
    name: optional("name"),
    main: optional("main"),
    isModule: value.type === "module",
    hasWorkspaces: value.workspaces !== undefined,
    scripts: textsOf(value.scripts),
    packages: Object.assign({}, ...kinds.map((kind) => textsOf(value[kind]))),
  };
}

/** Parses a `package.json`, which may begin with a byte order mark. @throws {UserError} when it is no JSON object. */
export function parseManifest(text: string, path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text.replace(byteOrderMark, ""));
    if (isRecord(value)) return value;
  } catch (error) {
    throw new UserError(`${path} is not valid JSON; correct it first.`, { cause: error });
  }
  throw new UserError(`${path} is not a JSON object; correct it first.`);
}

/** Byte order mark, written by some editors at the beginning of a file. */
const byteOrderMark = /^\uFEFF/;

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/**
 * Adds members to a `package.json`. All other text stays, with its indentation, line endings and order. Existing members stay as they are. Packages
 * are added at their place in the alphabet, scripts at the end.
 */
export function addToManifest(text: string, additions: Partial<ManifestAdditions>): string {
  return sections.reduce((edited, section) => addToSection(edited, section, additions[section] ?? {}), text);
}

const sections = ["scripts", "dependencies", "devDependencies"] as const;

function addToSection(text: string, section: string, members: Readonly<Record<string, string>>): string {
  const root = parseObject(text);
  const layout = readLayout(text, root);
  const found = propertiesOf(root).find(({ name }) => name === section);
  if (!found) {
    const lines = Object.entries(members).map(([key, value]) => `${layout.indent.repeat(2)}${toMember(key, value)}`);
    if (lines.length === 0) return text;
    const body = lines.join(`,${layout.newline}`);
    const member = `"${section}": {${layout.newline}${body}${layout.newline}${layout.indent}}`;
    return insertMember(text, root, { member, before: undefined, layout, depth: 1 });
  }
  if (!ts.isObjectLiteralExpression(found.value))
    throw new UserError(`"${section}" of package.json is not an object; correct it first.`);
  const [entry, ...rest] = Object.entries(members).filter(([key]) => !keysOf(found.value).includes(key));
  if (!entry) return text;
  const [key, value] = entry;
  const before = section === "scripts" ? undefined : keysOf(found.value).find((other) => other > key);
  const edited = insertMember(text, found.value, { member: toMember(key, value), before, layout, depth: 2 });
  return addToSection(edited, section, Object.fromEntries(rest));
}

interface Layout {
  readonly indent: string;
  readonly newline: string;
}

interface Insertion {
  readonly member: string;
  /** Key of the member after it. Absent: it becomes the last one. */
  readonly before: string | undefined;
  readonly layout: Layout;
  /** Number of objects around the member. */
  readonly depth: number;
}

function insertMember(text: string, object: ts.ObjectLiteralExpression, insertion: Insertion): string {
  const { member, before, layout, depth } = insertion;
  const line = `${layout.newline}${layout.indent.repeat(depth)}`;
  const next = before === undefined ? undefined : propertiesOf(object).find(({ name }) => name === before);
  if (next) return splice(text, next.start, `${member},${line}`);
  const last = propertiesOf(object).at(-1);
  if (last) return splice(text, last.end, `,${line}${member}`);
  const end = object.getEnd() - 1;
  const inside = object.getStart() + 1;
  const closing = `${layout.newline}${layout.indent.repeat(depth - 1)}`;
  return `${text.slice(0, inside)}${line}${member}${closing}${text.slice(end)}`;
}

function splice(text: string, at: number, inserted: string): string {
  return text.slice(0, at) + inserted + text.slice(at);
}

function toMember(key: string, value: string): string {
  return `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
}

function parseObject(text: string): ts.ObjectLiteralExpression {
  const file = ts.createSourceFile("package.json", text, ts.ScriptTarget.JSON, true, ts.ScriptKind.JSON);
  const [statement] = file.statements;
  if (statement && ts.isExpressionStatement(statement) && ts.isObjectLiteralExpression(statement.expression))
    return statement.expression;
  throw new UserError("package.json is not a JSON object; correct it first.");
}

interface Property {
  readonly name: string;
  readonly value: ts.Expression;
  readonly start: number;
  readonly end: number;
}

function propertiesOf(object: ts.ObjectLiteralExpression): readonly Property[] {
  return object.properties.flatMap((property) => {
    if (!ts.isPropertyAssignment(property) || !ts.isStringLiteral(property.name)) return [];
    const { name, initializer: value } = property;
    return [{ name: name.text, value, start: property.getStart(), end: property.getEnd() }];
  });
}

function keysOf(value: ts.Expression): readonly string[] {
  return ts.isObjectLiteralExpression(value) ? propertiesOf(value).map(({ name }) => name) : [];
}

function readLayout(text: string, root: ts.ObjectLiteralExpression): Layout {
  const [first] = propertiesOf(root);
  const [, indent] = /\n([ \t]+)$/.exec(text.slice(0, first?.start ?? 0)) ?? [];
  return { indent: indent ?? "  ", newline: text.includes("\r\n") ? "\r\n" : "\n" };
}
