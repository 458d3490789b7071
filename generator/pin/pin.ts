import { join } from "node:path";
import { findUncovered, overlayPath } from "../conversions/conversions.ts";
import { formatJson } from "../emit/format.ts";
import type { RevisionModel } from "../model.ts";
import { packageRoot } from "../package-info.ts";
import { readOverlay } from "../read/overlay.ts";
import { pinsText, revisionPattern, type FilePin } from "../read/pins.ts";
import { hashText, readRevision } from "../read/revision.ts";
import { readSchema, type Schema } from "../read/schema.ts";
import { SpecError } from "../read/spec-error.ts";
import { UserError } from "../user-error.ts";
import { proposeOverlay } from "./propose.ts";
import { askQuestions, type Questions } from "./questions.ts";
import { openShelf, type Shelf } from "./shelf.ts";
import { readSource, type SchemaSource, type SourceOptions } from "./source.ts";
import { startSpecFolder } from "./start-folder.ts";
import { storePin } from "./store.ts";

/** Which schema to bring in, and where to put it. */
export interface PinOptions extends SourceOptions {
  /** Identifier of the revision: a date. */
  readonly revision: string;
  /** Path or https address of its `schema.ts`. */
  readonly from: string;
  /** Spec folder to put it into; made from the one of this package when missing. Default: `spec` in the working directory. */
  readonly spec?: string;
  /** Take the file although its revision date or its hash is another one than expected. */
  readonly force?: boolean;
}

/** What was pinned, and what is left to a person. */
export interface PinReport {
  readonly spec: string;
  /** The folder was made for this, from the one of this package. */
  readonly isNew: boolean;
  readonly revision: string;
  readonly pin: FilePin;
  readonly declarations: number;
  /** `kept`: the overlay that was there fits. `proposed`: it was derived from that of `base`. */
  readonly overlay: Draft;
  readonly questions: Questions;
  /** What older clients get instead of its news is not said yet: where to say it, and what. */
  readonly undecided: readonly { readonly overlay: string; readonly text: string }[];
  readonly warnings: readonly string[];
}

/** An overlay on its way into the spec folder. */
export type Draft =
  | { readonly kind: "kept"; readonly text: string }
  | { readonly kind: "proposed"; readonly text: string; readonly base: string; readonly dropped: readonly string[] };

/**
 * Brings an upstream schema into a spec folder, which starts with all revisions of this package when it is new. Throws when the file is not
 * what it should be, and leaves the folder as it was.
 */
export async function pinRevision(options: PinOptions): Promise<PinReport> {
  refuseOtherThanDate(options.revision);
  const spec = options.spec ?? "spec";
  const { isNew, undo } = await startSpecFolder(spec, packagedSpec);
  try {
    return { ...(await pinInto(spec, options)), isNew };
  } catch (error) {
    await undo();
    throw error;
  }
}

const packagedSpec = join(packageRoot, "spec");

async function pinInto(spec: string, options: PinOptions): Promise<Omit<PinReport, "isNew">> {
  const { revision, from, force = false } = options;
  const shelf = await openShelf({ folder: spec, packaged: packagedSpec });
  const source = await readSource(from, options);
  const schema = readSchema(from, source.text);
  const warnings = [...checkVersion(schema, options), ...checkHash(shelf, source, { revision, force })];
  const pin = toPin(shelf, { revision, source, schema });
  const path = join(spec, revision, "overlay.json");
  const input: DraftInput = { shelf, revision, pin, source, schema, path };
  const { draft, questions, model } = (await keepOverlay(input)) ?? (await draftOverlay(input));
  const undecided = model ? findUndecided(model, await shelf.readOthers(revision)) : [];
  await storePin(spec, {
    revision,
    schema: source.text,
    overlay: draft.text,
    pins: pinsText(new Map([...shelf.pins, [revision, pin]]), shelf.extensions),
    overlaySchema: shelf.overlaySchema,
  });
  const declarations = schema.declarations.length;
  return { spec, revision, pin, declarations, overlay: draft, questions, undecided, warnings };
}

interface DraftInput {
  readonly shelf: Shelf;
  readonly revision: string;
  readonly pin: FilePin;
  readonly source: SchemaSource;
  readonly schema: Schema;
  readonly path: string;
}

interface Drafted {
  readonly draft: Draft;
  readonly questions: Questions;
  /** Absent while questions are open. */
  readonly model: RevisionModel | undefined;
}

