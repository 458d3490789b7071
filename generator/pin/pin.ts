import { join } from "node:path";
import { formatJson } from "../internal/format.ts";
import type { ConversionRule, RevisionModel } from "../model.ts";
import { packageRoot } from "../internal/package-info.ts";
import { pinsText, revisionPattern, type FilePin, type Pin } from "../read/pins.ts";
import { hashText } from "../internal/files.ts";
import { readRevision } from "../read/revision.ts";
import { readSchema, type Schema } from "../read/schema.ts";
import { problemText, SpecError, type SpecProblem } from "../internal/spec-error.ts";
import { UserError } from "../internal/user-error.ts";
import { proposeOverlay } from "./propose.ts";
import { findUndecided, type UndecidedDifference } from "./proposed-rules.ts";
import { findDecisions, findLostNames, findNarrower, type Decisions } from "./decisions.ts";
import { openKnownRevisions, type KnownRevisions } from "./known-revisions.ts";
import type { SourceOptions } from "./source-folder.ts";
import { readSource, type SchemaSource } from "./source.ts";
import { startSpecFolder } from "./start-folder.ts";
import { storePin } from "./store.ts";

/** Options of pinning a schema. */
export interface PinOptions extends SourceOptions {
  /** Identifier of the revision: a date. */
  readonly revision: string;
  /** Path or https address of its `schema.ts`. */
  readonly from: string;
  /** Spec folder to write to. A missing one is created from the one of this package. Default: `spec` in the working directory. */
  readonly spec?: string;
  /** Status of the revision. Default: as in an earlier pin, or as the file shows. */
  readonly status?: Pin["status"];
  /** Accept the file even if its revision date or its hash is not the expected one. */
  readonly force?: boolean;
}

/** Result of pinning a schema, and the remaining manual decisions. */
export interface PinReport {
  readonly spec: string;
  /** True if the spec folder was created, from the one of this package. */
  readonly isNew: boolean;
  readonly revision: string;
  readonly pin: FilePin;
  /** Files of a schema in several files, which are joined; else empty. */
  readonly files: readonly string[];
  readonly declarations: number;
  /** `kept`: the existing overlay fits. `proposed`: it was derived from the overlay of `base`. */
  readonly overlay: Draft;
  readonly decisions: Decisions;
  /** Differences without a conversion for older peers. */
  readonly undecided: readonly UndecidedDifference[];
  /** The new revision and the nearest one, to compare them; absent while decisions are open. */
  readonly compared: readonly [older: RevisionModel, newer: RevisionModel] | undefined;
  /** Problems of extensions with types of the newest revision, if this is the new one. */
  readonly unfit: readonly string[];
  readonly warnings: readonly string[];
}

/** An overlay before it is stored in the spec folder. */
export type Draft =
  | { readonly kind: "kept"; readonly text: string }
  | { readonly kind: "proposed"; readonly text: string; readonly base: string; readonly dropped: readonly string[] };

/**
 * Adds an upstream schema to a spec folder. A new folder starts with all revisions of this package. On failure, the folder stays as it was.
 *
 * @throws {UserError} when the file is not the expected schema.
 */
export async function pinRevision(options: PinOptions): Promise<PinReport> {
  rejectOtherThanDate(options.revision);
  const spec = options.spec ?? "spec";
  const { isNew, undo } = await startSpecFolder(spec, packagedSpec);
  try {
    return { ...(await pinInto(spec, options)), isNew };
  } catch (error) {
    await undo();
    throw error;
  }
}

/** Spec folder of this package. */
export const packagedSpec: string = join(packageRoot, "spec");

async function pinInto(spec: string, options: PinOptions): Promise<Omit<PinReport, "isNew">> {
  const { revision, from, status, force = false } = options;
  const known = await openKnownRevisions({ folder: spec, packaged: packagedSpec });
  const source = await readSource(from, options);
  const schema = atOrigin(source, () => readSchema(from, source.text));
  const warnings = [
    ...checkVersion(schema, options),
    ...checkHash(source, { name: revision, pin: known.pins.get(revision), force }),
    ...schema.warnings.map((warning) => problemText(moveToOrigin(source, warning))),
  ];
  const pin = toPin(known, { revision, source, schema, status });
  const path = join(spec, revision, "overlay.json");
  const input: DraftInput = { known, revision, pin, source, schema, path };
  const { draft, decisions, model, nearest } = (await keepOverlay(input)) ?? (await draftOverlay(input));
  const base = model && nearest;
  const models = model ? sortModels([...(await known.readOthers(revision)), model]) : [];
  const undecided = findUndecided(models, (entry) => isReadable(entry, draft.text, input));
  const unfit = model ? await known.findUnfit(model) : [];
  await storePin(spec, {
    name: revision,
    schema: source.text,
    overlay: draft.text,
    pins: pinsText(new Map([...known.pins, [revision, pin]]), known.extensions),
    overlaySchemas: { "overlay.schema.json": known.overlaySchema },
  });
  const declarations = schema.declarations.length;
  const compared = model && base ? ([base, model] as const) : undefined;
  const { files } = source;
  return { spec, revision, pin, files, declarations, overlay: draft, decisions, undecided, compared, unfit, warnings };
}

interface DraftInput {
  readonly known: KnownRevisions;
  readonly revision: string;
  readonly pin: FilePin;
  readonly source: SchemaSource;
  readonly schema: Schema;
  readonly path: string;
}

interface Drafted {
  readonly draft: Draft;
  readonly decisions: Decisions;
  /** Absent while decisions are open without which it cannot be read. */
  readonly model: RevisionModel | undefined;
  /** The nearest revision. */
  readonly nearest: RevisionModel;
}

