import { join } from "node:path";
import { readIfPresent } from "../internal/files.ts";
import { formatJson } from "../internal/format.ts";
import { SpecError } from "../internal/spec-error.ts";
import type { ExtensionModel, RevisionModel } from "../model.ts";
import { examineExtension } from "../read/extension.ts";
import { createExtensionOverlayReader } from "../read/overlay.ts";
import type { Pin } from "../read/pins.ts";
import { readSchema, type Schema } from "../read/schema.ts";
import { openSpecFolder, type SpecFolder } from "../read/spec-folder.ts";
import type { Decisions } from "./decisions.ts";
import { findNames, type ExtensionNames } from "./extension-id.ts";
import { openKnownRevisions } from "./known-revisions.ts";
import { packagedSpec, type Draft } from "./pin.ts";
import { proposeExtensionOverlay } from "./propose-extension.ts";
import type { SourceOptions } from "./source-folder.ts";
import { readExtensionSource, type SchemaSource } from "./source.ts";

/** Schema of an extension, and the folder whose overlay it may fit. */
export interface DraftInput extends ExtensionNames {
  readonly spec: string;
  readonly source: Pick<SchemaSource, "from" | "text">;
  readonly status: Pin["status"];
  readonly core: RevisionModel;
  readonly parsed: Schema;
  /** Text of `overlay.schema.json`. */
  readonly overlaySchema: string;
}

/**
 * Returns the overlay of the folder, if it fits the schema; otherwise a proposal that starts from it. With it comes the extension it describes, as far
 * as no decision is open.
 *
 * @throws {SpecError} when the overlay of the folder is not valid, or the schema contradicts the core
 */
export async function draftExtension(
  input: DraftInput,
): Promise<{ readonly draft: Draft; readonly decisions: Decisions; readonly model: ExtensionModel }> {
  const { spec, id, name, source, status, core, parsed, overlaySchema } = input;
  const path = `${spec}/extensions/${name}/overlay.json`;
  const common = { name, status, schema: { path: source.from, text: source.text }, core, parsed };
  const text = await readIfPresent(join(spec, "extensions", name, "overlay.json"));
  const schemas = { schema: overlaySchema, extensionSchema: await readExtensionSchema(spec) };
  const base = text === undefined ? undefined : createExtensionOverlayReader(schemas)({ path, text });
  const kept = base && readIfComplete({ ...common, overlay: { path, value: base } });
  if (text !== undefined && kept)
    return { draft: { kind: "kept", text }, decisions: { open: [], confirm: [] }, model: kept };
  const clause = clauseOf(id, source.from);
  const proposal = proposeExtensionOverlay({ ...common, id, path, clause, ...(base && { base }) });
  const { overlay, decisions, dropped, model } = proposal;
  const proposed = await formatJson(JSON.stringify(overlay, undefined, 2));
  const from = base ? "the version before" : "the schema";
  return { draft: { kind: "proposed", text: proposed, base: from, dropped }, decisions, model };
}

/**
 * Reads a version of an extension from its schema, with the overlay of the pinned version as far as it fits.
 *
 * @param extension - identifier of the extension, or the name of its folder
 */
export async function readExtensionVersion(
  from: string,
  { extension, spec, ...options }: SourceOptions & { readonly extension: string; readonly spec: string },
): Promise<ExtensionModel> {
  const folder = await openSpecFolder(spec);
  const source = await readExtensionSource(from, options);
  const names = await findNames(folder, extension);
  const pin = folder.extensions.get(names.name);
  const core = await folder.readModel(coreOf(folder, pin));
  const parsed = readSchema(source.from, source.text, core.declarations);
  const { overlaySchema } = await openKnownRevisions({ folder: spec, packaged: packagedSpec });
  const status = pin?.status ?? "released";
  return (await draftExtension({ ...names, spec, source, status, core, parsed, overlaySchema })).model;
}

/** Reads the version of an extension that a spec folder has pinned. */
export async function readPinnedExtension(folder: SpecFolder, name: string): Promise<ExtensionModel> {
  return folder.readExtension(name, await folder.readModel(coreOf(folder, folder.extensions.get(name))));
}

/** Returns the revision whose declarations an extension uses. */
export function coreOf({ pins }: SpecFolder, pin: Pick<Pin, "revision"> | undefined): string {
  return pin?.revision ?? [...pins.keys()].at(-1) ?? "";
}

/** The schema of overlays of the folder stays: its overlays fit it. */
export async function readExtensionSchema(spec: string): Promise<string> {
  const file = "extension.schema.json";
  const text = (await readIfPresent(join(spec, file))) ?? (await readIfPresent(join(packagedSpec, file)));
  if (text === undefined) throw new Error(`${file} is not part of the package; reinstall it.`);
  return text;
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
