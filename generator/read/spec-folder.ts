import { readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { RevisionModel } from "../model.ts";
import { readOverlay } from "./overlay.ts";
import { readPins, type Pins } from "./pins.ts";
import { readRevision } from "./revision.ts";
import { SpecError } from "./spec-error.ts";

/** A folder of pinned revisions, opened. */
export interface SpecFolder {
  readonly path: string;
  readonly pins: Pins;
  /** Reads one revision of it. Throws a {@link SpecError} for an unknown revision or a file that cannot be read as one. */
  readModel(revision: string): Promise<RevisionModel>;
}

/** Opens a spec folder and reads its pins. */
export async function openSpecFolder(path: string): Promise<SpecFolder> {
  const read = async (...parts: string[]): Promise<{ readonly path: string; readonly text: string }> => {
    const label = [basename(resolve(path)), ...parts].join("/");
    return { path: label, text: await readText(join(path, ...parts), label) };
  };
  const pinsFile = await read("pins.json");
  const pins = readPins(pinsFile.path, pinsFile.text);
  return {
    path,
    pins,
    async readModel(id) {
      const pin = pins.get(id);
      if (!pin) throw new SpecError({ file: pinsFile.path, text: unknownRevision(id, pins) });
      const [schema, overlay, rules] = await Promise.all([
        read(id, "schema.ts"),
        read(id, "overlay.json"),
        read("overlay.schema.json"),
      ]);
      const value = readOverlay({ path: overlay.path, text: overlay.text, schema: rules.text });
      const { status, commit } = pin;
      return readRevision({
        id,
        status,
        schema,
        overlay: { path: overlay.path, value },
        ...(commit !== undefined && { commit }),
      });
    },
  };
}

/** Tells which revisions exist instead of an unknown one. */
export function unknownRevision(id: string, pins: Pins): string {
  return `there is no revision \`${id}\`; choose one of ${[...pins.keys()].join(", ")}`;
}

async function readText(path: string, label: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const reason =
      error instanceof Error && "code" in error && error.code === "ENOENT"
        ? "the file does not exist"
        : "the file cannot be read";
    throw new SpecError({ file: label, text: `${reason} (${path})` });
  }
}
