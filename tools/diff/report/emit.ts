import type { Comparison } from "../comparison.ts";
import { emitHtml } from "./html.ts";
import { emitJson } from "./json.ts";
import { emitMarkdown } from "./markdown.ts";
import { emitText } from "./text.ts";

/** Formats for people and programs. */
export type ReportFormat = "text" | "json" | "markdown" | "html";

/** Writes a comparison in a format. */
export function emitComparison(comparison: Comparison, format: ReportFormat): string {
  switch (format) {
    case "text":
      return emitText(comparison);
    case "json":
      return emitJson(comparison);
    case "markdown":
      return emitMarkdown(comparison);
    case "html":
      return emitHtml(comparison);
    default:
      return format satisfies never;
  }
}
