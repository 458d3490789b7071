import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, basename, join, relative, sep } from "node:path";
import type { RevisionModel } from "../model.ts";
import { locationOf, parseSource, ts } from "../read/syntax.ts";
import { SpecError } from "../read/spec-error.ts";
import { systemCode, UserError } from "../user-error.ts";
import { listSources } from "./use.ts";

/** A type that a newer revision has under another name. */
export interface Rename {
  readonly from: string;
  readonly to: string;
}

/** Types that are gone, where exactly one new type has the very same members: prose aside, and never for types that say next to nothing. */
export function findRenames(older: RevisionModel, newer: RevisionModel): Rename[] {
  const before = new Set(older.declarations.map(({ name }) => name));
  const after = new Set(newer.declarations.map(({ name }) => name));
  const added = newer.declarations.filter(({ name }) => !before.has(name));
  const gone = older.declarations.filter(
    ({ name, shape }) => !after.has(name) && shape.kind === "object" && shape.properties.length > 1,
  );
  return gone.flatMap(({ name, shape }): Rename[] => {
    const same = added.filter((declaration) => withoutProse(declaration.shape) === withoutProse(shape));
    const [only] = same;
    return only && same.length === 1 ? [{ from: name, to: only.name }] : [];
  });
}

function withoutProse(shape: unknown): string {
  return JSON.stringify(shape, (key, value: unknown) => (key === "doc" || key === "location" ? undefined : value));
}

/** A source before and after. */
export interface Rewrite {
  /** Path relative to the project, with forward slashes. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly places: readonly (Rename & { readonly line: number })[];
}

/** Plans the new text of every source of a project that uses a renamed type. Nothing is executed, nothing written. */
export async function planRewrites(project: string, renames: readonly Rename[]): Promise<Rewrite[]> {
  const files = renames.length === 0 ? [] : await listSources(project);
  const rewrites = files.map(async (path): Promise<Rewrite[]> => {
    const file = relative(project, path).split(sep).join("/");
    const before = await readFile(path, "utf8");
    const places = findPlaces(file, before, renames);
    const edits = [...places].sort((a, b) => b.at - a.at);
    const after = edits.reduce(
      (text, { at, from, to }) => text.slice(0, at) + to + text.slice(at + from.length),
      before,
    );
    return places.length === 0 ? [] : [{ file, before, after, places }];
  });
  return (await Promise.all(rewrites)).flat();
}

interface Place extends Rename {
  readonly at: number;
  readonly line: number;
}

/** Types of the protocol are members of what a file imports from its layer: `protocol.Tool`. */
function findPlaces(file: string, text: string, renames: readonly Rename[]): Place[] {
  const names = new Map(renames.map((one) => [one.from, one]));
  const places: Place[] = [];
  const visit = (node: ts.Node, layer: ReadonlySet<string>): void => {
    const isOurs = ts.isQualifiedName(node) && ts.isIdentifier(node.left) && layer.has(node.left.text);
    const found = isOurs ? names.get(node.right.text) : undefined;
    if (found && isOurs) places.push({ ...found, at: node.right.getStart(), line: locationOf(node).line });
    ts.forEachChild(node, (child) => visit(child, layer));
  };
  try {
    const source = parseSource(file, text);
    visit(source, importedFromLayer(source));
  } catch (error) {
    // What cannot be parsed is the compiler's business.
    if (!(error instanceof SpecError)) throw error;
  }
  return places;
}

function importedFromLayer(source: ts.SourceFile): ReadonlySet<string> {
  const names = source.statements.filter(ts.isImportDeclaration).flatMap(({ moduleSpecifier, importClause }) => {
    const isLayer = ts.isStringLiteral(moduleSpecifier) && /(^|\/)mcp(\/index)?\.[jt]s$/.test(moduleSpecifier.text);
    const bindings = importClause?.namedBindings;
    return isLayer && bindings && ts.isNamedImports(bindings) ? bindings.elements.map(({ name }) => name.text) : [];
  });
  return new Set(names);
}

/** Writes all of them or none: each is written aside first, and what was replaced comes back when another cannot be. */
export async function applyRewrites(project: string, rewrites: readonly Rewrite[]): Promise<void> {
  const aside = rewrites.map(({ file }) => {
    const path = join(project, file);
    return { path, next: join(dirname(path), `.${basename(path)}.${process.pid}.tmp`) };
  });
  const replaced: number[] = [];
  try {
    for (const [at, { after }] of rewrites.entries()) await writeFile(aside[at]?.next ?? "", after, { flag: "wx" });
    for (const [at, { path, next }] of aside.entries()) {
      await rename(next, path);
      replaced.push(at);
    }
  } catch (error) {
    for (const at of replaced) await writeFile(aside[at]?.path ?? "", rewrites[at]?.before ?? "");
    for (const { next } of aside) await rm(next, { force: true });
    throw new UserError(
      `the sources could not be rewritten (${systemCode(error) ?? String(error)}); they are as they were.`,
      {
        cause: error,
      },
    );
  }
}
