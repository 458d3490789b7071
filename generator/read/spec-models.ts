import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { checkExtensionNames, checkNames } from "../model/gone-names.ts";
import { hasCapability } from "../model/capabilities.ts";
import type { ExtensionModel, RevisionModel } from "../model.ts";
import { SpecError, unknownRevision } from "../internal/spec-error.ts";
import type { Pin } from "./pins.ts";
import { packageRoot } from "../internal/package-info.ts";
import { hashText } from "../internal/files.ts";
import { readPackagedModels } from "./packaged-models.ts";

/** Models of every pinned revision and extension of a spec folder. */
export interface SpecModels {
  /** True if the revisions are the ones of this package, whose tables are compiled already. */
  readonly isPackaged: boolean;
  /** SHA-256 of the spec folder. */
  readonly digest: string;
  /** Models of the revisions, oldest first. */
  readonly models: readonly RevisionModel[];
  readonly extensions: readonly ExtensionModel[];
}

/**
 * Reads the models of a spec folder.
 *
 * @throws {SpecError} when a file of the folder is not valid.
 */
export async function readSpecModels(spec: string = join(packageRoot, "spec")): Promise<SpecModels> {
  const digest = await digestSpec(spec);
  const packaged = await readPackagedModels();
  if (packaged?.digest === digest) return { ...packaged, isPackaged: true };
  const { openSpecFolder } = await import("./spec-folder.ts");
  const folder = await openSpecFolder(spec, packaged);
  const models = await Promise.all([...folder.pins.keys()].sort().map((id) => folder.readModel(id)));
  checkNames(models);
  const extensions = await Promise.all(
    [...folder.extensions].map(([name, pin]) => folder.readExtension(name, findCore(models, pin))),
  );
  checkExtensionNames(extensions);
  const isPackaged = packaged?.models.length === models.length && models.every((one) => packaged.models.includes(one));
  return { digest, models, extensions, isPackaged };
}

/** Returns the revision whose declarations an extension uses. @throws {SpecError} when it is not pinned. */
export function findCore(models: readonly RevisionModel[], { revision }: Pick<Pin, "revision">): RevisionModel {
  const core = revision === undefined ? models.at(-1) : models.find(({ id }) => id === revision);
  if (core) return core;
  const known = new Map(models.map((model) => [model.id, model]));
  throw new SpecError({ file: "spec/pins.json", text: unknownRevision(revision ?? "", known) });
}

/** True if a revision negotiates extensions. Older revisions do not. */
export function negotiatesExtensions(model: RevisionModel): boolean {
  return hasCapability(model, { side: "server", path: ["extensions"] });
}

/** SHA-256 of the paths and texts of a spec folder. */
async function digestSpec(spec: string): Promise<string> {
  const names = await readdir(spec, { recursive: true }).catch(() => []);
  const files = names.filter((name) => /\.(?:ts|json)$/.test(name)).sort();
  // Small files are read synchronously: a promise for each takes longer than the reading.
  const texts = files.map((name) => `${name.replaceAll(sep, "/")}\n${readFileSync(join(spec, name), "utf8")}\0`);
  return hashText(texts.join(""));
}
