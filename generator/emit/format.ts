import type { Options, Plugin } from "prettier";
import { format } from "prettier/standalone";

/** The house style. Passed in whole, so that no configuration file of a user is ever consulted. */
const style: Options = { printWidth: 120, endOfLine: "lf" };

/** Formats TypeScript. The same text comes out whatever the working directory, locale or user's settings. */
export async function formatTypeScript(text: string): Promise<string> {
  const plugins: Plugin[] = [await import("prettier/plugins/typescript"), await import("prettier/plugins/estree")];
  return format(text, { ...style, parser: "typescript", plugins });
}

/** Formats JSON the way the files under `spec/` are. */
export async function formatJson(text: string): Promise<string> {
  const plugins: Plugin[] = [await import("prettier/plugins/babel"), await import("prettier/plugins/estree")];
  return format(text, { ...style, parser: "json", plugins });
}
