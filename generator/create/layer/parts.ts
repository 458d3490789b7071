import { hasChangesAmong, hasExtensionAmong, type LayerChoices } from "./choices.ts";
import type { RevisionFacts } from "./entry-view.ts";
import { lineWidth } from "./source-parts.ts";

/**
 * Parts of programs that are spread over files which every program has. A line such as `// @part questions` stands above a member or a
 * statement, and its comments, that only programs with this part need; `// @part questions, tasks` above what either needs.
 */
export const parts = [
  // Offerings, by name.
  "changes",
  "questions",
  "tasks",
  "ui",
  // Features other than tools.
  "features",
  // Clients over HTTP or another network transport, which may have identities and several streams.
  "http",
  // Revisions older than the one that the program is written for.
  "older",
  // Results with a lifetime for caches.
  "caching",
  // Revisions with a handshake, with stateless requests, and with batches.
  "sessions",
  "alone",
  "batches",
  // Extensions of the protocol.
  "extensions",
  // A client in the same program.
  "client",
  // Code for users of the package only: no layer has it.
  "package",
] as const;

/** Name of a part. */
export type Part = (typeof parts)[number];

/** Returns the parts of a layer. A client may meet all of them. */
export function partsOf(choices: LayerChoices, facts: readonly RevisionFacts[]): ReadonlySet<Part> {
  const { offers, transports, client } = choices;
  if (client) return new Set(parts);
  const isHttp = transports.some((transport) => transport !== "stdio");
  const hasChanges = hasChangesAmong(offers);
  const speaks = (pattern: RegExp): boolean => facts.some(({ methods }) => pattern.test(methods));
  const has: { readonly [Name in Part]: boolean } = {
    changes: hasChanges,
    questions: offers.includes("questions"),
    tasks: offers.includes("tasks"),
    ui: offers.includes("ui"),
    features: isHttp || hasChanges || offers.includes("questions"),
    http: isHttp,
    caching: hasChanges || speaks(/^  lifecycle: "per-request",$/m),
    older: facts.length > 1,
    sessions: speaks(/^  lifecycle: "handshake",$/m),
    alone: speaks(/^  lifecycle: "per-request",$/m),
    batches: speaks(/^  batching: true,$/m),
    extensions: hasExtensionAmong(offers),
    client: false,
    package: false,
  };
  return new Set(parts.filter((part) => has[part]));
}

/**
 * Removes code that belongs to none of these parts, and the marks of the rest. It relies on the format of our sources: continuation lines are
 * indented deeper, or close a bracket.
 */
export function withoutParts(source: string, has: ReadonlySet<string>): string {
  if (!source.includes("// @part ")) return source;
  const lines = source.split("\n");
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const marked = /^ *\/\/ @part (.+)$/.exec(line)?.[1];
    if (marked === undefined) kept.push(line);
    else if (!marked.split(", ").some((part) => has.has(part))) at = findEnd(lines, at + 1) - 1;
  }
  return foldLists(tidyBlocks(kept.join("\n")));
}

/** Returns the index of the line after the member or statement that begins here, with the comments above it. */
function findEnd(lines: readonly string[], start: number): number {
  const indent = /^ */.exec(lines[start] ?? "")?.[0].length ?? 0;
  let at = start;
  while (/^ *(?:\/\/|\/\*\*|\*)/.test(lines[at] ?? "")) at += 1;
  for (at += 1; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const isInner = line === "" ? isIndented(lines, at, indent) : line.startsWith(" ".repeat(indent + 1));
    if (!isInner && !/^[)}\]>]/.test(line.slice(indent))) break;
    if (!isInner && line.slice(0, indent).trim() !== "") break;
  }
  return at;
}

/** True if the next non-blank line continues the statement around the blank line. */
function isIndented(lines: readonly string[], at: number, indent: number): boolean {
  const next = lines.slice(at).find((line) => line !== "");
  return next?.startsWith(" ".repeat(indent + 1)) ?? false;
}

/** Joins the items of a bracketed list, or the members of an intersection type, on one line where they fit now. */
function foldLists(text: string): string {
  const types = text.replaceAll(typesPattern, (list) => {
    const line = list.replaceAll(/ &\n */g, " & ");
    return line.length <= lineWidth ? line : list;
  });
  return types.replaceAll(listPattern, (list, indent: string, head: string, items: string, tail: string) => {
    const blank = head.endsWith("{") ? " " : "";
    const folded = items.trim().replace(/,$/, "").replaceAll(/,\n */g, ", ");
    const line = indent + head + blank + folded + blank + tail;
    return line.length <= lineWidth ? line : list;
  });
}

const typesPattern = /^export type .* &\n(?:  [^{\n]* &\n)*  [^{\n]*;$/gm;

const listPattern = /^( *)(\S.*[([]|const \{)\n((?:\1  [^ [\n].*,\n)*\1  [^ [\n].*\n)\1([)\]}].*)$/gm;

/** Removes blank lines at the start and end of blocks, and repeated ones; puts empty blocks on one line. */
function tidyBlocks(text: string): string {
  return text
    .replaceAll(/\{\n *\}/g, "{}")
    .replaceAll(/\n{3,}/g, "\n\n")
    .replaceAll(/([{([])\n\n(?= )/g, "$1\n")
    .replaceAll(/\n\n(?= *[)}\]])/g, "\n");
}
