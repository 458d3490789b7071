import type { Options, Plugin } from "prettier";

/** Maximum length of a line of generated code, wherever a line can be broken. */
export const printWidth = 120;

/**
 * Code style of generated files. It is complete, so Prettier consults no configuration file of the user. Generated code embeds no other language;
 * looking for one takes a tenth of the time.
 */
export const style: Options = { printWidth, endOfLine: "lf", embeddedLanguageFormatting: "off" };

/** Options of the formatting of TypeScript. */
export interface FormatOptions {
  /** True if an object is written on one line when it fits. Then the result does not depend on former line breaks. Default: `false`. */
  readonly collapses?: boolean;
}

/** Formats TypeScript. The output does not depend on the working directory, the locale or the user's settings. */
export async function formatTypeScript(text: string, { collapses = false }: FormatOptions = {}): Promise<string> {
  const { format, plugins } = await loadFormatter();
  // The parser of Babel takes two thirds of the time of that of TypeScript, for the same output. The name only says that the text is not JSX.
  const parsing = { parser: "babel-ts", filepath: "module.ts", plugins };
  return format(text, { ...style, ...(collapses && { objectWrap: "collapse" }), ...parsing });
}

/**
 * Formats TypeScript of a template in the style of {@link formatTypeScript}: only long lines are left to break. Loading the formatter takes longer
 * than rendering all files of a project.
 */
export async function formatRendered(text: string): Promise<string> {
  const module = `${text.trim()}\n`;
  return module.split("\n").some(isTooLong) ? formatTypeScript(module) : module;
}

/** Comments are not broken. */
function isTooLong(line: string): boolean {
  return line.length > printWidth && !/^ *(?:\/\/|\/?\*)/.test(line);
}

/** Formats JSON in the style of the files under `spec/`. */
export async function formatJson(text: string): Promise<string> {
  const { format, plugins } = await loadFormatter();
  return format(text, { ...style, parser: "json", plugins });
}

interface Formatter {
  format(text: string, options: Options): Promise<string>;
  readonly plugins: Plugin[];
}

/** Loads the formatter, which is large, when something is formatted. */
async function loadFormatter(): Promise<Formatter> {
  const { format } = await import("prettier/standalone");
  return { format, plugins: [await import("prettier/plugins/babel"), await import("prettier/plugins/estree")] };
}
