import type { Options, Plugin } from "prettier";
import { format } from "prettier/standalone";

/** Code style of generated files. It is complete, so Prettier consults no configuration file of the user. */
const style: Options = { printWidth: 120, endOfLine: "lf" };

/** Options of the formatting of TypeScript. */
export interface FormatOptions {
  /** True if an object is written on one line when it fits, so that the result does not depend on former line breaks. Default: `false`. */
  readonly collapses?: boolean;
}

/** Formats TypeScript. The output does not depend on the working directory, the locale or the user's settings. */
export async function formatTypeScript(text: string, { collapses = false }: FormatOptions = {}): Promise<string> {
  // The parser of Babel takes two thirds of the time of that of TypeScript, for the same output. The name only says that the text is not JSX.
  const parsing = { parser: "babel-ts", filepath: "module.ts", plugins: await loadPlugins() };
  return format(text, { ...style, ...(collapses && { objectWrap: "collapse" }), ...parsing });
}

/** Formats JSON in the style of the files under `spec/`. */
export async function formatJson(text: string): Promise<string> {
  return format(text, { ...style, parser: "json", plugins: await loadPlugins() });
}

/** Loads the plugins, which are large, when something is formatted. */
async function loadPlugins(): Promise<Plugin[]> {
  return [await import("prettier/plugins/babel"), await import("prettier/plugins/estree")];
}
