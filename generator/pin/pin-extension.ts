import { hashText } from "../internal/files.ts";
import { problemText, SpecError } from "../internal/spec-error.ts";
import type { ExtensionModel, RevisionModel } from "../model.ts";
import { pinsText, type FilePin, type Pin } from "../read/pins.ts";
import { readSchema } from "../read/schema.ts";
import { openSpecFolder, type SpecFolder } from "../read/spec-folder.ts";
import type { Decisions } from "./decisions.ts";
import { coreOf, draftExtension, readExtensionSchema, readPinnedExtension } from "./draft-extension.ts";
import { chooseNames, type ExtensionNames } from "./extension-id.ts";
import { openKnownRevisions } from "./known-revisions.ts";
import { checkHash, packagedSpec, type Draft } from "./pin.ts";
import type { SourceOptions } from "./source-folder.ts";
import { readExtensionSource, type SchemaSource } from "./source.ts";
import { startSpecFolder } from "./start-folder.ts";
import { storePin } from "./store.ts";

/** Options of pinning the schema of an extension. */
export interface PinExtensionOptions extends SourceOptions {
  /** Path or https address of its `schema.ts`. */
  readonly extension: string;
  /** Identifier of the extension. Default: the one pinned from the same source, or the only one among the constants of the file. */
  readonly id?: string;
  /** Revision whose declarations it imports. Default: as in an earlier pin, or the newest one of the folder. */
  readonly protocol?: string;
  /** Spec folder to write to. A missing one is created from the one of this package. Default: `spec` in the working directory. */
  readonly spec?: string;
  /** Status of the extension. Default: as in an earlier pin, or as the address shows. */
  readonly status?: Pin["status"];
  /** Replace the schema that is pinned. */
  readonly force?: boolean;
}

/** Result of pinning an extension, and the remaining manual decisions. */
export interface ExtensionPinReport extends ExtensionNames {
  readonly spec: string;
  /** True if the spec folder was created, from the one of this package. */
  readonly isNew: boolean;
  readonly pin: FilePin;
  readonly core: RevisionModel;
  readonly declarations: number;
  readonly overlay: Draft;
  readonly decisions: Decisions;
  /** The extension. While decisions are open, it is not complete. */
  readonly model: ExtensionModel;
  /** The version that was pinned before, if it was another file and can be read. */
  readonly previous: ExtensionModel | undefined;
  readonly warnings: readonly string[];
}

/**
 * Adds the schema of an extension to a spec folder. A new folder starts with all revisions of this package. On failure, the folder stays as it was.
 *
 * @throws {UserError} when the file is not the expected schema
 * @throws {SpecError} when the schema cannot be read, or contradicts the core
 */
export async function pinExtension(options: PinExtensionOptions): Promise<ExtensionPinReport> {
  const spec = options.spec ?? "spec";
  const source = await readExtensionSource(options.extension, options);
  const { isNew, undo } = await startSpecFolder(spec, packagedSpec);
  try {
    return { ...(await pinInto(spec, source, options)), isNew };
  } catch (error) {
    await undo();
    throw error;
  }
}

type Source = Pick<SchemaSource, "from" | "text" | "commit">;

async function pinInto(
  spec: string,
  source: Source,
  options: PinExtensionOptions,
): Promise<Omit<ExtensionPinReport, "isNew">> {
  const known = await openKnownRevisions({ folder: spec, packaged: packagedSpec });
  const folder = await openSpecFolder(spec);
  const { id, name } = await chooseNames(folder, source, options.id);
  const earlier = folder.extensions.get(name);
  const hashWarnings = checkHash(source, { name: id, pin: earlier, force: options.force ?? false });
  const revision = options.protocol ?? earlier?.revision;
  const core = await folder.readModel(coreOf(folder, revision === undefined ? undefined : { revision }));
  const parsed = readSchema(source.from, source.text, core.declarations);
  const status = options.status ?? earlier?.status ?? (/(^|\/)draft\//.test(source.from) ? "draft" : "released");
  const pin = toPin(source, status, revision);
  const previous = hashWarnings.length > 0 ? await readPrevious(folder, name) : undefined;
  const { overlaySchema } = known;
  const { draft, decisions, model } = await draftExtension({
    spec,
    id,
    name,
    source,
    status,
    core,
    parsed,
    overlaySchema,
  });
  await storePin(spec, {
    name: `extensions/${name}`,
    schema: source.text,
    overlay: draft.text,
    pins: pinsText(known.pins, new Map([...known.extensions, [name, pin]])),
    overlaySchemas: {
      "overlay.schema.json": overlaySchema,
      "extension.schema.json": await readExtensionSchema(spec),
    },
  });
  const warnings = [...hashWarnings, ...parsed.warnings.map((warning) => problemText(warning))];
  const declarations = parsed.declarations.length;
  return { spec, id, name, pin, core, declarations, overlay: draft, decisions, model, previous, warnings };
}

function toPin({ from, text, commit }: Source, status: Pin["status"], revision: string | undefined): FilePin {
  return {
    status,
    ...(commit !== undefined && { commit }),
    sha256: hashText(text),
    source: from,
    ...(revision !== undefined && { revision }),
  };
}

/** The version before may be unreadable: the new one may be its correction. */
async function readPrevious(folder: SpecFolder, name: string): Promise<ExtensionModel | undefined> {
  if (!folder.extensions.has(name)) return undefined;
  try {
    return await readPinnedExtension(folder, name);
  } catch (error) {
    if (error instanceof SpecError) return undefined;
    throw error;
  }
}
