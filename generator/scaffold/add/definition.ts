import { readFile } from "node:fs/promises";
import { relativePath } from "../../internal/files.ts";
import { locationOf, parseSource, ts } from "../../read/syntax.ts";
import { SpecError } from "../../internal/spec-error.ts";
import { listSources } from "../update/removed-names.ts";

/** Value by which a tool, resource or prompt differs from others of its kind. */
export interface Identity {
  /** Function that creates the definition, such as `defineTool`. */
  readonly definer: string;
  /** Member with the unique value, such as `name`. */
  readonly member: string;
  readonly value: string;
}

/** Finds an existing definition in a project, as `src/server.ts:5`; `undefined` when there is none. Nothing is executed. */
export async function findDefinition(project: string, { value, ...identity }: Identity): Promise<string | undefined> {
  return (await findDefinitions(project, { ...identity, values: [value] })).get(value);
}

/** Values to find among the definitions of a project. */
export interface Identities extends Omit<Identity, "value"> {
  readonly values: readonly string[];
  /** Files to skip, with forward slashes. Default: none. */
  readonly skipped?: ReadonlySet<string>;
}

/** Finds existing definitions in a project: their places, by value. Nothing is executed. */
export async function findDefinitions(
  project: string,
  { values, skipped, ...identity }: Identities,
): Promise<ReadonlyMap<string, string>> {
  const places = new Map<string, string>();
  for (const path of await listSources(project)) {
    const file = relativePath(project, path);
    if (skipped?.has(file)) continue;
    const text = await readFile(path, "utf8");
    const possible = values.filter((value) => !places.has(value) && text.includes(value));
    if (possible.length === 0) continue;
    for (const [value, line] of listDefinitions(file, text, identity))
      if (possible.includes(value) && !places.has(value)) places.set(value, `${file}:${line}`);
  }
  return places;
}

/** Lists the values in a file, with their lines. Returns none for a file with syntax errors: the compiler reports it. */
function listDefinitions(file: string, text: string, identity: Omit<Identity, "value">): [string, number][] {
  const found: [string, number][] = [];
  const visit = (node: ts.Node): void => {
    const value = valueOf(node, identity);
    if (value !== undefined) found.push([value, locationOf(node).line]);
    ts.forEachChild(node, visit);
  };
  try {
    visit(parseSource(file, text.replaceAll("\r\n", "\n")));
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
  }
  return found;
}

/** Returns the value of a definition; `undefined` for other nodes. */
function valueOf(node: ts.Node, { definer, member }: Omit<Identity, "value">): string | undefined {
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression) || node.expression.text !== definer)
    return undefined;
  return textMember(node.arguments[0], member);
}

/** Returns the text of a member in an object literal; `undefined` when there is none. */
export function textMember(object: ts.Node | undefined, member: string): string | undefined {
  if (!object || !ts.isObjectLiteralExpression(object)) return undefined;
  for (const one of object.properties) {
    const isMember = ts.isPropertyAssignment(one) && ts.isIdentifier(one.name) && one.name.text === member;
    if (isMember && ts.isStringLiteralLike(one.initializer)) return one.initializer.text;
  }
  return undefined;
}
