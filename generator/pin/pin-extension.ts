import { join } from "node:path";
import { avoidDevice, hashText, readIfPresent } from "../internal/files.ts";
import { formatJson } from "../internal/format.ts";
import { isRecord, parseJson } from "../internal/json-text.ts";
import { problemText, SpecError } from "../internal/spec-error.ts";
import { UserError } from "../internal/user-error.ts";
import type { ExtensionModel, RevisionModel } from "../model.ts";
import { examineExtension } from "../read/extension.ts";
import { createExtensionOverlayReader } from "../read/overlay.ts";
import { pinsText, type FilePin, type Pin } from "../read/pins.ts";
import { readSchema, type Schema } from "../read/schema.ts";
import { openSpecFolder, type SpecFolder } from "../read/spec-folder.ts";
import type { Decisions } from "./decisions.ts";
import { openKnownRevisions, type KnownRevisions } from "./known-revisions.ts";
import { checkHash, packagedSpec, type Draft } from "./pin.ts";
import { proposeExtensionOverlay } from "./propose-extension.ts";
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
export interface ExtensionPinReport {
  readonly spec: string;
  /** True if the spec folder was created, from the one of this package. */
  readonly isNew: boolean;
  readonly id: string;
  /** Name of its folder below `extensions`. */
  readonly name: string;
  readonly pin: FilePin;
  readonly core: RevisionModel;
  readonly declarations: number;
  readonly overlay: Draft;
  readonly decisions: Decisions;
  /** The extension; absent while decisions are open. */
  readonly model: ExtensionModel | undefined;
  /** The version that was pinned before, if it can be read. */
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
  const { id, name } = await chooseId(folder, source, options);
  const earlier = folder.extensions.get(name);
  const hashWarnings = checkHash(source, { name: id, pin: earlier, force: options.force ?? false });
  const revision = options.protocol ?? earlier?.revision;
  const core = await folder.readModel(revision ?? [...folder.pins.keys()].at(-1) ?? "");
  const parsed = readSchema(source.from, source.text, core.declarations);
  const status = options.status ?? earlier?.status ?? (/(^|\/)draft\//.test(source.from) ? "draft" : "released");
  const pin = toPin(source, status, revision);
  const previous = earlier && (await readPrevious(folder, name, earlier));
  const input = { spec, id, name, source, pin, core, parsed, known };
  const { draft, decisions, model } = await draftOverlay(input);
  await storePin(spec, {
    name: `extensions/${name}`,
    schema: source.text,
    overlay: draft.text,
    pins: pinsText(known.pins, new Map([...known.extensions, [name, pin]])),
    overlaySchemas: {
      "overlay.schema.json": known.overlaySchema,
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

/** Pattern of identifiers: labels of a domain, a slash, and a name. */
const idPattern =
  /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\/[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$/;

/** Returns the identifier and the name of the folder. @throws {UserError} when they belong to another extension */
async function chooseId(
  folder: SpecFolder,
  source: Source,
  { id: given }: PinExtensionOptions,
): Promise<{ readonly id: string; readonly name: string }> {
  const ids = await readIds(folder);
  const id = given ?? findId(folder, source, ids);
  if (!idPattern.test(id))
    throw new UserError(`\`${id}\` is no identifier of an extension; pass one with a prefix, as com.example/echo.`);
  const name = folderName(id);
  const other = [...ids].find(([key, used]) => used === id && key !== name);
  if (other)
    throw new UserError(`${id} is pinned as extensions/${other[0]}; rename that folder and its pin to ${name} first.`);
  const used = ids.get(name);
  if (used !== undefined && used !== id)
    throw new UserError(`extensions/${name} is ${used}, not ${id}; remove it from pins.json, or use another --spec.`);
  return { id, name };
}

/** Returns the identifiers of the pinned extensions, by the names of their folders. */
async function readIds({ path, extensions }: SpecFolder): Promise<ReadonlyMap<string, string>> {
  const entries = [...extensions.keys()].map(async (name): Promise<[string, string][]> => {
    const overlay = parseJson((await readIfPresent(join(path, "extensions", name, "overlay.json"))) ?? "");
    return isRecord(overlay) && typeof overlay.id === "string" ? [[name, overlay.id]] : [];
  });
  return new Map((await Promise.all(entries)).flat());
}

function findId({ extensions }: SpecFolder, { from, text }: Source, ids: ReadonlyMap<string, string>): string {
  const pinned = [...extensions].find(([, { source }]) => source === from);
  const known = pinned && ids.get(pinned[0]);
  if (known !== undefined) return known;
  const written = [...text.matchAll(/^export const \w+(?:: string)? = "([^"\n]+)"/gm)].map(([, value]) => value ?? "");
  const [only, ...others] = written.filter((value) => idPattern.test(value));
  if (only !== undefined && others.length === 0) return only;
  throw new UserError(`${from} does not state the identifier of the extension; pass it, as --id com.example/echo.`);
}

/** Returns the name of the folder of an extension: the last part of its identifier. */
function folderName(id: string): string {
  const [, name = ""] = id.split("/");
  return avoidDevice(name.toLowerCase().replaceAll(/[^a-z\d]+/g, "-"), "extension");
}

/** The version before may be unreadable: the new one may be its correction. */
async function readPrevious(folder: SpecFolder, name: string, pin: Pin): Promise<ExtensionModel | undefined> {
  try {
    const core = await folder.readModel(pin.revision ?? [...folder.pins.keys()].at(-1) ?? "");
    return await folder.readExtension(name, core);
  } catch (error) {
    if (error instanceof SpecError) return undefined;
    throw error;
  }
}

interface DraftInput {
  readonly spec: string;
  readonly id: string;
  readonly name: string;
  readonly source: Source;
  readonly pin: Pin;
  readonly core: RevisionModel;
  readonly parsed: Schema;
  readonly known: KnownRevisions;
}

interface Drafted {
  readonly draft: Draft;
  readonly decisions: Decisions;
  readonly model: ExtensionModel | undefined;
}

/** Returns the overlay of the folder, if it fits the schema; else a proposal that starts from it. */
async function draftOverlay(input: DraftInput): Promise<Drafted> {
  const { spec, id, name, source, pin, core, parsed, known } = input;
  const path = `${spec}/extensions/${name}/overlay.json`;
  const schema = { path: source.from, text: source.text };
  const common = { name, status: pin.status, schema, core, parsed };
  const text = await readIfPresent(join(spec, "extensions", name, "overlay.json"));
  const schemas = { schema: known.overlaySchema, extensionSchema: await readExtensionSchema(spec) };
  const base = text === undefined ? undefined : createExtensionOverlayReader(schemas)({ path, text });
  const kept = text !== undefined && base ? readIfComplete({ ...common, overlay: { path, value: base } }) : undefined;
  if (text !== undefined && kept)
    return { draft: { kind: "kept", text }, decisions: { open: [], confirm: [] }, model: kept };
  const clause = clauseOf(id, source.from);
  const { overlay, decisions, dropped } = proposeExtensionOverlay({
    ...common,
    id,
    path,
    clause,
    ...(base && { base }),
  });
  return {
    draft: {
      kind: "proposed",
      text: await formatJson(JSON.stringify(overlay, undefined, 2)),
      base: base ? "the version before" : "the schema",
      dropped,
    },
    decisions,
    model: readIfComplete({ ...common, overlay: { path, value: overlay } }),
  };
}

function readIfComplete(input: Parameters<typeof examineExtension>[0]): ExtensionModel | undefined {
  try {
    const { model, decisions } = examineExtension(input);
    return decisions.length === 0 ? model : undefined;
  } catch (error) {
    if (error instanceof SpecError) return undefined;
    throw error;
  }
}

/** Returns the address of the facts: the one of the schema, or of the domain in the identifier. */
function clauseOf(id: string, from: string): string {
  if (from.startsWith("https://")) return from;
  const [domain = "", name = ""] = id.split("/");
  return `https://${domain.split(".").reverse().join(".")}/${name}`;
}

/** The schema of overlays of the folder stays: its overlays fit it. */
async function readExtensionSchema(spec: string): Promise<string> {
  const file = "extension.schema.json";
  const text = (await readIfPresent(join(spec, file))) ?? (await readIfPresent(join(packagedSpec, file)));
  if (text === undefined) throw new Error(`${file} is not part of the package; reinstall it.`);
  return text;
}
