import type { ExtensionModel, RevisionModel } from "../model.ts";
import { readPackagedModels, type PackagedModels } from "./packaged-models.ts";
import { readExtensionPins, readPins, type Pins } from "./pins.ts";
import { readRevisionFiles, readSpecFile, type SpecFile } from "./spec-file.ts";
import { SpecError, unknownRevision } from "../internal/spec-error.ts";

/** Folder of pinned revisions and extensions, with its pins read. */
export interface SpecFolder {
  readonly path: string;
  readonly pins: Pins;
  /** Pins of extensions, by name. */
  readonly extensions: Pins;
  /** Reads one revision of the folder. @throws {SpecError} when the revision is unknown or one of its files cannot be read. */
  readModel(revision: string): Promise<RevisionModel>;
  /**
   * Reads one extension against the revision whose types it uses.
   *
   * @throws {SpecError} when the extension is unknown or one of its files cannot be read.
   */
  readExtension(name: string, core: RevisionModel): Promise<ExtensionModel>;
}

/**
 * Opens a spec folder and reads its pins. `packaged`: the models of this package, if they have been read.
 *
 * @throws {SpecError} when the pins cannot be read.
 */
export async function openSpecFolder(path: string, packaged?: PackagedModels): Promise<SpecFolder> {
  const read = (...parts: readonly string[]): Promise<SpecFile> => readSpecFile(path, ...parts);
  const pinsFile = await read("pins.json");
  const pins = readPins(pinsFile.path, pinsFile.text);
  const extensions = readExtensionPins(pinsFile.path, pinsFile.text);
  let packagedModels = packaged && Promise.resolve<PackagedModels | undefined>(packaged);
  return {
    path,
    pins,
    extensions,
    async readModel(id) {
      const pin = pins.get(id);
      if (!pin) throw new SpecError({ file: pinsFile.path, text: unknownRevision(id, pins) });
      const { schema, overlay, rules, digest } = await readRevisionFiles(path, id, pin);
      const known = (await (packagedModels ??= readPackagedModels()))?.byDigest.get(digest);
      if (known) return known;
      const { status, commit } = pin;
      const [{ readRevision }, { createOverlayReader }] = await Promise.all([
        import("./revision.ts"),
        import("./overlay.ts"),
      ]);
      const model = readRevision({
        id,
        status,
        schema,
        overlay: { path: overlay.path, value: createOverlayReader(rules.text)(overlay) },
        ...(commit !== undefined && { commit }),
      });
      return named(model, id);
    },
    async readExtension(name, core) {
      const pin = extensions.get(name);
      if (!pin) throw new SpecError({ file: pinsFile.path, text: `unknown extension \`${name}\`` });
      const [schema, overlay, rules, extensionRules] = await Promise.all([
        read("extensions", name, "schema.ts"),
        read("extensions", name, "overlay.json"),
        read("overlay.schema.json"),
        read("extension.schema.json"),
      ]);
      const [{ readExtension }, { createExtensionOverlayReader }] = await Promise.all([
        import("./extension.ts"),
        import("./overlay.ts"),
      ]);
      const readOverlay = createExtensionOverlayReader({ schema: rules.text, extensionSchema: extensionRules.text });
      const { status, commit } = pin;
      const model = readExtension({
        name,
        status,
        schema,
        overlay: { path: overlay.path, value: readOverlay(overlay) },
        core,
        ...(commit !== undefined && { commit }),
      });
      return named(model, `extensions/${name}`);
    },
  };
}

/** Gives a source the same path regardless of the name of its folder: a copy of the folder generates the same files. */
function named<Model extends Pick<RevisionModel, "source">>(model: Model, folder: string): Model {
  return { ...model, source: { ...model.source, path: `spec/${folder}/schema.ts` } };
}
