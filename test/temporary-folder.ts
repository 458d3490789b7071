import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Inside the project, so that its packages are found, and inside `node_modules`, which no test searches for sources. */
export const cache: string = join(import.meta.dirname, "../node_modules/.cache/tests");

/** Creates a folder that is removed when the tests of the file are over. */
export async function createTemporaryFolder(name: string): Promise<string> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, `${name}-`));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
