import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { wholeFolder } from "../move.ts";

/** A spec folder that may have been made for the occasion. */
export interface StartedFolder {
  /** It has just been made, with all that this package has. */
  readonly isNew: boolean;
  /** Takes away again what was put into it. */
  undo(): Promise<void>;
}

/**
 * Makes a spec folder out of the one of this package, where there is none: what older clients get instead of the news of a revision is
 * written down beside the older revisions.
 */
export async function startSpecFolder(folder: string, packaged: string): Promise<StartedFolder> {
  const created = await mkdir(folder, { recursive: true });
  const present = await readdir(folder);
  if (present.includes("pins.json")) return { isNew: false, undo: () => Promise.resolve() };
  const added = (await readdir(packaged)).filter((name) => !present.includes(name));
  const undo = async (): Promise<void> => {
    const places = created === undefined ? added.map((name) => join(folder, name)) : [created];
    for (const place of places) await rm(place, wholeFolder);
  };
  try {
    for (const name of added) await cp(join(packaged, name), join(folder, name), { recursive: true });
  } catch (error) {
    await undo();
    throw error;
  }
  return { isNew: true, undo };
}
