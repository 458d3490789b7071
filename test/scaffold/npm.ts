import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Runs npm in a folder; rejects with what it wrote when it fails. */
export async function npm(folder: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)("npm", args, { cwd: folder });
  return stdout + stderr;
}
