import { readFileSync } from "node:fs";
import { join } from "node:path";
import Handlebars from "handlebars";

/** Compiles a template of a folder; partials are handed over with each view. Where this package is bundled, a module stands in for this one that has them all, compiled. */
export function compileTemplate(folder: string, name: string): HandlebarsTemplateDelegate<object> {
  return Handlebars.compile(readTemplate(join(folder, `${name}.hbs`)), compileOptions);
}

/** The text of a template. A checkout may have turned line endings into CRLF; output never has them. */
export function readTemplate(file: string): string {
  return readFileSync(file, "utf8").replaceAll("\r\n", "\n");
}

/** Strict, without HTML escaping, without helpers of our own. */
export const compileOptions: Readonly<CompileOptions> = { strict: true, noEscape: true, knownHelpersOnly: true };
