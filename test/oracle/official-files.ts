import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isObject } from "../../templates/support.ts";

const root = join(import.meta.dirname, "../..");

/** Address of the specification repository; files are at `<commit>/schema/<path>`. */
const repository = "https://raw.githubusercontent.com/modelcontextprotocol/modelcontextprotocol";

/** Folder that `npm run fetch:spec` writes to. Git ignores it. */
export const fetchedFolder: string = join(root, ".official");

/** List of the official files that the oracle tests read, with their hashes. */
export const listFile: string = join(import.meta.dirname, "official-files.json");

/** One file of the specification repository at a pinned commit. */
export interface OfficialFile {
  /** Path in the `schema` folder, such as `2025-11-25/schema.json`. */
  readonly path: string;
  readonly commit: string;
  readonly sha256: string;
}

export interface FetchOptions {
  readonly files: readonly OfficialFile[];
  readonly folder: string;
  /** Address of a copy of the repository; without one, the repository on GitHub. */
  readonly baseUrl?: string | undefined;
  /** Milliseconds before a failed request is repeated. */
  readonly retryDelay?: number;
}

/** Folder with the official files: `MCP_OFFICIAL_DIR`, else `../shared/official`, else what `npm run fetch:spec` has fetched. */
export function officialFolder(): string {
  const named = process.env["MCP_OFFICIAL_DIR"];
  if (named) return resolve(named);
  const shared = join(root, "../shared/official");
  return existsSync(shared) ? shared : fetchedFolder;
}

/** Returns the files of every pinned revision: the declarations by the hash in `spec/pins.json`, the others by the list beside this file. */
export function pinnedFiles(): OfficialFile[] {
  const { revisions } = readJson(join(root, "spec/pins.json"));
  const list = readJson(listFile);
  if (!isObject(revisions)) throw new Error("spec/pins.json has no revisions; restore it from Git.");
  return Object.entries(revisions).flatMap(([revision, pin]) => {
    const { commit, sha256 } = Object(pin);
    const listed = Object(list[revision]);
    if (listed.commit !== commit) {
      throw new Error(
        `${listFile} lists the files of ${revision} at another commit than spec/pins.json; ` +
          "run `npm run fetch:spec -- --record <folder>` with a checkout of the specification repository at the pinned commit.",
      );
    }
    const hashes: Record<string, string> = { "schema.ts": sha256, ...listed.sha256 };
    return Object.entries(hashes).map(([name, hash]) => ({ path: `${revision}/${name}`, commit, sha256: hash }));
  });
}

/** Fetches the files that the folder does not have yet, eight at a time. Returns how many were fetched. */
export async function fetchFiles({ files, folder, baseUrl, retryDelay = 500 }: FetchOptions): Promise<number> {
  const base = (baseUrl || repository).replace(/\/+$/, "");
  const waiting = files.filter(({ path, sha256 }) => !isCurrent(join(folder, path), sha256));
  const missing = waiting.length;
  const work = async (): Promise<void> => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const bytes = await fetchFile(`${base}/${file.commit}/schema/${file.path}`, file, retryDelay);
      const target = join(folder, file.path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, bytes);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return missing;
}

/** Fetches the official files if the oracle tests would find none. Vitest calls it before them. */
export default async function setup(): Promise<void> {
  if (officialFolder() !== fetchedFolder) return;
  await fetchFiles({ files: pinnedFiles(), folder: fetchedFolder, baseUrl: process.env["MCP_OFFICIAL_URL"] });
}

/** Returns the SHA-256 of a file's content in hexadecimal digits. */
export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function fetchFile(url: string, { sha256 }: OfficialFile, retryDelay: number): Promise<Uint8Array> {
  const bytes = await withRetries(() => request(url), retryDelay);
  if (hashOf(bytes) === sha256) return bytes;
  throw new Error(
    `${url} has the SHA-256 ${hashOf(bytes)} instead of ${sha256}; ` +
      "something between here and the repository changes files: compare with another network, or set MCP_OFFICIAL_DIR to a checkout's schema folder.",
  );
}

async function request(url: string): Promise<Uint8Array> {
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) }).catch((error: unknown) => {
    throw new RepeatableError(`${url} cannot be reached (${reasonOf(error)}); ${remedy}`);
  });
  if (response.ok) return new Uint8Array(await response.arrayBuffer());
  const text = `${url} responds with status ${response.status}; ${remedy}`;
  throw response.status >= 500 || response.status === 429 ? new RepeatableError(text) : new Error(text);
}

const remedy =
  "check the network, set MCP_OFFICIAL_URL to the address of a copy of the repository, " +
  "or set MCP_OFFICIAL_DIR to the schema folder of a checkout.";

/** Failure that may be gone when the request is repeated. */
class RepeatableError extends Error {}

async function withRetries<T>(run: () => Promise<T>, retryDelay: number, retries = 2): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (retries === 0 || !(error instanceof RepeatableError)) throw error;
  }
  await delay(retryDelay);
  return withRetries(run, retryDelay * 2, retries - 1);
}

function reasonOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

function isCurrent(file: string, sha256: string): boolean {
  return existsSync(file) && hashOf(readFileSync(file)) === sha256;
}

function readJson(file: string): Record<string, unknown> {
  const value: unknown = JSON.parse(readFileSync(file, "utf8"));
  return Object(value);
}
