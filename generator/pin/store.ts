import { randomUUID } from "node:crypto";
import { cp, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { move, wholeFolder } from "../move.ts";

/** Files of one revision, and the list of revisions with it. */
export interface PinnedFiles {
  readonly revision: string;
  readonly schema: string;
  readonly overlay: string;
  readonly pins: string;
  /** Text of `overlay.schema.json`; written where it is missing. */
  readonly overlaySchema: string;
}

/**
 * Puts a revision into a spec folder: everything is written aside first, then renamed, `pins.json` last.
 * Whatever fails, the folder is as it was before.
 */
export async function storePin(folder: string, files: PinnedFiles): Promise<void> {
  const created = await mkdir(folder, { recursive: true });
  const target = join(folder, files.revision);
  // No link can be waiting under a random name.
  const unique = randomUUID();
  const aside = join(folder, `.${files.revision}.${unique}.new`);
  const previous = join(folder, `.${files.revision}.${unique}.old`);
  try {
    const isKnown = await exists(target);
    await fill(aside, files, isKnown ? target : undefined);
    if (isKnown) await move(target, previous);
    await move(aside, target).catch(async (error: unknown) => {
      if (isKnown) await move(previous, target);
      throw error;
    });
    await storePins(folder, files).catch(async (error: unknown) => {
      await rm(target, wholeFolder);
      if (isKnown) await move(previous, target);
      throw error;
    });
    await rm(previous, wholeFolder);
  } catch (error) {
    await rm(created ?? aside, wholeFolder);
    throw error;
  }
}

/** Other files of a revision that is pinned again stay with it. */
async function fill(aside: string, { schema, overlay }: PinnedFiles, known: string | undefined): Promise<void> {
  if (known !== undefined) await cp(known, aside, { recursive: true });
  else await mkdir(aside);
  await replaceFile(join(aside, "schema.ts"), schema);
  await replaceFile(join(aside, "overlay.json"), overlay);
}

/** Removes a copied link first, so that nothing is written through it. */
async function replaceFile(path: string, text: string): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, text, { flag: "wx" });
}

async function storePins(folder: string, { pins, overlaySchema }: PinnedFiles): Promise<void> {
  const rules = join(folder, "overlay.schema.json");
  if (!(await exists(rules))) await writeFile(rules, overlaySchema, { flag: "wx" });
  const aside = join(folder, `.pins.${randomUUID()}.json`);
  try {
    await writeFile(aside, pins, { flag: "wx" });
    await move(aside, join(folder, "pins.json"));
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
