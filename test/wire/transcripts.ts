import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { inOrder, withoutErrorTexts } from "./normalize.ts";
import type { RevisionId } from "./script.ts";

/** Compares a recording with the transcript of this name, but for the texts of errors. */
export function expectTranscript(name: string, revision: RevisionId, recorded: readonly string[]): void {
  const lines = inOrder(recorded);
  expect(lines.map(withoutErrorTexts)).toEqual(read(name, revision).map(withoutErrorTexts));
}

/** Makes a recording the transcript of this name. */
export function writeTranscript(name: string, revision: RevisionId, recorded: readonly string[]): void {
  const file = toFile(name, revision);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${inOrder(recorded).join("\n")}\n`);
}

function read(name: string, revision: RevisionId): readonly string[] {
  const file = toFile(name, revision);
  if (!existsSync(file)) throw new Error(`There is no transcript of ${revision}: record it with WIRE_UPDATE=1.`);
  return readFileSync(file, "utf8").replace(/\n$/, "").split("\n");
}

function toFile(name: string, revision: RevisionId): string {
  return join(import.meta.dirname, "transcripts", name, `${revision}.txt`);
}
