import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { toListText } from "../create/layer/entry-view.ts";
import type { Replacement } from "./compiler.ts";

/** Path of the module that replaces the layer in a project that depends on this package. */
export const moduleName = "src/mcp.ts";

/** Reads the text of the module; `undefined` in a project with its own layer. */
export function readModule(project: string): Promise<string | undefined> {
  return readFile(join(project, moduleName), "utf8").catch(() => undefined);
}

/** Returns a replacement of the module by another text. */
export function toReplacement(project: string, text: string): Replacement {
  return { place: join(project, moduleName), texts: new Map([["", text]]) };
}

/** Lines of the module that name revisions. */
export interface ModuleLines {
  readonly imports: string;
  readonly types: string;
  readonly list: string;
}

const named: { readonly [Part in keyof ModuleLines]: RegExp } = {
  imports:
    /^import \{ revision(?: as \w+)?(?:, type Declarations)? \} from "create-mcp-server\/[^"/]+";(?:\r?\n(?=import \{ revision\b))?/gm,
  types: /^export type \* as protocol from "create-mcp-server\/[^"/]+";/gm,
  list: /^export const revisions: readonly Revision\[\] = \[[\w\s,]*\];/gm,
};

/** Returns these lines for other revisions, newest first. */
export function toModuleLines(revisions: readonly string[]): ModuleLines {
  const aliases = revisions.map((id) => ({ id, alias: `revision${id.replaceAll("-", "")}` }));
  const imports = aliases.map(
    ({ id, alias }, at) =>
      `import { revision as ${alias}${at === 0 ? ", type Declarations" : ""} } from "create-mcp-server/${id}";`,
  );
  return {
    imports: imports.join("\n"),
    types: `export type * as protocol from "create-mcp-server/${revisions[0]}";`,
    list: `export const revisions: readonly Revision[] = [${toListText(aliases.map(({ alias }) => alias))}];`,
  };
}

/** Returns the revisions that a module imports, in its order. */
export function readModuleRevisions(text: string): string[] {
  return [...text.matchAll(named.imports)].flatMap(([line]) => /create-mcp-server\/([^"/]+)/.exec(line)?.[1] ?? []);
}

/** Returns the module with other revisions; `undefined` when it was edited, so that the user has to change it. */
export function rewriteModule(text: string, revisions: readonly string[]): string | undefined {
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = toModuleLines(revisions);
  const imported = [...text.matchAll(named.imports)];
  const [first] = imported;
  const block = imported.map(([line]) => line).join("");
  const isWhole = first !== undefined && text.startsWith(block, first.index);
  if (!isWhole || !hasOne(text, named.types) || !hasOne(text, named.list)) return undefined;
  const put = (part: string): string => part.replaceAll("\n", end);
  return text
    .replace(block, put(lines.imports))
    .replace(named.types, put(lines.types))
    .replace(named.list, put(lines.list));
}

function hasOne(text: string, pattern: RegExp): boolean {
  return [...text.matchAll(pattern)].length === 1;
}
