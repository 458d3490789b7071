import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { chooseRevisions, toCatalogue } from "../../generator/scaffold/layer/catalogue.ts";
import type { LayerChoices } from "../../generator/scaffold/layer/choices.ts";
import { emitLayer } from "../../generator/scaffold/layer/emit-layer.ts";
import { readSelection, type Selection, type SelectionText } from "../../generator/scaffold/create/project-choices.ts";
import type { ProjectOptions } from "../../generator/scaffold/create/project-options.ts";
import { emitProject } from "../../generator/scaffold/create/project-files.ts";
import { readRuntime, runtimePackage } from "../../generator/scaffold/create/runtime-package.ts";
import type { Tree } from "../../generator/internal/tree.ts";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { readSpecModels } from "../../generator/read/spec-models.ts";

/** Models of the pinned revisions and extensions. */
export const models = await readSpecModels();

/** Every released revision, newest first. */
export const allRevisions: readonly string[] = chooseRevisions("all", toCatalogue(models.models));

/** Runtime as it was built. */
export const builtRuntime: string = join(packageRoot, "dist", "runtime-package");

/** Options of a project that tests may leave out. */
export interface ProjectParts extends Partial<Omit<ProjectOptions, "selection">> {
  readonly selection?: Selection | SelectionText;
}

/** Completes the options of a project. By default it is named `demo` and serves every revision. */
export function projectOptions({ selection = {}, ...parts }: ProjectParts): ProjectOptions {
  const isRead = (one: Selection | SelectionText): one is Selection => Array.isArray(one.features);
  const chosen = isRead(selection) ? selection : readSelection(selection);
  return {
    folder: "/home/me/demo",
    name: "demo",
    revisions: allRevisions,
    manager: "npm",
    runtime: readRuntime(chosen.runtime),
    models,
    ...parts,
    selection: chosen,
  };
}

/** Emits the text files of a project, once for the same choices. */
export function emitFiles(parts: ProjectParts = {}): Promise<Tree> {
  const { source, models: other, runtime, signal } = parts;
  // Their text does not tell these apart.
  if (source ?? other ?? runtime ?? signal) return emitProject(projectOptions(parts));
  const key = JSON.stringify(parts);
  const found = emittedProjects.get(key) ?? emitProject(projectOptions(parts));
  emittedProjects.set(key, found);
  return found;
}

const emittedProjects = new Map<string, Promise<Tree>>();

/** Emits `src/mcp/`, once for the same choices. By default it is that of a server with tools only, on stdio, without a client. */
export function emitFolder(choices: Partial<LayerChoices> = {}): Promise<Tree> {
  const wanted = { ...smallest, ...choices };
  const key = JSON.stringify(wanted);
  const found = emitted.get(key) ?? emitLayer(wanted, models);
  emitted.set(key, found);
  return found;
}

const emitted = new Map<string, Promise<Tree>>();

/** Choices of a server with tools on stdio. */
export const smallest: LayerChoices = {
  revisions: allRevisions,
  features: ["tools"],
  transports: ["stdio"],
  client: false,
  validator: false,
  auth: "none",
};

/** Expects files to be formatted, those whose names begin with a dot left out. Each text is checked once. */
export async function expectFormatted(files: Iterable<readonly [path: string, text: string]>): Promise<void> {
  const { check } = await import("prettier");
  for (const [path, text] of files) {
    const key = `${path}\n${text}`;
    if (path.startsWith(".") || formatted.has(key)) continue;
    expect(await check(text, { filepath: path, printWidth: 120 }), path).toBe(true);
    formatted.add(key);
  }
}

const formatted = new Set<string>();

/** Writes files below a folder. */
export function writeFiles(folder: string, files: Iterable<readonly [path: string, text: string]>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Links the built runtime and packages of this repository into the `node_modules` of a folder. */
export function linkPackages(folder: string, names: readonly string[] = []): void {
  const places = [
    [runtimePackage, builtRuntime],
    ...names.map((name) => [name, join(packageRoot, "node_modules", name)]),
  ];
  for (const [name = "", place = ""] of places) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(place, link, "junction");
  }
}
