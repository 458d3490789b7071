import { join } from "node:path";
import { emitExtension } from "../../emit/extension-files.ts";
import { readIfPresent } from "../../internal/files.ts";
import { isRecord, parseJson } from "../../internal/json-text.ts";
import { packageRoot } from "../../internal/package-info.ts";
import { UserError } from "../../internal/user-error.ts";
import type { ExtensionModel } from "../../model.ts";
import { openSpecFolder } from "../../read/spec-folder.ts";
import type { SpecModels } from "../../read/spec-models.ts";
import type { LayerChoices } from "./choices.ts";
import { updateCommand, type LayerParts } from "./revision-files.ts";

/** Spec folder of this package. The runtime has its revisions and extensions. */
const packaged = join(packageRoot, "spec");

/** Returns the extensions of a spec folder that the runtime does not have. */
export async function findOwnExtensions({ extensions }: SpecModels): Promise<readonly ExtensionModel[]> {
  const folder = await openSpecFolder(packaged);
  const ids = await Promise.all([...folder.extensions.keys()].map(readPackagedId));
  return extensions.filter(({ rules }) => !ids.includes(rules.id));
}

async function readPackagedId(name: string): Promise<unknown> {
  const overlay = parseJson((await readIfPresent(join(packaged, "extensions", name, "overlay.json"))) ?? "");
  return isRecord(overlay) ? overlay.id : undefined;
}

/** @throws {UserError} when an extension uses the types of a revision that neither the project nor the runtime has */
export async function checkCores(
  { revisions: [newest] }: LayerChoices,
  extensions: readonly ExtensionModel[],
): Promise<void> {
  const others = extensions.filter(({ core }) => core.id !== newest);
  if (others.length === 0) return;
  const { pins } = await openSpecFolder(packaged);
  const lost = others.find(({ core }) => !pins.has(core.id));
  if (!lost) return;
  const { core, name } = lost;
  throw new UserError(
    `the extension ${name} has the types of ${core.id}; add that revision with --protocol, or pin it with another one.`,
  );
}

/**
 * Returns the unformatted files of the extensions of a project, by path relative to `src/mcp/`. Their imports of the core are from the newest
 * revision of the project, or from the runtime if they use another one.
 */
export function emitExtensions(
  { revisions: [newest] }: LayerChoices,
  { templates, extensions }: Pick<LayerParts, "templates" | "extensions">,
): Map<string, string> {
  const files = extensions.flatMap((extension) => {
    const { id } = extension.core;
    const modules = new Map([
      ["../../support.ts", "mcp-server-runtime/support"],
      ...(id === newest ? [] : coreModules(id)),
    ]);
    const emitted = emitExtension(extension, templates, updateCommand);
    return [...emitted].map(([path, text]): [string, string] => [path, withModules(text, modules)]);
  });
  return new Map(files);
}

function coreModules(id: string): readonly [string, string][] {
  return [
    [`../../${id}/types.ts`, `mcp-server-runtime/${id}`],
    [`../../${id}/validate.ts`, `mcp-server-runtime/${id}/validate`],
  ];
}

/** Replaces the paths of imported modules. Before formatting, an import is on one line or ends one. */
function withModules(text: string, modules: ReadonlyMap<string, string>): string {
  return text.replaceAll(/(?<=\bfrom ")[^"\n]+(?=";$)/gm, (path) => modules.get(path) ?? path);
}
