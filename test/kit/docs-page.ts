import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { packageRoot } from "../../generator/internal/package-info.ts";

/* Pages of `docs/` that scripts write from results. */

/** Reads a page. */
export function readPage(name: string): string {
  return readFileSync(pathOf(name), "utf8");
}

/** Formats a page and writes it. */
export async function writePage(name: string, text: string): Promise<void> {
  writeFileSync(pathOf(name), await formatPage(text));
}

/** Formats Markdown as `npm run check:format` requires it. */
export function formatPage(text: string): Promise<string> {
  return format(text, { parser: "markdown", printWidth: 120 });
}

/** Escapes a text of others, so that it is plain text on one line, also in a table. */
export function escapeText(text: string): string {
  return text.replaceAll(/[\\|<>&*_`[\]$]/g, "\\$&").replaceAll(/\s+/g, " ");
}

function pathOf(name: string): string {
  return join(packageRoot, "docs", name);
}