/** The overlay that the folder has for this revision, if it fits the new schema as it is. */
async function keepOverlay(input: DraftInput): Promise<Drafted | undefined> {
  const text = await input.shelf.readOwnOverlay(input.revision);
  if (text === undefined) return undefined;
  try {
    return {
      draft: { kind: "kept", text },
      questions: { open: [], confirm: [] },
      model: readModel(input, text),
    };
  } catch (error) {
    if (error instanceof SpecError) return undefined;
    throw error;
  }
}

async function draftOverlay(input: DraftInput): Promise<Drafted> {
  const { shelf, revision, schema, path } = input;
  const base = await shelf.readNearest(revision);
  const { overlay, dropped } = proposeOverlay(schema, base.overlay);
  const text = await formatJson(JSON.stringify(overlay, undefined, 2));
  const questions = askQuestions({ schema, overlay: { path, value: overlay }, base: base.model });
  const model = questions.open.length === 0 ? readModel(input, text) : undefined;
  return { draft: { kind: "proposed", text, base: base.model.id, dropped }, questions, model };
}

function readModel({ shelf, revision, pin, source, path }: DraftInput, text: string): RevisionModel {
  const value = readOverlay({ path, text, schema: shelf.overlaySchema });
  const schema = { path: source.from, text: source.text };
  return readRevision({ id: revision, status: pin.status, schema, overlay: { path, value } });
}

/** Differences to older revisions without a rule, each where it is to be written down once. */
function findUndecided(model: RevisionModel, others: readonly RevisionModel[]): PinReport["undecided"] {
  const models = [...others, model];
  const found = models.flatMap((target) => findUncovered(models, target));
  const unique = new Map(found.map((each) => [each.text, { overlay: overlayPath(each.model), text: each.text }]));
  return [...unique.values()];
}

function refuseOtherThanDate(revision: string): void {
  const time = Date.parse(`${revision}T00:00:00Z`);
  const isDate = revisionPattern.test(revision) && !Number.isNaN(time);
  // A day that its month does not have is carried over into the next one.
  if (isDate && new Date(time).toISOString().startsWith(revision)) return;
  throw new UserError(`\`${revision}\` is not a revision: give its date as YYYY-MM-DD.`);
}

/** The constant has been wrong in released files, so only another date is a reason to stop. */
function checkVersion({ constants }: Schema, { revision, from, force = false }: PinOptions): string[] {
  const version = constants.find(({ name }) => name === "LATEST_PROTOCOL_VERSION")?.value;
  if (version === revision) return [];
  if (version === undefined) return [`${from} declares no LATEST_PROTOCOL_VERSION; the revision is taken on trust.`];
  const problem = `${from} says LATEST_PROTOCOL_VERSION = "${version}", not "${revision}"`;
  if (force || !revisionPattern.test(String(version))) return [`${problem}.`];
  throw new UserError(
    `${problem}. Run \`create-mcp-server pin ${version}\` to pin that revision, or add --force if the file is right all the same.`,
  );
}

function checkHash(
  shelf: Shelf,
  { from, text }: SchemaSource,
  { revision, force }: { readonly revision: string; readonly force: boolean },
): string[] {
  const known = shelf.pins.get(revision)?.sha256;
  const sha256 = hashText(text);
  if (known === undefined || known === sha256) return [];
  const problem = `${revision} is pinned to another file (sha256 ${short(known)}, while ${from} has ${short(sha256)})`;
  if (force) return [`${problem}; it is replaced.`];
  throw new UserError(`${problem}. Add --force if upstream has corrected it and you want the new file.`);
}

function short(sha256: string): string {
  return sha256.slice(0, 12);
}

/** A revision whose own constant is no date, or whose address says so, is not released yet. */
function toPin(
  shelf: Shelf,
  { revision, source, schema }: { readonly revision: string; readonly source: SchemaSource; readonly schema: Schema },
): FilePin {
  const { from, text, commit } = source;
  const version = schema.constants.find(({ name }) => name === "LATEST_PROTOCOL_VERSION")?.value;
  const isDraft = /(^|\/)draft\//.test(from) || (version !== undefined && !revisionPattern.test(String(version)));
  return {
    status: shelf.pins.get(revision)?.status ?? (isDraft ? "draft" : "released"),
    ...(commit !== undefined && { commit }),
    sha256: hashText(text),
    source: from,
  };
}
