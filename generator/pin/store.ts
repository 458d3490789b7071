import { randomUUID } from "node:crypto";
import { cp, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { move, wholeFolder } from "../internal/files.ts";

/** Files of one revision or extension, and the list of all including it. */
export interface PinnedFiles {
  /** Its folder in the spec folder, with forward slashes: `<revision>` or `extensions/<name>`. */
  readonly name: string;
  readonly schema: string;
  readonly overlay: string;
  readonly pins: string;
  /** Texts of the schemas of overlays, by the names of their files. */
  readonly overlaySchemas: Readonly<Record<string, string>>;
}

/**
 * Stores a revision or an extension in a spec folder. All files are written to a temporary place first, then renamed, `pins.json` last. On any failure, the folder
 * stays as it was.
 */
export async function storePin(folder: string, files: PinnedFiles): Promise<void> {
  const target = join(folder, files.name);
  const created = await mkdir(dirname(target), { recursive: true });
  // A random name, so that no link can be prepared there.
  const unique = `.${basename(target)}.${randomUUID()}`;
  const aside = join(dirname(target), `${unique}.new`);
  const previous = join(dirname(target), `${unique}.old`);
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

/** Writes the files. If the revision or extension was pinned before, its other files are kept. */
async function fill(aside: string, { schema, overlay }: PinnedFiles, known: string | undefined): Promise<void> {
  if (known !== undefined) await cp(known, aside, { recursive: true });
  else await mkdir(aside);
  await replaceFile(join(aside, "schema.ts"), schema);
  await replaceFile(join(aside, "overlay.json"), overlay);
}

/** Removes a copied link first: nothing must be written through it. */
async function replaceFile(path: string, text: string): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, text, { flag: "wx" });
}

async function storePins(folder: string, { pins, overlaySchemas }: PinnedFiles): Promise<void> {
  const exchanged: Exchange[] = [];
  const aside = join(folder, `.pins.${randomUUID()}.json`);
  try {
    for (const [name, text] of Object.entries(overlaySchemas)) exchanged.push(await exchange(join(folder, name), text));
    await writeFile(aside, pins, { flag: "wx" });
    await move(aside, join(folder, "pins.json"));
  } catch (error) {
    await rm(aside, { force: true });
    for (const { undo } of exchanged) await undo();
    throw error;
  }
  for (const { finish } of exchanged) await finish();
}

interface Exchange {
  readonly undo: () => Promise<void>;
  readonly finish: () => Promise<void>;
}

/** Puts a file in the place of another one, or of a link, which it keeps until the end. */
async function exchange(path: string, text: string): Promise<Exchange> {
  const previous = `${path}.${randomUUID()}.old`;
  const hadFile = await move(path, previous).then(
    () => true,
    () => false,
  );
  const undo = async (): Promise<void> => {
    await rm(path, { force: true });
    if (hadFile) await move(previous, path);
  };
  try {
    await writeFile(path, text, { flag: "wx" });
  } catch (error) {
    await undo();
    throw error;
  }
  return { undo, finish: () => rm(previous, { force: true }) };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
