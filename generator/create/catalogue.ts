import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readPins } from "../read/pins.ts";
import { UserError } from "../user-error.ts";

/** Facts that the selection of a revision needs. */
export interface RevisionEntry {
  readonly id: string;
  readonly status: "released" | "draft";
  readonly lifecycle: string;
}

/** Reads the revisions of this package, newest first, without reading their schemas. @throws {UserError} when an overlay names no lifecycle. */
export function readCatalogue(packageFolder: string): RevisionEntry[] {
  const spec = join(packageFolder, "spec");
  const pins = readPins("spec/pins.json", readFileSync(join(spec, "pins.json"), "utf8"));
  const entries = [...pins].map(([id, { status }]): RevisionEntry => {
    const overlay: unknown = JSON.parse(readFileSync(join(spec, id, "overlay.json"), "utf8"));
    return { id, status, lifecycle: readLifecycle(id, overlay) };
  });
  return entries.reverse();
}

/** Returns the revisions that a new project can be created for. */
export function servable(catalogue: readonly RevisionEntry[]): RevisionEntry[] {
  return catalogue.filter(({ lifecycle }) => servedLifecycles.includes(lifecycle));
}

/**
 * Returns the revisions that `--protocol` selects, newest first: one, several with commas, `latest` or `all`. Default: all released ones that the
 * runtime can serve.
 * @throws {UserError} that lists the possible values.
 */
export function chooseRevisions(protocol: string | undefined, catalogue: readonly RevisionEntry[]): string[] {
  const possible = servable(catalogue);
  if (protocol === undefined) return possible.filter(isReleased).map(({ id }) => id);
  const words = protocol.split(",").map((word) => word.trim());
  const chosen = words.flatMap((word) => expand(word, { catalogue, possible }));
  return possible.map(({ id }) => id).filter((id) => chosen.includes(id));
}

/** True if requests of this revision are stateless, so that no session is opened. */
export function isStatelessAt(revision: string, catalogue: readonly RevisionEntry[]): boolean {
  return catalogue.some(({ id, lifecycle }) => id === revision && lifecycle === "per-request");
}

/** Formats revisions for the texts of a project. */
export function describeRevisions(revisions: readonly string[]): string {
  return revisions.length === 1 ? `revision ${revisions[0]}` : `the revisions ${revisions.join(", ")}`;
}

/** Lifecycles that the runtime can serve. */
const servedLifecycles: readonly string[] = ["handshake", "per-request"];

function isReleased({ status }: RevisionEntry): boolean {
  return status === "released";
}

function expand(
  word: string,
  {
    catalogue,
    possible,
  }: { readonly catalogue: readonly RevisionEntry[]; readonly possible: readonly RevisionEntry[] },
): string[] {
  const ids = possible.map(({ id }) => id);
  if (word === "all") return ids;
  if (word === "latest")
    return possible
      .filter(isReleased)
      .slice(0, 1)
      .map(({ id }) => id);
  if (ids.includes(word)) return [word];
  const choice = `Choose among ${ids.join(", ")}, or say latest or all.`;
  const known = catalogue.find(({ id }) => id === word);
  if (!known) throw new UserError(`--protocol: there is no revision ${JSON.stringify(word)}. ${choice}`);
  throw new UserError(
    `--protocol: revision ${word} has the ${known.lifecycle} lifecycle, which new projects cannot serve. ${choice}`,
  );
}

function readLifecycle(id: string, overlay: unknown): string {
  const isOverlay = typeof overlay === "object" && overlay !== null && "lifecycle" in overlay;
  const lifecycle: unknown = isOverlay ? overlay.lifecycle : undefined;
  const isLifecycle = typeof lifecycle === "object" && lifecycle !== null && "kind" in lifecycle;
  if (!isLifecycle || typeof lifecycle.kind !== "string")
    throw new UserError(`spec/${id}/overlay.json names no lifecycle. Reinstall create-mcp-server.`);
  return lifecycle.kind;
}
