import { readFileSync } from "node:fs";
import { join } from "node:path";
import Handlebars from "handlebars";

/**
 * Compiles a template of a folder. Partials are passed with each view. A bundle of this package replaces this module by one with all templates,
 * compiled.
 */
export function compileTemplate(folder: string, name: string): HandlebarsTemplateDelegate<object> {
  return Handlebars.compile(readTemplate(join(folder, `${name}.hbs`)), compileOptions);
}

/** Returns the text of a template. A checkout may have converted line endings to CRLF; the output always has LF. */
export function readTemplate(file: string): string {
  return readFileSync(file, "utf8").replaceAll("\r\n", "\n");
}

/** Strict mode, without HTML escaping and without custom helpers. */
export const compileOptions: Readonly<CompileOptions> = { strict: true, noEscape: true, knownHelpersOnly: true };
