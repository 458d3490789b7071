import { readFile } from "node:fs/promises";
import { relative, sep } from "node:path";
import { locationOf, parseSource, ts } from "../../read/syntax.ts";
import { SpecError } from "../../internal/spec-error.ts";
import { listSources } from "../update/removed-names.ts";

/** Value that distinguishes a tool, resource or prompt from others of its kind. */
export interface Identity {
  /** Function that creates the definition, such as `defineTool`. */
  readonly definer: string;
  /** Member with the unique value, such as `name`. */
  readonly member: string;
  readonly value: string;
}

/** Finds an existing definition in a project, as `src/server.ts:5`; `undefined` when there is none. Nothing is executed. */
export async function findDefinition(project: string, identity: Identity): Promise<string | undefined> {
  for (const path of await listSources(project)) {
    const text = await readFile(path, "utf8");
    const file = relative(project, path).split(sep).join("/");
    const line = text.includes(identity.value) ? lineOf(file, text, identity) : undefined;
    if (line !== undefined) return `${file}:${line}`;
  }
  return undefined;
}

/** Returns `undefined` for a file that cannot be parsed: the compiler reports it. */
function lineOf(file: string, text: string, identity: Identity): number | undefined {
  try {
    const found = find(parseSource(file, text.replaceAll("\r\n", "\n")), identity);
    return found && locationOf(found).line;
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    return undefined;
  }
}

function find(node: ts.Node, identity: Identity): ts.Node | undefined {
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === identity.definer) {
    const [definition] = node.arguments;
    if (definition && ts.isObjectLiteralExpression(definition) && has(definition, identity)) return node;
  }
  return ts.forEachChild(node, (child) => find(child, identity));
}

function has({ properties }: ts.ObjectLiteralExpression, { member, value }: Identity): boolean {
  return properties.some(
    (one) =>
      ts.isPropertyAssignment(one) &&
      ts.isIdentifier(one.name) &&
      one.name.text === member &&
      ts.isStringLiteralLike(one.initializer) &&
      one.initializer.text === value,
  );
}
