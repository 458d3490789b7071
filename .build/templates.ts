import { readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import Handlebars from "handlebars";
import { compileOptions, readTemplate } from "../generator/internal/compile-template.ts";

/**
 * Returns the module that replaces the template compiler. It contains the compiled templates of a folder: compiling takes longer than all else that
 * `create` does.
 */
export async function emitTemplates(folder: string): Promise<string> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".hbs")).sort();
  const templates = files.map((file) => {
    const name = file.slice(0, -".hbs".length).replaceAll(sep, "/");
    return `${JSON.stringify(name)}: ${Handlebars.precompile(readTemplate(join(folder, file)), compileOptions)}`;
  });
  return [
    'import Handlebars from "handlebars/runtime.js";',
    `const templates = {${templates.join(",\n")}};`,
    "export const compileTemplate = (folder, name) => Handlebars.template(templates[name]);",
  ].join("\n");
}
