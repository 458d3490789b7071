import { createHash } from "node:crypto";
import { breakCommandsInMarkup, safeText } from "../../../generator/internal/text.ts";
import type { Comparison, Side } from "../comparison.ts";
import { filterScript, pageStyle } from "./page-assets.ts";
import { sortChanges, summaryOf } from "./text.ts";

/**
 * Writes a comparison as one page. It loads nothing from anywhere, and all content from schemas and servers is escaped text. Without scripts it omits
 * only the search.
 */
export function emitHtml(comparison: Comparison): string {
  const { older, newer, changes } = comparison;
  const title = `${escapeHtml(older)} → ${escapeHtml(newer)}`;
  const policy = `default-src 'none'; style-src '${hashOf(pageStyle)}'; script-src '${hashOf(filterScript)}'`;
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width">',
    `<title>${title}</title>`,
    `<style>${pageStyle}</style>`,
    "</head>",
    "<body>",
    `<header><h1>${title}</h1><p>${escapeHtml(summaryOf(changes))}</p>`,
    '<label>Search <input id="search" type="search" autocomplete="off" placeholder="words, such as tools breaking"></label> <output id="count"></output></header>',
    timelineHtml(comparison),
    matrixHtml(comparison),
    changesHtml(comparison),
    `<section><h2>Side by side</h2>${comparison.sides.map(sideHtml).join("\n")}</section>`,
    `<script>${filterScript}</script>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

function timelineHtml({ timeline }: Comparison): string {
  if (timeline.length === 0) return "";
  const items = timeline.map(
    ({ id, status, lifecycle, methods, declarations, isCompared }) =>
      `<li${isCompared ? ' class="compared"' : ""}><b>${escapeHtml(id)}</b><small>${escapeHtml(status)}, ${escapeHtml(lifecycle)}</small><small>${methods} methods, ${declarations} types</small></li>`,
  );
  return `<section><h2>Revisions</h2><ol class="timeline">${items.join("")}</ol></section>`;
}

/** Writes the table of methods and revisions. Highlights the differences from the previous revision. */
function matrixHtml({ timeline, matrix }: Comparison): string {
  if (matrix.length === 0) return "";
  const head = timeline
    .map(({ id, isCompared }) => `<th scope="col"${isCompared ? ' class="compared"' : ""}>${escapeHtml(id)}</th>`)
    .join("");
  const rows = matrix.map(({ method, cells }) => {
    const texts = cells.map((cell, index) => cellHtml(cell, index === 0 ? cell : (cells[index - 1] ?? "")));
    return `<tr data-row><th scope="row"><code>${escapeHtml(method)}</code></th>${texts.join("")}</tr>`;
  });
  return `<section><h2>Methods and their senders</h2>${legend}<div class="wide"><table id="matrix"><thead><tr><th scope="col">method</th>${head}</tr></thead><tbody>${rows.join("\n")}</tbody></table></div></section>`;
}

/** Legend of the bars in the cells of the matrix. */
const legend =
  '<p class="legend">Compared with the previous revision: <span class="new">new</span> <span class="other">senders changed</span> <span class="gone">removed</span></p>';

function cellHtml(cell: string, before: string): string {
  const change = cell === before ? "" : cell === "" ? "gone" : before === "" ? "new" : "other";
  const senders = cell === "" ? [] : cell.split(", ");
  const chips = senders.map((sender) => `<span class="chip">${escapeHtml(sender)}</span>`).join(" ");
  return `<td${change === "" ? "" : ` class="${change}"`}>${chips || "<i>–</i>"}</td>`;
}

/** Writes the table of changes. Changes of a server require action from its callers only. */
function changesHtml({ kind: what, changes }: Comparison): string {
  const hasSides = what === "revisions";
  const rows = sortChanges(changes).map(({ client, server, kind, subject, detail }) => {
    const impacts = hasSides ? [client, server] : [client];
    const cells = impacts.map((impact) => `<td><span class="verdict ${impact}">${impact}</span></td>`).join("");
    return `<tr data-row>${cells}<td>${kind}</td><th scope="row"><code>${escapeHtml(subject)}</code></th><td>${escapeHtml(detail)}</td></tr>`;
  });
  const titles = ["client author", ...(hasSides ? ["server author"] : []), "change", "what", "how"];
  const head = titles.map((text) => `<th scope="col">${text}</th>`).join("");
  return `<section><h2>Changes</h2><div class="wide"><table id="changes"><thead><tr>${head}</tr></thead><tbody>${rows.join("\n")}</tbody></table></div></section>`;
}

/** Writes both versions of a subject side by side. Marks the lines of only one side. */
function sideHtml({ subject, before, after }: Side): string {
  const column = (lines: readonly string[], other: readonly string[], mark: string): string => {
    if (lines.length === 0) return "<td><i>absent</i></td>";
    const texts = lines.map((line) =>
      other.includes(line) ? escapeHtml(line) : `<${mark}>${escapeHtml(line)}</${mark}>`,
    );
    return `<td><pre>${texts.join("\n")}</pre></td>`;
  };
  return `<details data-row><summary><code>${escapeHtml(subject)}</code></summary><table class="sides"><thead><tr><th scope="col">older</th><th scope="col">newer</th></tr></thead><tr>${column(before, after, "del")}${column(after, before, "ins")}</tr></table></details>`;
}

function escapeHtml(text: string): string {
  const escaped = safeText(text, 20_000)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
  return breakCommandsInMarkup(escaped);
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
}
