import { readFile } from "node:fs/promises";
import { basename, posix } from "node:path";
import { relativePath } from "../../internal/files.ts";
import { locationOf, parseSource, ts } from "../../read/syntax.ts";
import { SpecError } from "../../internal/spec-error.ts";
import { UserError } from "../../internal/user-error.ts";
import { listSources } from "../update/removed-names.ts";
import type { Addition } from "./addition.ts";
import { textMember } from "./definition.ts";
import { findModulePaths, findTexts, findUses, importOf, takesName, unregister } from "./unregister.ts";

/** Changes to remove a definition from a project. Paths are relative to it, with forward slashes. */
export interface RemovalPlan {
  /** Name of the definition. */
  readonly name: string;
  /** New texts of files; `undefined` removes the file. */
  readonly files: ReadonlyMap<string, string | undefined>;
  /** Other lines with the name, such as `src/server.ts:12`. */
  readonly mentions: readonly string[];
}

const definers: { readonly [Kind in Addition]: readonly string[] } = {
  tool: ["defineTool"],
  resource: ["defineResource", "defineResourceTemplate", "createUiResource"],
  prompt: ["definePrompt"],
};

interface Source {
  readonly path: string;
  readonly text: string;
  readonly file: ts.SourceFile;
}

/**
 * Plans the removal of a tool, a resource or a prompt. Writes nothing.
 *
 * @throws {UserError} when there is no such definition, when other code uses it, or when a module cannot be parsed.
 */
export async function planRemoval(project: string, kind: Addition, name: string): Promise<RemovalPlan> {
  const sources = await readSources(project);
  const found = sources.flatMap((source) => definitionsIn(source, kind).map((one) => ({ ...one, source })));
  const wanted = wordsOf(name);
  const definition = found.find((one) => wordsOf(one.name) === wanted);
  const test = `test/${wanted}-${kind}.test.ts`;
  const isTested = sources.some(({ path }) => path === test);
  if (!definition) rejectMention(sources, name);
  // The definition was removed by hand: its test is left.
  if (!definition && isTested) return { name, files: new Map([[test, undefined]]), mentions: [] };
  if (!definition) throw new UserError(absence(kind, name, found));
  const { variable, source } = definition;
  const users = sources.filter((one) => one === source || imports(one, source, variable));
  const files = new Map<string, string | undefined>();
  for (const { path, text } of users) {
    const rest = unregister(path, text, variable);
    rejectUse(path, rest, variable);
    files.set(path, rest);
  }
  const rest = files.get(source.path) ?? "";
  if (isEmpty(source.path, rest) || (isOfTypes(source.path, rest) && !isTaken(sources, source, files)))
    files.set(source.path, undefined);
  if (isTested) files.set(test, undefined);
  rejectReference(sources, { definition, files });
  const texts = sources.map(({ path, text }) => ({ path, text: files.has(path) ? files.get(path) : text }));
  return { name: definition.name, files, mentions: mentionsIn(texts, definition.name) };
}

/** Reads the modules in `src/` and `test/`. A module with syntax errors is an error: it may have the definition, or a use of it. */
async function readSources(project: string): Promise<readonly Source[]> {
  const sources: Source[] = [];
  for (const place of await listSources(project)) {
    const path = relativePath(project, place);
    const text = await readFile(place, "utf8");
    try {
      sources.push({ path, text, file: parseSource(path, text) });
    } catch (error) {
      if (!(error instanceof SpecError)) throw error;
      throw new UserError(`${error.message}; correct the file, then remove again.`, { cause: error });
    }
  }
  return sources;
}

interface Definition {
  readonly name: string;
  readonly variable: string;
}

/** Finds constants at the top of a module, created by a definer of this kind. */
function definitionsIn({ file }: Source, kind: Addition): readonly Definition[] {
  return file.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) =>
    declarationList.declarations.flatMap(({ name: variable, initializer }) => {
      if (!ts.isIdentifier(variable) || !initializer || !ts.isCallExpression(initializer)) return [];
      const { expression, arguments: given } = initializer;
      if (!ts.isIdentifier(expression) || !definers[kind].includes(expression.text)) return [];
      const name = textMember(given[0], "name");
      return name === undefined ? [] : [{ name, variable: variable.text }];
    }),
  );
}

