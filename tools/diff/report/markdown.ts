import { outputLine } from "../../../generator/internal/text.ts";
import type { Comparison } from "../comparison.ts";
import { sortChanges, summaryOf } from "./text.ts";

/** Writes a comparison for a pull request. */
export function emitMarkdown({ kind, older, newer, changes }: Comparison): string {
  const title = `## ${escapeMarkdown(older)} → ${escapeMarkdown(newer)}`;
  if (changes.length === 0) return `${title}\n\nNo difference.`;
  // Changes of a server require action from its callers only.
  const hasSides = kind === "revisions";
  const rows = sortChanges(changes).map(({ client, server, subject, detail }) =>
    row([client, ...(hasSides ? [server] : []), escapeMarkdown(subject), escapeMarkdown(detail)]),
  );
  const head = ["client author", ...(hasSides ? ["server author"] : []), "what", "how"];
  return [title, "", `${summaryOf(changes)}.`, "", row(head), row(head.map(() => "---")), ...rows].join("\n");
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Escapes untrusted text in a cell: no markup, no HTML, no mention of users, no additional columns. */
function escapeMarkdown(text: string): string {
  return outputLine(text, 300)
    .replaceAll(/[\\`*_{}[\]()#+!|~]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll("@", "@\u200b");
}
