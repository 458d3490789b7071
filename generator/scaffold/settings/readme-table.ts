import { escapePattern } from "../../internal/text.ts";
import type { ServerSetting } from "./read-settings.ts";
import type { SettingChange } from "./setting-files.ts";

/*
 * The table of settings in the README of a project, between two comments. It is also the record of the settings that the other files list, so that
 * a setting that the server no longer reads can be removed from them.
 */

const begin = "<!-- settings: written by `create-mcp-server settings` -->";
const end = "<!-- end of settings -->";
const block = new RegExp(`${escapePattern(begin)}[^]*?${escapePattern(end)}(?:\\r?\\n|$)`);

/** Returns the names of the settings in the table of a README. */
export function readListedSettings(readme: string): readonly string[] {
  const [text = ""] = block.exec(readme) ?? [];
  return [...text.matchAll(/^\| `(\w+)`/gm)].map(([, name = ""]) => name);
}

/** Replaces the table of settings in a README, or inserts it before the section about tests. */
export function updateReadme(readme: string, { settings }: SettingChange): string {
  const table = settings.length > 0 ? `${begin}\n\n${toTable(settings)}\n\n${end}\n` : "";
  if (block.test(readme)) return readme.replace(block, () => table);
  if (table === "") return readme;
  const section = `## Settings\n\nThe server reads these environment variables.\n\n${table}\n`;
  const place = readme.search(/^## Test$/m);
  return place === -1
    ? `${readme.trimEnd()}\n\n${section.trimEnd()}\n`
    : `${readme.slice(0, place)}${section}${readme.slice(place)}`;
}

function toTable(settings: readonly ServerSetting[]): string {
  const rows = settings.map((setting) => [`\`${setting.name}\``, describe(setting), toDefault(setting)]);
  const all = [["variable", "description", "default"], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const toLine = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  const [head = [], ...body] = all;
  return [toLine(head), rule, ...body.map(toLine)].join("\n");
}

function describe(setting: ServerSetting): string {
  return toCell(factsOf(setting).join("; "));
}

/** Returns what a user has to know about the value of a setting. */
export function factsOf({ description, isSecret, choices }: ServerSetting): readonly string[] {
  return [
    ...(description === undefined ? [] : [description.trim().replace(/\.$/, "")]),
    ...(choices ? [`one of ${choices.join(", ")}`] : []),
    ...(isSecret ? ["secret"] : []),
  ];
}

function toDefault({ isRequired, isSecret, default: value }: ServerSetting): string {
  if (isRequired) return "required";
  return value === undefined || value === "" || isSecret ? "none" : `\`${toCell(value).replaceAll("`", "'")}\``;
}

/** Returns a text on one line in which no character ends the cell or begins markup. */
function toCell(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").replaceAll("<", "&lt;").trim();
}
