import { printWidth } from "./format.ts";

/** Returns a list on one line, or with one item on each line if it is too long: as the formatter writes it. */
export function listText(before: string, items: readonly string[], after: string): string {
  const line = `${before}${items.join(", ")}${after}`;
  if (items.length < 2 || line.length <= printWidth) return line;
  const [indent = ""] = /^ */.exec(before) ?? [];
  return [before.trimEnd(), ...items.map((item) => `${indent}  ${item},`), `${indent}${after.trimStart()}`].join("\n");
}