/** Returns the folder's overlay of this revision, if it fits the new schema unchanged. */
async function keepOverlay(input: DraftInput): Promise<Drafted | undefined> {
  const text = await input.known.readOwnOverlay(input.revision);
  const model = text === undefined ? undefined : readIfFit(input, text);
  if (text === undefined || !model) return undefined;
  const { model: nearest } = await input.known.readNearest(input.revision);
  const open = findLostNames(model, { base: nearest, removed: model.removed ?? [] });
  return { draft: { kind: "kept", text }, decisions: { open, confirm: [] }, model, nearest };
}

function readIfFit(input: DraftInput, text: string): RevisionModel | undefined {
  try {
    return readModel(input, text);
  } catch (error) {
    if (error instanceof SpecError) return undefined;
    throw error;
  }
}

async function draftOverlay(input: DraftInput): Promise<Drafted> {
  const { known, revision, schema, path } = input;
  const base = await known.readNearest(revision);
  const { overlay, dropped } = proposeOverlay(schema, base.overlay);
  const text = await formatJson(JSON.stringify(overlay, undefined, 2));
  const decisions = findDecisions({ revision, schema, overlay: { path, value: overlay }, base: base.model });
  const model = decisions.isReadable ? readModel(input, text) : undefined;
  const { open, confirm } = decisions;
  const narrower = model ? findNarrower(model, base.model) : [];
  return {
    draft: { kind: "proposed", text, base: base.model.id, dropped },
    decisions: { open, confirm: [...confirm, ...narrower] },
    model,
    nearest: base.model,
  };
}

function readModel({ known, revision, pin, source, path }: DraftInput, text: string): RevisionModel {
  const value = known.readOverlay({ path, text });
  const schema = { path: source.from, text: source.text };
  return atOrigin(source, () => readRevision({ id: revision, status: pin.status, schema, overlay: { path, value } }));
}

/** Shows problems of joined files at their places in these files. */
function atOrigin<Result>(source: SchemaSource, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof SpecError ? new SpecError(moveToOrigin(source, error)) : error;
  }
}

function moveToOrigin(
  { from, originOf }: SchemaSource,
  { file, line, column, text }: SpecProblem | SpecError,
): SpecProblem {
  if (file !== from || line === undefined || column === undefined) return { file, text };
  return { ...originOf({ line, column }), text };
}

/** True if the folder's schema of overlays has the rule of an entry. A folder with its own schema may not have it. */
function isReadable(entry: ConversionRule, overlay: string, { known, path }: DraftInput): boolean {
  try {
    known.readOverlay({ path, text: JSON.stringify({ ...JSON.parse(overlay), conversions: [entry] }) });
    return true;
  } catch (error) {
    if (error instanceof SpecError) return false;
    throw error;
  }
}

function sortModels(models: readonly RevisionModel[]): readonly RevisionModel[] {
  return [...models].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function rejectOtherThanDate(revision: string): void {
  const time = Date.parse(`${revision}T00:00:00Z`);
  const isDate = revisionPattern.test(revision) && !Number.isNaN(time);
  // A day that its month does not have is carried over into the next month.
  if (isDate && new Date(time).toISOString().startsWith(revision)) return;
  throw new UserError(`\`${revision}\` is not a revision; pass a date in the form YYYY-MM-DD.`);
}

/** Compares the version constant with the revision. Released files have had invalid constants, so only another date is rejected. */
function checkVersion({ constants }: Schema, { revision, from, force = false }: PinOptions): string[] {
  const version = constants.find(({ name }) => name === "LATEST_PROTOCOL_VERSION")?.value;
  if (version === revision) return [];
  if (version === undefined) return [`${from} declares no LATEST_PROTOCOL_VERSION; the revision is not verified.`];
  const problem = `${from} declares LATEST_PROTOCOL_VERSION = "${version}", not "${revision}"`;
  if (force || !revisionPattern.test(String(version))) return [`${problem}.`];
  throw new UserError(
    `${problem}; run \`create-mcp-server pin ${version}\` to pin that revision, or pass --force if the file is correct.`,
  );
}

/**
 * Compares a file with an earlier pin of it. Returns a warning if it is another file.
 *
 * @throws {UserError} when it is another file, unless `force` accepts it
 */
export function checkHash(
  { from, text }: Pick<SchemaSource, "from" | "text">,
  { name, pin, force }: { readonly name: string; readonly pin: Pin | undefined; readonly force: boolean },
): string[] {
  const pinned = pin?.sha256;
  const sha256 = hashText(text);
  if (pinned === undefined || pinned === sha256) return [];
  const problem = `${name} is pinned to another file (sha256 ${short(pinned)}; ${from} has ${short(sha256)})`;
  if (force) return [`${problem}; the pinned file is replaced.`];
  throw new UserError(`${problem}; pass --force to replace it with a corrected upstream file.`);
}

function short(sha256: string): string {
  return sha256.slice(0, 12);
}

/** Creates the pin. A revision is a draft if its own constant is no date, or its address contains `draft`. */
function toPin(
  known: KnownRevisions,
  {
    revision,
    source,
    schema,
    status,
  }: Pick<DraftInput, "revision" | "source" | "schema"> & { readonly status: Pin["status"] | undefined },
): FilePin {
  const { from, text, commit } = source;
  const version = schema.constants.find(({ name }) => name === "LATEST_PROTOCOL_VERSION")?.value;
  const isDraft = /(^|\/)draft\//.test(from) || (version !== undefined && !revisionPattern.test(String(version)));
  return {
    status: status ?? known.pins.get(revision)?.status ?? (isDraft ? "draft" : "released"),
    ...(commit !== undefined && { commit }),
    sha256: hashText(text),
    source: from,
  };
}
