import type { RevisionConversions } from "../conversions/conversions.ts";
import type { Missing } from "../model/missing.ts";
import type { RevisionModel } from "../model.ts";
import type { Templates } from "../internal/templates.ts";
import { digestText } from "./digest-text.ts";
import { convertView } from "./views/convert.ts";
import { declarationsView } from "./views/declarations.ts";
import { methodsView } from "./views/methods.ts";
import { stubsView } from "./views/stubs.ts";
import { typesView } from "./views/types.ts";
import { validateView } from "./views/validate.ts";
import { writeConversions } from "./written-conversions.ts";

/** Templates for {@link emitRevision} and {@link emitRevisionList}. */
export const revisionTemplates = [
  "types.ts",
  "validate.ts",
  "convert.ts",
  "methods.ts",
  "server.ts",
  "client.ts",
  "declarations.ts",
  "index.ts",
  "revisions.ts",
] as const;

/** Information about a revision from the models of other revisions. */
export interface Neighbours {
  /** Absent for the newest revision, which converts nothing. */
  readonly conversions: RevisionConversions | undefined;
  readonly missing: Missing;
}

/** Returns the unformatted text of the files of one revision, by path relative to the output folder. */
export function emitRevision(
  model: RevisionModel,
  { conversions, missing }: Neighbours,
  templates: Templates,
): Map<string, string> {
  const header = { source: model.source.path, digest: digestText(model) };
  const validate = validateView(model);
  const convert = conversions && convertView(model, writeConversions(conversions));
  const views = {
    "types.ts": typesView(model),
    "validate.ts": validate,
    ...(convert && { "convert.ts": convert }),
    "methods.ts": {
      ...methodsView(model, validate.callees),
      converts: convert !== undefined,
      receives: convert !== undefined && convert.received.length > 0,
    },
    "server.ts": stubsView(model, "server"),
    "client.ts": stubsView(model, "client"),
    "declarations.ts": declarationsView(model, missing),
    "index.ts": {},
  };
  return new Map(
    Object.entries(views).map(([name, view]) => [
      `${model.id}/${name}`,
      templates.render(name, { ...header, ...view }),
    ]),
  );
}

/** Returns the unformatted text of `revisions.ts`, the list of all revisions of a build. */
export function emitRevisionList(ids: readonly string[], templates: Templates): string {
  const newestFirst = [...ids].sort().reverse();
  const revisions = newestFirst.map((id) => ({ id, alias: `revision${id.replaceAll(/[^0-9A-Za-z]/g, "")}` }));
  const list = revisions.map(({ alias }) => alias).join(", ");
  return templates.render("revisions.ts", { source: "spec/pins.json", revisions, list });
}
