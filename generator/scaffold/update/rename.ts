import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, basename, join, relative, sep } from "node:path";
import type { Declaration, RevisionModel } from "../../model.ts";
import { move } from "../../internal/files.ts";
import { systemCode, UserError } from "../../internal/user-error.ts";
import { findPlaces, type Moves } from "./place.ts";
import { listSources } from "./use.ts";

/** A type that a newer revision has under another name. */
export interface Rename {
  readonly from: string;
  readonly to: string;
}

/**
 * Returns types that a newer revision has under another name. A removed type is renamed when exactly one new type has identical members; or, if none
 * has, a longer name that starts with the old one and members of the same names. A type whose name stayed is renamed when it became a union in which
 * exactly one new type has the old members. Only object types with at least two members are matched.
 */
export function findRenames(older: RevisionModel, newer: RevisionModel): Rename[] {
  const before = new Set(older.declarations.map(({ name }) => name));
  const after = new Map(newer.declarations.map((declaration) => [declaration.name, declaration]));
  const added = newer.declarations.filter(({ name }) => !before.has(name));
  const telling = older.declarations.filter(({ shape }) => shape.kind === "object" && shape.properties.length > 1);
  return telling.flatMap((old): Rename[] => {
    const now = after.get(old.name);
    const possible = now ? alternativesOf(now, added) : added;
    const same = possible.filter(({ shape }) => withoutProse(shape) === withoutProse(old.shape));
    const found = same.length > 0 || now ? same : possible.filter((declaration) => isSuccessor(declaration, old));
    const [only] = found;
    return only && found.length === 1 ? [{ from: old.name, to: only.name }] : [];
  });
}

/** Returns the new types that are alternatives of a union. */
function alternativesOf({ shape }: Declaration, added: readonly Declaration[]): Declaration[] {
  const names = shape.kind === "union" ? shape.of.map((one) => (one.kind === "reference" ? one.name : "")) : [];
  return added.filter(({ name }) => names.includes(name));
}

function isSuccessor(declaration: Declaration, old: Declaration): boolean {
  const names = namesOf(declaration);
  return declaration.name.startsWith(old.name) && names !== "" && names === namesOf(old);
}

function namesOf({ shape }: Declaration): string {
  const names = shape.kind === "object" ? shape.properties.map(({ name }) => name) : [];
  return names.sort().join(" ");
}

function withoutProse(shape: unknown): string {
  return JSON.stringify(shape, (key, value: unknown) => (key === "doc" || key === "location" ? undefined : value));
}

/** Text of a source before and after its changes. */
export interface Rewrite {
  /** Path relative to the project, with forward slashes. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly places: readonly (Rename & { readonly line: number })[];
}

/** Plans the new text of every source of a project that has mechanical changes. Nothing is executed or written. */
export async function planRewrites(project: string, moves: Moves): Promise<Rewrite[]> {
  const files = await listSources(project);
  const rewrites = files.map(async (path): Promise<Rewrite[]> => {
    const file = relative(project, path).split(sep).join("/");
    const before = await readFile(path, "utf8");
    const places = findPlaces(file, before, moves);
    const after = places.reduceRight(
      (whole, { at, length, text }) => whole.slice(0, at) + text + whole.slice(at + length),
      before,
    );
    return places.length === 0 ? [] : [{ file, before, after, places }];
  });
  return (await Promise.all(rewrites)).flat();
}

/**
 * Writes all rewrites or none: each is written to a temporary file first, and replaced files are restored when a later step fails.
 * @throws {UserError} when a file cannot be written.
 */
export async function applyRewrites(project: string, rewrites: readonly Rewrite[]): Promise<void> {
  const aside = rewrites.map(({ file }) => {
    const path = join(project, file);
    return { path, next: join(dirname(path), `.${basename(path)}.${process.pid}.tmp`) };
  });
  const replaced: number[] = [];
  try {
    for (const [at, { after }] of rewrites.entries()) await writeFile(aside[at]?.next ?? "", after, { flag: "wx" });
    for (const [at, { path, next }] of aside.entries()) {
      await move(next, path);
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
