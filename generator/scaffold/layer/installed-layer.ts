import { readdir, readFile } from "node:fs/promises";
import { join, sep, dirname } from "node:path";
import {
  features as knownFeatures,
  importEndings,
  protections,
  scales,
  transports as knownTransports,
  type LayerChoices,
} from "./choices.ts";
import { lockName } from "./lock.ts";
import { isRecord, parseJson } from "../../internal/json-text.ts";
import { isInnerPath } from "../../internal/files.ts";
import { compareHashes } from "../../internal/tree.ts";
import { systemCode, UserError } from "../../internal/user-error.ts";
import { existsSync } from "node:fs";

/** Protocol layer of a project, as it is on disk. */
export interface InstalledLayer {
  /** Absolute path of `src/mcp`. */
  readonly folder: string;
  /** Version of create-mcp-server that wrote it. */
  readonly generator: string;
  /** Choices of the layer. */
  readonly choices: LayerChoices;
  /** Files no longer as they were written: changed, missing, or added by others. */
  readonly edited: readonly string[];
}

/** Reads the layer of a project. @throws {UserError} when there is none, or its lock file cannot be read. */
export async function readInstalledLayer(project: string): Promise<InstalledLayer> {
  const folder = join(project, "src", "mcp");
  const path = join(folder, lockName);
  const lock = parseLock(await readFile(path, "utf8").catch((error: unknown) => reject(path, systemCode(error))), path);
  const present = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = present
    .filter((entry) => !entry.isDirectory())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .split(sep)
        .join("/"),
    );
  const strays = found.filter((file) => file !== lockName && !Object.hasOwn(lock.files, file));
  const drifts = await compareHashes(folder, lock.files);
  return { folder, ...lock, edited: [...drifts.map(({ path }) => path), ...strays].sort() };
}

function reject(path: string, code: string | undefined): never {
  const advice = "Name the folder of a project that create-mcp-server made, or run this in it.";
  const problem = code === "ENOENT" || code === "ENOTDIR" ? "is not there" : `cannot be read (${code})`;
  throw new UserError(`${path} ${problem}. ${advice}`);
}

interface Lock {
  readonly generator: string;
  readonly choices: LayerChoices;
  readonly files: Readonly<Record<string, string>>;
}

function parseLock(text: string, path: string): Lock {
  const value = parseJson(text);
  const choices = isRecord(value) && value.format === 2 ? readChoices(value) : undefined;
  const files = isRecord(value) && isRecord(value.files) ? readHashes(value.files) : undefined;
  if (isRecord(value) && choices && files) return { generator: String(value.generator), choices, files };
  if (isRecord(value) && value.format === 1)
    throw new UserError(
      `src/mcp/${lockName} has format 1: the project is from 0.1. Create a new one and copy src/server.ts into it.`,
    );
  throw new UserError(`${path} is not a lock file of this version; restore it from version control.`);
}

function readChoices({
  revisions,
  features,
  transports,
  client,
  validator,
  re2js,
  auth,
  scale,
  imports,
  spec,
}: Record<string, unknown>): LayerChoices | undefined {
  if (!Array.isArray(revisions) || !Array.isArray(features) || !Array.isArray(transports)) return undefined;
  const spoken = revisions.filter((id) => typeof id === "string");
  if (spoken.length === 0) return undefined;
  const ending = importEndings.find((known) => known === imports && known !== "ts");
  const engine = scales.find((known) => known === scale && known !== "none");
  return {
    revisions: spoken,
    features: knownFeatures.filter((feature) => features.includes(feature)),
    transports: knownTransports.filter((transport) => transports.includes(transport)),
    client: client === true,
    validator: validator === true,
    ...(re2js === true && { re2js }),
    auth: protections.find((protection) => protection === auth) ?? "none",
    ...(engine && { scale: engine }),
    ...(ending && { imports: ending }),
    ...(typeof spec === "string" && { spec }),
  };
}

/** Returns hashes by path; `undefined` when a path leads out of the folder: the file may come from an untrusted source. */
function readHashes(files: Record<string, unknown>): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries(files).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return entries.every(([file]) => isInnerPath(file)) ? Object.fromEntries(entries) : undefined;
}

/** Returns the absolute path of the nearest project around a folder, or of the folder itself if it is one. */
export function findProject(folder: string): string | undefined {
  if (isProject(folder)) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findProject(parent);
}

/** Requires a folder to be a project. @throws {UserError} with the enclosing project, or the command to create one. */
export function requireProject(folder: string): void {
  if (isProject(folder)) return;
  const project = findProject(dirname(folder));
  throw new UserError(
    project === undefined
      ? `${folder} is not a project (it has no ${mark}); run this in one, or make one: create-mcp-server my-server`
      : `${folder} is inside of a project; run this in its folder, ${project}`,
  );
}

function isProject(folder: string): boolean {
  return existsSync(join(folder, mark));
}

/** File by which a project is recognized. */
const mark = `src/mcp/${lockName}`;
