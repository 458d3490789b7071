import { readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { hashText } from "../internal/files.ts";
import { SpecError } from "../internal/spec-error.ts";
import type { Pin } from "./pins.ts";

/** One file of a spec folder. */
export interface SpecFile {
  /** Path for messages: it begins with the name of the folder. */
  readonly path: string;
  readonly text: string;
}

/** Reads a file of a spec folder. @throws {SpecError} when it cannot be read. */
export async function readSpecFile(folder: string, ...parts: readonly string[]): Promise<SpecFile> {
  const path = [basename(resolve(folder)), ...parts].join("/");
  return { path, text: await readText(join(folder, ...parts), path) };
}

/** Files to read a revision from. */
export interface RevisionFiles {
  readonly schema: SpecFile;
  readonly overlay: SpecFile;
  /** The schema of overlays. */
  readonly rules: SpecFile;
  /** Changes with each of the files, and with the pin. */
  readonly digest: string;
}

/** Reads the files of a revision. @throws {SpecError} when one cannot be read. */
export async function readRevisionFiles(folder: string, id: string, pin: Pin): Promise<RevisionFiles> {
  const [schema, overlay, rules] = await Promise.all([
    readSpecFile(folder, id, "schema.ts"),
    readSpecFile(folder, id, "overlay.json"),
    readSpecFile(folder, "overlay.schema.json"),
  ]);
  const texts = [id, JSON.stringify(pin), schema.text, overlay.text, rules.text];
  return { schema, overlay, rules, digest: hashText(texts.join("\0")) };
}

async function readText(path: string, label: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const reason =
      error instanceof Error && "code" in error && error.code === "ENOENT"
        ? "the file does not exist"
        : "the file cannot be read";
    const advice = basename(path) === "pins.json" ? "; pass a folder created by `create-mcp-server pin`" : "";
    throw new SpecError({ file: label, text: `${reason} (${resolve(path)})${advice}` });
  }
}
