import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { UserError } from "../internal/user-error.ts";
import { isUrl } from "../../runtime/internal/parse-url.ts";

/** The required part of `fetch`, which tests can replace. */
export type Fetch = (
  url: URL,
  options: { readonly redirect: "manual"; readonly signal: AbortSignal },
) => Promise<Response>;

/** Options of reading a schema. */
export interface SourceOptions {
  readonly fetch?: Fetch;
  /** Milliseconds for the whole download. Default: 30 seconds. */
  readonly timeout?: number;
}

/** Maximum size of a schema, with all of its files. */
export const sizeLimit: number = 4 * 1024 * 1024;
const redirectLimit = 5;

/** Parses a URL. A scheme has at least two letters: `C:\schema.ts` is a path. */
function toUrl(from: string): URL | undefined {
  if (!/^[a-z][a-z\d+.-]+:/i.test(from)) return undefined;
  if (isUrl(from)) return new URL(from);
  throw new UserError(`${from} is not a valid URL; pass the https address of a schema.ts, or a path.`);
}

/** Where the files of a schema are. */
export interface SourceFolder {
  readonly isUrl: boolean;
  /** Name of the schema in the folder. */
  readonly name: string;
  readonly readSchema: () => Promise<Uint8Array>;
  /** Returns the path or the address of a file in the folder, for messages. */
  readonly pathOf: (name: string) => string;
  readonly readImport: (name: string) => Promise<Uint8Array>;
}

/** Returns the folder of a schema. Nothing is read yet. @throws {UserError} when the address is not valid. */
export function openSourceFolder(from: string, options: SourceOptions): SourceFolder {
  const url = toUrl(from);
  return url && url.protocol !== "file:" ? remoteFolder(url, options) : localFolder(from, url);
}

/** The files of a schema at an address have the same address up to the last slash, and the same query. */
function remoteFolder(url: URL, { fetch = globalThis.fetch, timeout = 30_000 }: SourceOptions): SourceFolder {
  const signal = AbortSignal.timeout(timeout);
  const download = (address: URL): Promise<Uint8Array> => downloadFile(address, { fetch, timeout, signal });
  const addressOf = (name: string): URL => new URL(`${name}${url.search}`, url);
  return {
    isUrl: true,
    name: fileName(url.pathname.split("/").at(-1)),
    readSchema: () => download(url),
    pathOf: (name) => addressOf(name).href,
    readImport: (name) => download(addressOf(name)),
  };
}

function localFolder(from: string, url: URL | undefined): SourceFolder {
  const path = url ? fileURLToPath(url) : from;
  const pathOf = (name: string): string => join(dirname(path), name);
  return {
    isUrl: url !== undefined,
    name: fileName(basename(path)),
    readSchema: () => readBytes(from, path),
    pathOf,
    readImport: async (name) => readBytes(pathOf(name), await findInside(dirname(path), pathOf(name))),
  };
}

/** Returns the name under which other files may import the schema. */
function fileName(name = ""): string {
  if (!/^[\w.-]+$/.test(name)) return "schema.ts";
  return name.endsWith(".ts") ? name : `${name}.ts`;
}

/** Returns the place of a file without links. It must be a file in the folder: a link may lead out of it, and a pipe has no end. */
async function findInside(folder: string, path: string): Promise<string> {
  try {
    const [inside, found] = await Promise.all([realpath(folder), realpath(path)]);
    const way = relative(inside, found);
    const isInside = !isAbsolute(way) && way.split(sep)[0] !== "..";
    if (isInside && (await stat(found)).isFile()) return found;
  } catch (error) {
    throw unreadable(path, error);
  }
  throw new UserError(`${path} is no file in the folder of the schema; copy the file there.`);
}

async function readBytes(from: string, path: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    if (size > sizeLimit) throw tooLarge(from);
    return await readFile(path);
  } catch (error) {
    throw error instanceof UserError ? error : unreadable(from, error);
  }
}

function unreadable(from: string, error: unknown): UserError {
  return new UserError(`${from} cannot be read: ${reasonOf(error)}; check the path (a URL starts with https://).`);
}

async function downloadFile(
  start: URL,
  { fetch, timeout, signal }: Required<SourceOptions> & { readonly signal: AbortSignal },
): Promise<Uint8Array> {
  try {
    const response = await follow(start, fetch, signal);
    if (!response.ok) throw new UserError(`${start.href} returned HTTP ${response.status}; check the address.`);
    return await readBody(start, response);
  } catch (error) {
    if (error instanceof UserError) throw error;
    const reason = signal.aborted ? `no complete response within ${timeout / 1000} seconds` : reasonOf(error);
    throw new UserError(
      `${start.href} cannot be fetched (${reason}); check the address and the network, or download the file and pass its path.`,
    );
  }
}

/** Follows redirects manually: `fetch` itself would follow one from https to http without a warning. */
async function follow(start: URL, fetch: Fetch, signal: AbortSignal): Promise<Response> {
  let url = start;
  for (let redirects = 0; redirects <= redirectLimit; redirects += 1) {
    if (url.protocol !== "https:") throw notSecure(start, url);
    const response = await fetch(url, { redirect: "manual", signal });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    if (!isUrl(location, url.href))
      throw new UserError(`${start.href} redirects to ${location}, which is not a URL; pass the final address.`);
    url = new URL(location, url);
  }
  throw new UserError(`${start.href} redirects more than ${redirectLimit} times; pass the final address.`);
}

function notSecure(start: URL, url: URL): UserError {
  const advice = "pass an https address, or download the file and pass its path.";
  return new UserError(
    url === start
      ? `${start.href} is not an https address; ${advice}`
      : `${start.href} redirects to ${url.href}, which is not https; ${advice}`,
  );
}

async function readBody(url: URL, response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > sizeLimit) {
      await reader?.cancel();
      throw tooLarge(url.href);
    }
    chunks.push(part.value);
  }
  return Buffer.concat(chunks);
}

/** Returns the error for a schema of too many bytes, alone or with its imported files. */
export function tooLarge(from: string): UserError {
  return new UserError(`${from} is larger than ${sizeLimit / 1024 / 1024} MiB; check that it is a schema.ts.`);
}

/** Returns the message of the innermost cause, which is the most specific: `fetch failed` alone does not help. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
