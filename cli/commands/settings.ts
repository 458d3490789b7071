import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemCode, UserError } from "../../generator/internal/user-error.ts";
import { writeFiles } from "../../generator/scaffold/add/write-files.ts";
import { requireProject } from "../../generator/scaffold/layer/installed-layer.ts";
import { envExample } from "../../generator/scaffold/settings/env-example.ts";
import { readSettings } from "../../generator/scaffold/settings/read-settings.ts";
import { readListedSettings } from "../../generator/scaffold/settings/readme-table.ts";
import { editSettingFile, settingFiles, type SettingChange } from "../../generator/scaffold/settings/setting-files.ts";
import { runInterruptibly } from "./stop-signal.ts";

/** `create-mcp-server settings`: lists the settings of a server in the files of its project. Returns the exit code. */
export function runSettings({
  folder,
  check,
}: {
  /** Folder of the project. */
  readonly folder: string;
  /** Write nothing; exit with 1 if a file is out of date. */
  readonly check: boolean;
}): Promise<number> {
  return runInterruptibly(async (interrupted) => {
    requireProject(resolve(folder));
    const settings = await readSettings(folder, { interrupted });
    const readme = (await readOptional(join(folder, "README.md"))) ?? "";
    const names = new Set(settings.map(({ name }) => name));
    const removed = readListedSettings(readme).filter((name) => !names.has(name));
    if (settings.length + removed.length === 0)
      throw new UserError("the server has no settings; add `settings: defineSettings(...)` to its definition.");
    const edits = await planEdits(folder, { settings, removed });
    if (check) return reportCheck(edits);
    const writes = new Map(edits.map(({ path, text }) => [path, text]));
    await writeFiles(folder, { writes, removals: [] }, interrupted);
    const list = settings.map(({ name }) => name).join(", ") || "no settings";
    console.log(edits.length === 0 ? `All files list ${list}.` : `Listed ${list} in ${pathsOf(edits)}.`);
    return 0;
  });
}

interface Edit {
  readonly path: string;
  readonly text: string;
}

function reportCheck(edits: readonly Edit[]): number {
  if (edits.length === 0) return 0;
  console.error(`Out of date: ${pathsOf(edits)}. Run create-mcp-server settings.`);
  return 1;
}

function pathsOf(edits: readonly Edit[]): string {
  return edits.map(({ path }) => path).join(", ");
}

/** Returns the changed files. If a file cannot be edited, it is reported, and stays as it is. */
async function planEdits(folder: string, change: SettingChange): Promise<readonly Edit[]> {
  const edits = Object.keys(settingFiles).map(async (path): Promise<readonly Edit[]> => {
    const found = await readOptional(join(folder, path));
    // A project gets this file with its first setting.
    const text = path === envExample && change.settings.length > 0 ? (found ?? "") : found;
    if (text === undefined) return [];
    const edited = editSettingFile(path, text, change);
    if (edited === undefined) console.error(`Warning: ${path} is not plain JSON; list the settings there by hand.`);
    return edited === undefined || edited === text ? [] : [{ path, text: edited }];
  });
  return (await Promise.all(edits)).flat();
}

async function readOptional(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw new UserError(`${path} cannot be read (${systemCode(error)}); check its permissions.`, { cause: error });
  });
}
