import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { wholeFolder } from "../internal/files.ts";

/** A spec folder, perhaps created just now. */
export interface StartedFolder {
  /** True if the folder was created, with all revisions of this package. */
  readonly isNew: boolean;
  /** Removes the added files. */
  undo(): Promise<void>;
}

/**
 * Creates a spec folder from the one of this package, if there is none. It includes the older revisions, because their overlays describe the
 * conversions of a newer revision for older clients.
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
