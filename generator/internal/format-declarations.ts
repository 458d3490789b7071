import { hash } from "node:crypto";
import { join } from "node:path";
import { readIfPresent } from "./files.ts";
import { formatTypeScript, style } from "./format.ts";
import { isRecord, parseJson } from "./json-text.ts";
import { listText } from "./list-text.ts";
import { packageRoot } from "./package-info.ts";
import { escapeUnseen } from "./text.ts";
import type { Tree } from "./tree.ts";

/**
 * File with formatted declarations, which the build writes. Nearly all declarations of a project follow from the pinned revisions, and to format them
 * takes more than half of the time of `create`.
 */
export const packagedDeclarations = "declarations.json";

/**
 * Formats modules of declarations, with the result of {@link formatTypeScript}. Each declaration begins at the left margin after a blank line, and
 * nothing else does. Declarations already formatted by the build are found by their text; only for others is the formatter loaded.
 */
export async function formatDeclarations(modules: Tree): Promise<Map<string, string>> {
  const packaged = await readPackaged();
  const formatted = new Map<string, string>();
  for (const [path, text] of modules) {
    const parts: string[] = [];
    for (const part of splitModule(text)) {
      const known = packaged[keyOf(part)];
      parts.push(typeof known === "string" ? known : await formatPart(part));
    }
    formatted.set(path, `${parts.join("\n\n")}\n`);
  }
  return formatted;
}

/** Returns the text of the file for {@link formatDeclarations}: the formatted declarations of modules. */
export async function packDeclarations(modules: Iterable<string>): Promise<string> {
  const parts = new Set([...modules].flatMap(splitModule).filter((part) => !isList(part)));
  const packed = new Map<string, string>();
  for (const part of parts) packed.set(keyOf(part), await formatPart(part));
  return JSON.stringify(Object.fromEntries(packed));
}

/** Reads the formatted declarations by the hash of their text before formatting. */
async function readPackaged(): Promise<Readonly<Record<string, unknown>>> {
  const packaged = parseJson((await readIfPresent(join(packageRoot, "dist", packagedDeclarations))) ?? "{}");
  return isRecord(packaged) ? packaged : {};
}

/** A declaration is found by its unformatted text and the code style: the formatted text always belongs to them. */
function keyOf(part: string): string {
  return hash("sha256", JSON.stringify(style) + part, "base64url").slice(0, 16);
}

/** Splits a module at the blank lines before declarations. A declaration may also end at the left margin, with a bracket or a semicolon. */
function splitModule(text: string): string[] {
  return text.trim().split(/\n\s*\n(?=[^\s)\]};])/);
}

async function formatPart(part: string): Promise<string> {
  const text = escapeUnseen(part);
  return isList(text) ? formatLists(text) : (await formatTypeScript(text)).trimEnd();
}

/**
 * True for comments, and for imports and exports of other modules. They differ with every selection of revisions, so the build cannot format all of
 * them.
 */
function isList(part: string): boolean {
  return /^(?:\/\/|import |export (?:type )?[*{])/.test(part);
}

function formatLists(part: string): string {
  return part.replaceAll(/^(.*\{ )(.*)( \}.*)$/gm, (_line, before: string, names: string, after: string) =>
    listText(before, names.split(", "), after),
  );
}
