import { format, type Options } from "prettier";

/** The house style. Passed in whole, so that no configuration file of a user is ever consulted. */
const style: Options = { printWidth: 120, endOfLine: "lf" };

/** Formats TypeScript. The same text comes out whatever the working directory, locale or user's settings. */
export function formatTypeScript(text: string): Promise<string> {
  return format(text, { ...style, parser: "typescript" });
}

/** Formats JSON the way the files under `spec/` are. */
export function formatJson(text: string): Promise<string> {
  return format(text, { ...style, parser: "json" });
}
