import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readIfPresent } from "../internal/files.ts";
import { SpecError } from "../internal/spec-error.ts";
import type { RevisionModel } from "../model.ts";
import type { Overlay } from "../model/overlay.ts";
import { createOverlayReader } from "../read/overlay.ts";
import { readExtensionPins, readPins, type Pins } from "../read/pins.ts";
import { openSpecFolder } from "../read/spec-folder.ts";

/** Revisions to compare a new one with: first the ones of a spec folder, then the ones of this package. */
export interface KnownRevisions {
  /** Pins of the folder itself; empty when it is new. */
  readonly pins: Pins;
  /** Pins of its extensions, which do not change. */
  readonly extensions: Pins;
  /** The schema of overlays of this package. It replaces the one in the folder. */
  readonly overlaySchema: string;
  /** Reads an overlay by the folder's schema of overlays. */
  readonly readOverlay: ReturnType<typeof createOverlayReader>;
  /** Reads the folder's overlay for a revision, as text. */
  readOwnOverlay(revision: string): Promise<string | undefined>;
  /** Reads the revision before the given one (else the first after it), with the overlay to start from. */
  readNearest(revision: string): Promise<Nearest>;
  /** Reads the revisions of the folder itself, without the given one. */
  readOthers(revision: string): Promise<readonly RevisionModel[]>;
  /** Returns the problems of the folder's extensions with a revision as their core: each is read against the newest. */
  findUnfit(core: RevisionModel): Promise<readonly string[]>;
}

/** Nearest revision, with the overlay from which a new one starts. */
export interface Nearest {
  readonly model: RevisionModel;
  /**
   * The folder's own overlay of the requested revision, if it has one; otherwise the overlay of the nearest, with links to the pages of the requested
   * revision.
   */
  readonly overlay: Overlay;
}

/** Opens a spec folder, which may not exist yet. */
export async function openKnownRevisions(folders: {
  readonly folder: string;
  readonly packaged: string;
}): Promise<KnownRevisions> {
  const { folder, packaged } = folders;
  const pins = await readOwnPins(folder, readPins);
  const extensions = await readOwnPins(folder, readExtensionPins);
  const packagedSpec = await openSpecFolder(packaged);
  const ownSpec = pins.size > 0 ? await openSpecFolder(folder) : packagedSpec;
  const readOwnOverlay = (revision: string): Promise<string | undefined> =>
    readIfPresent(join(folder, revision, "overlay.json"));
  const ownOverlays = await Promise.all([...pins.keys()].map(readOwnOverlay));
  const overlaySchema = await chooseOverlaySchema(folders, ownOverlays);
  const readOverlay = createOverlayReader(overlaySchema);
  return {
    pins,
    extensions,
    overlaySchema,
    readOverlay,
    readOwnOverlay,
    async readOthers(revision) {
      const ids = [...pins.keys()].filter((id) => id !== revision);
      return Promise.all(ids.map((id) => ownSpec.readModel(id)));
    },
    async findUnfit(core) {
      if (extensions.size === 0 || [...pins.keys()].some((id) => id > core.id)) return [];
      const followers = [...extensions].filter(([, { revision }]) => revision === undefined);
      const problems = followers.map(([name]) => ownSpec.readExtension(name, core).then(() => [], toProblem));
      return (await Promise.all(problems)).flat();
    },
    async readNearest(revision) {
      const id = nearestTo(revision, [...pins.keys(), ...packagedSpec.pins.keys()]);
      const home = pins.has(id) ? folder : packaged;
      const own = await readOwnOverlay(revision);
      const path = join(own === undefined ? home : folder, own === undefined ? id : revision, "overlay.json");
      const text = own ?? (await readFile(path, "utf8")).replaceAll(`/${id}/`, `/${revision}/`);
      const { removed, ...overlay } = readOverlay({ path, text });
      return {
        model: await (pins.has(id) ? ownSpec : packagedSpec).readModel(id),
        // What the nearest revision has removed is not there to be removed again.
        overlay: { ...overlay, ...(own !== undefined && removed && { removed }) },
      };
    },
  };
}

/** The schema of the folder stays if its overlays need it: a later version of this package may have written them. */
async function chooseOverlaySchema(
  { folder, packaged }: { readonly folder: string; readonly packaged: string },
  overlays: readonly (string | undefined)[],
): Promise<string> {
  const own = await readIfPresent(join(folder, "overlay.schema.json"));
  const renewed = await readFile(join(packaged, "overlay.schema.json"), "utf8");
  if (own === undefined || own === renewed) return renewed;
  const readRenewed = createOverlayReader(renewed);
  try {
    for (const text of overlays) if (text !== undefined) readRenewed({ path: "overlay.json", text });
    return renewed;
  } catch (error) {
    if (error instanceof SpecError) return own;
    throw error;
  }
}

function toProblem(error: unknown): string[] {
  if (error instanceof SpecError) return [error.message];
  throw error;
}

/** Returns the nearest revision. Revision identifiers are dates, so they sort as text. */
function nearestTo(revision: string, ids: readonly string[]): string {
  const others = [...new Set(ids)].filter((id) => id !== revision).sort();
  const nearest = others.findLast((id) => id < revision) ?? others[0];
  if (nearest === undefined) throw new Error("No other revision is available as a base; reinstall the package.");
  return nearest;
}

async function readOwnPins(folder: string, read: typeof readPins): Promise<Pins> {
  const path = join(folder, "pins.json");
  const text = await readIfPresent(path);
  return text === undefined ? new Map() : read(path, text);
}
