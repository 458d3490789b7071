import { readFileSync } from "node:fs";
import { readConversions } from "../../../generator/conversions/conversions.ts";
import { emitRevision, revisionTemplates } from "../../../generator/emit/revision-files.ts";
import { SpecError } from "../../../generator/internal/spec-error.ts";
import { loadTemplates } from "../../../generator/internal/templates.ts";
import type { RevisionModel } from "../../../generator/model.ts";
import { findGoneNames } from "../../../generator/model/gone-names.ts";
import { findMissing } from "../../../generator/model/missing.ts";
import { readNames, usedNames } from "../../../generator/model/names.ts";
import { findNarrower } from "../../../generator/pin/decisions.ts";
import { createOverlayReader } from "../../../generator/read/overlay.ts";
import { readRevision } from "../../../generator/read/revision.ts";
import { openSpecFolder } from "../../../generator/read/spec-folder.ts";
import { toNextRevision, type ChangeKind, type SingleChange, type SpecTexts } from "../../drill/changes.ts";

/** What happens to a revision with one change. */
export type Outcome =
  /** Something stops before the revision is generated, or lists the change as one to decide. `names` is true if the text names what was changed. */
  | { readonly kind: "stops"; readonly by: Stage; readonly text: string; readonly names: boolean }
  /** The generated files differ from those without the change, and only where it is named. */
  | { readonly kind: "exact" }
  /** Nothing tells of the change. */
  | { readonly kind: "silent"; readonly text: string };

type Stage = "reading" | "names" | "conversions" | "pin";

/** Judges single changes to the newest revision, in the revision after it. */
export interface Judge {
  /** Files of the following revision without a change. */
  readonly texts: SpecTexts;
  judge(change: SingleChange): Outcome;
}

const next = "2027-03-30";

/** Reads the released revisions, and the newest of them once more as the following one. */
export async function createJudge(): Promise<Judge> {
  const folder = await openSpecFolder("spec");
  const ids = [...folder.pins.keys()].sort();
  const models = await Promise.all(ids.map((id) => folder.readModel(id)));
  const newest = models.at(-1);
  if (!newest) throw new Error("no revision to change");
  const readOverlay = createOverlayReader(readFileSync("spec/overlay.schema.json", "utf8"));
  const path = `spec/${newest.id}/overlay.json`;
  const texts = toNextRevision(
    {
      schema: readFileSync(`spec/${newest.id}/schema.ts`, "utf8"),
      overlay: readOverlay({ path, text: readFileSync(path, "utf8") }),
    },
    { from: newest.id, to: next },
  );
  const used = usedNames(readNames());
  const control = read(texts);
  const plain = linesOf(control, models);
  const explained = { methods: control.methods, errors: texts.overlay.errors };
  return {
    texts,
    judge(change) {
      const stop = (by: Stage, text: string): Outcome => ({
        kind: "stops",
        by,
        text,
        names: isExplained(change, text, explained),
      });
      const changed = change.apply(texts);
      if (changed.schema === texts.schema && JSON.stringify(changed.overlay) === JSON.stringify(texts.overlay))
        return { kind: "silent", text: "nothing was changed" };
      const model = tryTo(() => read(changed));
      if (model instanceof SpecError) return stop("reading", model.message);
      const files = compare(change, plain, linesOf(model, models));
      // Other changes also show in places without their name, such as types with an inherited member.
      if (files.kind === "silent" && plainKinds.has(change.kind)) return files;
      const { lost } = findGoneNames(used, { before: newest, after: model, removed: [] });
      if (lost.length > 0) return stop("names", lost.join("\n"));
      const all = [...models, model];
      for (const target of models) {
        const converted = tryTo(() => readConversions(all, target));
        if (converted instanceof SpecError) return stop("conversions", converted.message);
      }
      const narrower = findNarrower(model, newest);
      if (narrower.length > 0) return stop("pin", narrower.join("\n"));
      return files;
    },
  };
}

