/** First line of every page, below its title. */
export const notice = "<!-- Written by `npm run docs:protocol`. Do not edit. -->";

/** Returns prose as Markdown on one line, safe in a cell of a table. Code in backticks stays as it is. */
export function prose(text: string): string {
  const line = text.replaceAll(/\s*\n\n\s*/g, "<br>").replaceAll(/\s*\n\s*/g, " ");
  const parts = line.split(/(`[^`]*`|<br>)/);
  return parts.map((part, index) => (index % 2 === 1 ? escapePipes(part) : escapeProse(part))).join("");
}

/** Returns a text as inline code, safe in a cell of a table. */
export function code(text: string): string {
  if (!text.includes("`")) return `\`${escapePipes(text)}\``;
  // A space keeps a backtick at the edge from being part of the marks.
  return `\`\` ${escapePipes(text)} \`\``;
}

/** Returns a table, or an empty text if it has no rows. Columns in which every cell is empty are left out. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const used = head.map((_, column) => rows.some((cells) => (cells[column] ?? "") !== ""));
  const line = (cells: readonly string[]): string => `| ${cells.filter((_, column) => used[column]).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Joins the blocks of a page, except empty ones. */
export function blocks(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Returns a text below a heading, or an empty text if there is none. */
export function withTitle(title: string, text: string): string {
  return text === "" ? "" : `${title}\n\n${text}`;
}

/** Returns the anchor of a heading, as GitHub derives it. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}

function escapeProse(text: string): string {
  return escapePipes(
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(/[*_[\]\\]/g, String.raw`\$&`),
  );
}

function escapePipes(text: string): string {
  return text.replaceAll("|", String.raw`\|`);
}
