import { mkdirSync, writeFileSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { move, wholeFolder } from "../../internal/files.ts";
import { systemCode, UserError } from "../../internal/user-error.ts";
import type { InitPlan } from "./plan.ts";

/**
 * Adds the files of a plan to an application, and replaces its `package.json` last, in one step. No file is overwritten. On failure, all added files
 * are removed again.
 *
 * @throws {UserError} when the file system rejects an operation.
 */
export async function writeInit(folder: string, { files, archives, manifest }: InitPlan): Promise<void> {
  const made: string[] = [];
  const add = (path: string, content: string | Uint8Array, mode?: number): void => {
    const outermost = mkdirSync(dirname(path), { recursive: true });
    if (outermost !== undefined) made.push(outermost);
    writeFileSync(path, content, { flag: "wx", ...(mode !== undefined && { mode }) });
    made.push(path);
  };
  const target = join(folder, "package.json");
  const aside = join(folder, `.package.json.${process.pid}.tmp`);
  try {
    for (const [path, content] of [...files, ...archives]) add(join(folder, path), content);
    add(aside, manifest, (await stat(target)).mode);
    await move(aside, target);
  } catch (error) {
    for (const path of made.reverse()) await rm(path, wholeFolder);
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new UserError(
      `${folder} could not be written (${code}); nothing was added. Make room there, and run init again.`,
      {
        cause: error,
      },
    );
  }
}