/** Rejects a removal if a module has the name as a text: what has no constant of its own, such as a tool of a factory, is still registered. */
function rejectMention(sources: readonly Source[], name: string): void {
  for (const { path, file } of sources) {
    const [mention] = path.startsWith("src/")
      ? findTexts(file).filter((one) => wordsOf(one.text) === wordsOf(name))
      : [];
    if (!mention) continue;
    const place = `${path}:${locationOf(mention).line}`;
    throw new UserError(
      `${place} has "${mention.text}", which is not a constant with a definition; remove it by hand first.`,
    );
  }
}

/** Returns the words of a name with hyphens, as in the name of its test file: `word_count` and `wordCount` are `word-count`. */
function wordsOf(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();
}

function absence(kind: Addition, name: string, found: readonly Definition[]): string {
  const names = found.map((one) => one.name).join(", ");
  const known = names === "" ? "none" : names;
  return `the project has no constant that defines the ${kind} ${JSON.stringify(name)}; choose one of: ${known}.`;
}

/** True if a module imports a constant of another one, with any ending or none. */
function imports({ path, file }: Source, source: Source, variable: string): boolean {
  const declaration = ts.findAncestor(importOf(file, variable), ts.isImportDeclaration)?.moduleSpecifier;
  if (!declaration || !ts.isStringLiteral(declaration)) return false;
  return leadsTo(source, path, declaration.text);
}

/** True if a path in a module leads to a source, with any ending or none. */
function leadsTo(source: Source, from: string, path: string): boolean {
  const place = withoutEnding(posix.join(posix.dirname(from), path));
  return [place, `${place}/index`].includes(withoutEnding(source.path));
}

function withoutEnding(path: string): string {
  return path.replace(/\.[cm]?[jt]sx?$/, "");
}

function rejectUse(path: string, text: string, variable: string): void {
  const [use] = findUses(parseSource(path, text), variable);
  if (!use) return;
  const { line } = locationOf(use);
  throw new UserError(`${path} uses ${variable} elsewhere (line ${line} without it); remove that use first.`);
}

interface Removed {
  readonly definition: Definition & { readonly source: Source };
  readonly files: ReadonlyMap<string, string | undefined>;
}

/** Rejects a removal if another module still imports the constant, or needs a removed module. */
function rejectReference(sources: readonly Source[], { definition, files }: Removed): void {
  const { source, variable } = definition;
  const isGone = files.has(source.path) && files.get(source.path) === undefined;
  for (const { path, text, file } of sources) {
    const rest = files.has(path) ? files.get(path) : text;
    if (path === source.path || rest === undefined) continue;
    const own = rest === text ? file : parseSource(path, rest);
    const left = findModulePaths(own).find(
      (one) => leadsTo(source, path, one.text) && (isGone || takesName(one.parent, variable)),
    );
    if (!left) continue;
    const { line } = locationOf(left);
    throw new UserError(`${path} uses ${variable} of ${source.path} otherwise (line ${line}); remove that use first.`);
  }
}

/** True if only imports remain of the module with the definition. The module of the server is never empty. */
function isEmpty(path: string, text: string): boolean {
  return basename(path) !== "server.ts" && parseSource(path, text).statements.every(ts.isImportDeclaration);
}

/** True if nothing but imports and types is left of a module. */
function isOfTypes(path: string, text: string): boolean {
  const isType = (one: ts.Statement): boolean => ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one);
  if (basename(path) === "server.ts") return false;
  return parseSource(path, text).statements.every((one) => ts.isImportDeclaration(one) || isType(one));
}

/** True if another module still takes something from a module. */
function isTaken(sources: readonly Source[], source: Source, files: RemovalPlan["files"]): boolean {
  return sources.some(({ path, text }) => {
    const rest = files.has(path) ? files.get(path) : text;
    if (path === source.path || rest === undefined) return false;
    return findModulePaths(parseSource(path, rest)).some((one) => leadsTo(source, path, one.text));
  });
}

function mentionsIn(texts: readonly { readonly path: string; readonly text: string | undefined }[], name: string) {
  return texts.flatMap(({ path, text = "" }) =>
    text.split("\n").flatMap((line, at) => (line.includes(name) ? [`${path}:${at + 1}`] : [])),
  );
}
