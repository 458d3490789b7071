import { readFile } from "node:fs/promises";
import { join } from "node:path";
import Handlebars from "handlebars";

/** Fills in templates. Built once per run: strict, without HTML escaping, without helpers of our own. */
export interface Templates {
  render(name: string, view: object): string;
}

/** Loads the named templates of a folder, and the partials that they share. */
export async function loadTemplates(folder: string, names: readonly string[]): Promise<Templates> {
  const handlebars = Handlebars.create();
  const read = (name: string): Promise<string> => readFile(join(folder, `${name}.hbs`), "utf8");
  for (const name of partials)
    handlebars.registerPartial(name, handlebars.compile(normalise(await read(name)), compileOptions));
  const compiled = new Map<string, HandlebarsTemplateDelegate>();
  for (const name of names) compiled.set(name, handlebars.compile(normalise(await read(name)), compileOptions));
  return {
    render(name, view) {
      const template = compiled.get(name);
      if (!template) throw new Error(`Template ${name}.hbs was not loaded; name it in the call of loadTemplates.`);
      return template(view);
    },
  };
}

const partials = ["header", "tables"] as const;

const compileOptions: CompileOptions = { strict: true, noEscape: true, knownHelpersOnly: true };

/** A checkout may have turned line endings into CRLF; output never has them. */
function normalise(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