/** Changes required to be exact in the files even if something stops before: the decision to use the revision changes nothing in them. */
const plainKinds: ReadonlySet<ChangeKind> = new Set([
  "value renamed",
  "constant changed",
  "header renamed",
  "error renamed",
  "error code changed",
]);

function read({ schema, overlay }: SpecTexts): RevisionModel {
  return readRevision({
    id: next,
    status: "draft",
    schema: { path: `spec/${next}/schema.ts`, text: schema },
    overlay: { path: `spec/${next}/overlay.json`, value: overlay },
  });
}

function tryTo<Result>(work: () => Result): Result | SpecError {
  try {
    return work();
  } catch (error) {
    if (error instanceof SpecError) return error;
    throw error;
  }
}

const templates = loadTemplates("templates", [...revisionTemplates]);

/** Returns the lines of all files of a revision, without comments and brackets. */
function linesOf(model: RevisionModel, models: readonly RevisionModel[]): readonly string[] {
  const missing = findMissing(model, [...models, model], []);
  const files = emitRevision(model, { conversions: undefined, missing }, templates);
  const lines = [...files.values()].flatMap((text) => text.split("\n")).map((line) => line.trim());
  return lines.filter((line) => !/^(\/?\*|\/\/|[{}()[\];,]*$)/.test(line));
}

/**
 * The files of a changed revision must differ, and only in lines with the name of what was changed. A removed member may take with it what only it
 * needed, such as the check of its items.
 */
function compare(change: SingleChange, plain: readonly string[], changed: readonly string[]): Outcome {
  const gone = without(plain, changed);
  const added = without(changed, plain);
  if (gone.length + added.length === 0) return { kind: "silent", text: "the generated files are the same" };
  const { kind, subject, from, to } = change;
  const isRemoved = kind === "member removed";
  const left = added.filter(
    (line) => line.includes(from) && !line.includes(typeOf(subject)) && !line.includes(" was removed in revision "),
  );
  const strange = isRemoved ? left : [...gone, ...added].filter((line) => !isNamed(change, line));
  const isShown = isRemoved ? gone.some((line) => line.includes(from)) : added.some((line) => line.includes(to));
  if (strange.length === 0 && isShown) return { kind: "exact" };
  return { kind: "silent", text: [...strange, ...added].slice(0, 3).join("\n") };
}

/** Returns the lines missing in others, with their numbers of occurrences. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const line of others) counts.set(line, (counts.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = counts.get(line) ?? 0;
    counts.set(line, count - 1);
    return count <= 0;
  });
}

/** True if a text names what was changed: its old or new text, or its type. */
function isNamed({ subject, from, to }: SingleChange, text: string): boolean {
  return [subject, typeOf(subject), from, to].some((name) => name !== "" && text.includes(name));
}

/** Returns the type of a name, in the form also used by methods. */
function typeOf(subject: string): string {
  return subject.replace(/[.:].*$/, "").replace(/Request$/, "");
}

/** True if a text names what was changed, or what follows from it: the method of a type, the type of a result, the error of a constant. */
function isExplained(
  change: SingleChange,
  text: string,
  { methods, errors }: { readonly methods: RevisionModel["methods"]; readonly errors: SpecTexts["overlay"]["errors"] },
): boolean {
  if (isNamed(change, text)) return true;
  const base = change.subject.replace(/\..*$/, "").replace(/(Request|Notification|Params|Result|ResultResponse)$/, "");
  const own = methods.filter(({ type }) => type === `${base}Request` || type === `${base}Notification`);
  const codes = errors.filter(({ constant }) => constant === change.subject);
  const results = [`${base}Request`, `${base}Result`];
  const roles = /^(Client|Server)(Request|Notification)$/.test(change.subject) ? ["role union"] : [];
  const names = [...own.map(({ name }) => name), ...codes.map(({ name }) => name), ...results, ...roles];
  return names.some((name) => text.includes(name));
}
