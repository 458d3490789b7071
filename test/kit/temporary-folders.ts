import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** Inside the project, so that its packages are found, and inside `node_modules`, which no test searches for sources. */
export const cache: string = join(import.meta.dirname, "../../node_modules/.cache/tests");

/** Creates a folder that is removed when the tests of the file are over. */
export async function createTemporaryFolder(name: string): Promise<string> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, `${name}-`));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A fresh folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "create-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Everything below a folder, with forward slashes, sorted. */
export function listAll(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.split(sep).join("/"))
    .sort();
}
