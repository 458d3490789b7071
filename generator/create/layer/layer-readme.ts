import type { Tree } from "../../emit/tree.ts";
import type { LayerChoices } from "./choices.ts";

/** Text of `README.md` of an emitted layer: its parts, their number of files and their size in kB. */
export function layerReadme(
  layer: Tree,
  { choices, mark, version }: { readonly choices: LayerChoices; readonly mark: string; readonly version: string },
): string {
  const groups = new Map<string, { files: number; bytes: number }>();
  for (const [path, text] of layer) {
    const group = groups.get(groupOf(path)) ?? { files: 0, bytes: 0 };
    groups.set(groupOf(path), { files: group.files + 1, bytes: group.bytes + Buffer.byteLength(text) });
  }
  const rows = [...groups].map(([name, { files, bytes }]) => [`\`${name}\``, String(files), kilobytes(bytes)]);
  const bytes = [...groups.values()].reduce((sum, group) => sum + group.bytes, 0);
  const all = [...rows, ["all", String(layer.size), kilobytes(bytes)]];
  return [
    `<!-- ${mark.replace("// ", "")} ${version}. Do not edit: \`npx create-mcp-server update\` writes this folder anew. -->`,
    "",
    "# The protocol layer",
    "",
    `The Model Context Protocol, ${choices.revisions.join(", ")}, as far as this project uses it: ${choices.offers.join(", ")} over ${choices.transports.join(", ")}${choices.client ? ", and a client" : ""}.`,
    "Whatever else the protocol has was left out; `npx create-mcp-server update --serve` and `--protocol` bring it in.",
    "",
    ...table([["part", "files", "kB"], ...all]),
    "",
  ].join("\n");
}

function groupOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return second === "" ? first : `${first}/${second}`;
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}

function table(rows: readonly (readonly string[])[]): string[] {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(head), rule, ...rows.slice(1).map(line)];
}
