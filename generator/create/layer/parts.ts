import { hasChangesAmong, hasExtensionAmong, type LayerChoices } from "./choices.ts";
import type { RevisionFacts } from "./entry-view.ts";
import { lineWidth } from "./source-parts.ts";

/**
 * Parts of programs that are spread over files which every program has. A line such as `// @part questions` stands above a member or a
 * statement, and its comments, that only programs with this part need; `// @part questions, tasks` above what either needs.
 */
export const parts = [
  // What is offered, by the names of the offerings.
  "changes",
  "questions",
  "tasks",
  "ui",
  // Whatever there is besides tools, in features of their own.
  "features",
  // Clients come over HTTP: each with an identity, perhaps, and on several streams.
  "http",
  // Revisions besides that for which the program is written.
  "older",
  // Results that say how long they may be kept.
  "caching",
  // Revisions with a handshake, with requests that stand alone, and with batches.
  "sessions",
  "alone",
  "batches",
  // Extensions of the protocol.
  "extensions",
  // A client, too.
  "client",
  // What only users of the package have: no layer has it.
  "package",
] as const;

/** One of them. */
export type Part = (typeof parts)[number];

/** The parts that a layer has. A client may meet all of them. */
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
 * Leaves out what belongs to none of these parts, and the marks of what does. It relies on how our sources are formatted: whatever continues
 * a line is indented deeper, or closes a bracket.
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

/** The index of the line after the member or statement that begins here, with the comments above it. */
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

/** Whether the next line that is not blank continues what the blank line stands in. */
function isIndented(lines: readonly string[], at: number, indent: number): boolean {
  const next = lines.slice(at).find((line) => line !== "");
  return next?.startsWith(" ".repeat(indent + 1)) ?? false;
}

/** What stands on lines of its own between brackets, or is one of several types, on one line where there is room for it now. */
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

/** Blocks neither begin nor end with a blank line, and there is never more than one; empty ones are on one line. */
function tidyBlocks(text: string): string {
  return text
    .replaceAll(/\{\n *\}/g, "{}")
    .replaceAll(/\n{3,}/g, "\n\n")
    .replaceAll(/([{([])\n\n(?= )/g, "$1\n")
    .replaceAll(/\n\n(?= *[)}\]])/g, "\n");
}
