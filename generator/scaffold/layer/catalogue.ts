import type { RevisionModel } from "../../model.ts";
import { UserError } from "../../internal/user-error.ts";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { LayerChoices } from "./choices.ts";

/** Facts for the selection of a revision. */
export interface RevisionEntry {
  readonly id: string;
  readonly status: "released" | "draft";
  readonly isStateless: boolean;
}

/** Returns the revisions of a spec folder, newest first. */
export function toCatalogue(models: readonly RevisionModel[]): RevisionEntry[] {
  return models
    .map(({ id, status, rules }) => ({ id, status, isStateless: rules.lifecycle === "per-request" }))
    .sort((a, b) => (a.id < b.id ? 1 : -1));
}

/**
 * Returns the revisions selected by `--protocol`, newest first: one, several with commas, `latest` or `all`. Default: all released ones.
 * @throws {UserError} with the possible values.
 */
export function chooseRevisions(protocol: string | undefined, catalogue: readonly RevisionEntry[]): string[] {
  if (protocol === undefined) return catalogue.filter(isReleased).map(({ id }) => id);
  const chosen = protocol.split(",").flatMap((word) => expand(word.trim(), catalogue));
  return catalogue.map(({ id }) => id).filter((id) => chosen.includes(id));
}

/** Returns the revisions with stateless requests, for which no session is opened. */
export function statelessAmong(revisions: readonly string[], catalogue: readonly RevisionEntry[]): string[] {
  return revisions.filter((revision) => catalogue.some(({ id, isStateless }) => id === revision && isStateless));
}

/** Formats revisions for the texts of a project. */
export function describeRevisions(revisions: readonly string[]): string {
  return revisions.length === 1 ? `revision ${revisions[0]}` : `the revisions ${revisions.join(", ")}`;
}

function isReleased({ status }: RevisionEntry): boolean {
  return status === "released";
}

function expand(word: string, catalogue: readonly RevisionEntry[]): string[] {
  const ids = catalogue.map(({ id }) => id);
  if (word === "all") return ids;
  if (word === "latest") return chooseRevisions(undefined, catalogue).slice(0, 1);
  if (ids.includes(word)) return [word];
  throw new UserError(
    `--protocol: unknown revision ${JSON.stringify(word)}. Choose from ${ids.join(", ")}, or use latest or all.`,
  );
}

/** Returns the spec folder of an update: the named one, or the one used before. @throws {UserError} when it is missing. */
export function findSpec(
  named: string | false | undefined,
  { project, choices }: { readonly project: string; readonly choices: LayerChoices },
): string | undefined {
  if (named !== undefined) return named === false ? undefined : resolve(named);
  if (choices.spec === undefined) return undefined;
  const spec = resolve(project, choices.spec);
  if (existsSync(join(spec, "pins.json"))) return spec;
  throw new UserError(
    `${spec} has no revisions; pass their folder with --spec, or use --no-spec for those of the package`,
  );
}
