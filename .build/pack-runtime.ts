import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { runtimeFolder } from "./runtime-package.ts";

/** Packs the runtime into the folder of the build. Projects that are made from a clone depend on this file, because no registry has the version. */
export async function packRuntime(dist: string): Promise<void> {
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", dist];
  await promisify(execFile)("npm", args, { cwd: join(dist, runtimeFolder), shell: process.platform === "win32" });
}
