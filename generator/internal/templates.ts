import { compileTemplate } from "./compile-template.ts";

/** Compiled templates of a folder, by name without `.hbs`. */
export interface Templates {
  render(name: string, view: object): string;
}

/** Loads the named templates of a folder and the partials they share. */
export function loadTemplates(folder: string, names: readonly string[]): Templates {
  const partials = Object.fromEntries(shared.map((name) => [name, compileTemplate(folder, name)]));
  const compiled = new Map(names.map((name) => [name, compileTemplate(folder, name)]));
  return {
    render(name, view) {
      const template = compiled.get(name);
      if (!template) throw new Error(`Template ${name}.hbs was not loaded; name it in the call of loadTemplates.`);
      return template(view, { partials });
    },
  };
}

const shared = ["header", "row", "tables", "project/src/definition"] as const;
