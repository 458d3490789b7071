import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ts } from "ts-morph";

/** One comment of a source file. */
export interface Comment {
  readonly line: number;
  /** Text without the marks of the comment. */
  readonly text: string;
  /** True for a doc comment. */
  readonly isDoc: boolean;
  /** Name of the declaration that follows, if it has one. */
  readonly name: string | undefined;
}

export interface Example {
  readonly line: number;
  readonly code: string;
}

/** Returns the paths of the source files of a folder, at any depth. */
export function sourcesIn(folder: string): string[] {
  return readdirSync(join(import.meta.dirname, "../..", folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
}

/** Returns the comments of a source text in order. */
export function commentsOf(source: string): Comment[] {
  const file = ts.createSourceFile("sample.ts", source, ts.ScriptTarget.Latest, true);
  const found = new Map<number, Comment>();
  const visit = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(source, node.getEnd()) ?? []),
    ];
    for (const { pos, end } of ranges) {
      if (found.has(pos)) continue;
      const raw = source.slice(pos, end);
      const line = file.getLineAndCharacterOfPosition(pos).line + 1;
      found.set(pos, { line, text: toText(raw), isDoc: raw.startsWith("/**"), name: nameOf(node) });
    }
    ts.forEachChild(node, visit);
  };
  // Not the file itself: its first comment belongs to its first statement.
  ts.forEachChild(file, visit);
  return [...found].sort(([one], [other]) => one - other).map(([, comment]) => comment);
}

/** Returns the code blocks of the `@example` tags of a source text. */
export function examplesOf(source: string): Example[] {
  if (!source.includes("@example")) return [];
  return commentsOf(source).flatMap(({ line, text }) =>
    text
      .split(/^@example\b/m)
      .slice(1)
      .map((part) => ({ line, code: /```ts\n([\s\S]*?)\n```/.exec(part)?.[1] ?? "An example without a block of ts" })),
  );
}

/** Returns the prose of a comment: without code, examples, names and links. */
export function proseOf(text: string): string {
  return text
    .replaceAll(/^@example\b[\s\S]*?(?=^@|$(?![\s\S]))/gm, "")
    .replaceAll(/`[^`]*`|\{@link [^}]*\}|"[^"]*"/g, "X")
    .replaceAll(/https?:\S+/g, "");
}

function toText(raw: string): string {
  return raw
    .replaceAll(/^\/\*\*?|\*\/$|^\/\/ ?/g, "")
    .replaceAll(/^[ \t]*\* ?/gm, "")
    .trim();
}

function nameOf(node: ts.Node): string | undefined {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations[0]?.name.getText();
  return "name" in node && isName(node.name) ? node.name.text : undefined;
}

function isName(value: unknown): value is ts.Identifier {
  return typeof value === "object" && value !== null && "text" in value && typeof value.text === "string";
}
