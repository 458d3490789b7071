import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ts } from "ts-morph";
import { createCheckWriter } from "../../generator/emit/check-text.ts";
import type { RevisionModel } from "../../generator/model.ts";
import type { Check } from "../../templates/support.ts";

/** The checks of a model. */
export interface CompiledChecks {
  /** By declaration name. */
  readonly checks: ReadonlyMap<string, Check>;
  /** Everything that the module exports. */
  readonly module: Readonly<Record<string, unknown>>;
}

/** Emits the checks of a model, translates them to JavaScript and imports them. `change` may alter the JavaScript. */
export async function compileChecks(
  model: RevisionModel,
  change: (javaScript: string) => string = (unchanged) => unchanged,
): Promise<CompiledChecks> {
  const support = readFileSync(join(import.meta.dirname, "../../templates/support.ts"), "utf8");
  const module = await importTogether({
    "support.js": toJavaScript(support),
    "validate.js": change(toJavaScript(emitModule(model, support))),
  });
  const found = model.declarations.flatMap(({ name }): [string, Check][] => {
    const check = module[`check${name}`];
    return isCheck(check) ? [[name, check]] : [];
  });
  return { checks: new Map(found), module };
}

/** Translates TypeScript to JavaScript without looking at types. */
export function toJavaScript(text: string): string {
  const { ESNext: module } = ts.ModuleKind;
  const { ES2023: target } = ts.ScriptTarget;
  const compilerOptions = { module, target, rewriteRelativeImportExtensions: true };
  return ts.transpileModule(text, { compilerOptions }).outputText;
}

/** Writes modules next to each other, imports the last one and removes them. */
async function importTogether(files: Readonly<Record<string, string>>): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), "checks-"));
  try {
    writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const module: Record<string, unknown> = await import(
      pathToFileURL(join(folder, Object.keys(files).at(-1) ?? "")).href
    );
    return module;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function emitModule(model: RevisionModel, support: string): string {
  const writer = createCheckWriter(model);
  const functions = model.declarations.flatMap((declaration) => writer.writeDeclaration(declaration));
  const names = [...support.matchAll(/^export (?:function|const) (\w+)/gm)].map(([, name]) => name);
  const bodies = functions.map(({ name, text }) => `export function ${name}${text}`);
  return [`import { ${names.join(", ")}, type Issue } from "./support.ts";`, ...bodies].join("\n");
}

function isCheck(value: unknown): value is Check {
  return typeof value === "function";
}
