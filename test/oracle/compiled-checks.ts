import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
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
  const folder = mkdtempSync(join(tmpdir(), "checks-"));
  const support = readFileSync(join(import.meta.dirname, "../../templates/support.ts"), "utf8");
  writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
  writeFileSync(join(folder, "support.js"), toJavaScript(support));
  writeFileSync(join(folder, "validate.js"), change(toJavaScript(emitModule(model, support))));
  const module: Record<string, unknown> = await import(pathToFileURL(join(folder, "validate.js")).href);
  rmSync(folder, { recursive: true });
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
