import { readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { UserError } from "../internal/user-error.ts";
import { isUrl } from "../../runtime/internal/parse-url.ts";

/** Text of a schema file, before it is parsed. */
export interface SchemaSource {
  /** The given URL or path. */
  readonly from: string;
  /** Its text with `\n` line endings. */
  readonly text: string;
  /** The commit that the URL contains, if any. */
  readonly commit?: string;
}

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

const sizeLimit = 4 * 1024 * 1024;
const redirectLimit = 5;

/**
 * Reads a schema from a path, a `file:` URL or an `https:` URL.
 *
 * @throws {UserError} when the source cannot be read or is no schema.
 */
export async function readSource(from: string, options: SourceOptions = {}): Promise<SchemaSource> {
  const url = toUrl(from);
  const bytes = url && url.protocol !== "file:" ? await download(url, options) : await readBytes(from, url);
  const text = decode(from, bytes);
  rejectOtherFormats(from, text);
  rejectOtherTypeScript(from, text);
  const commit = /(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])/.exec(from)?.[0];
  return { from, text, ...(url && commit !== undefined && { commit }) };
}

/** Parses a URL. A scheme has at least two letters: `C:\schema.ts` is a path. */
function toUrl(from: string): URL | undefined {
  if (!/^[a-z][a-z\d+.-]+:/i.test(from)) return undefined;
  if (isUrl(from)) return new URL(from);
  throw new UserError(`${from} is not a valid URL; pass the https address of a schema.ts, or a path.`);
}

async function readBytes(from: string, url: URL | undefined): Promise<Uint8Array> {
  const path = url ? fileURLToPath(url) : from;
  try {
    const { size } = await stat(path);
    if (size > sizeLimit) throw tooLarge(from);
    return await readFile(path);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${from} cannot be read: ${reasonOf(error)}; check the path (a URL starts with https://).`);
  }
}

async function download(
  start: URL,
  { fetch = globalThis.fetch, timeout = 30_000 }: SourceOptions,
): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(timeout);
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

function tooLarge(from: string): UserError {
  return new UserError(`${from} is larger than ${sizeLimit / 1024 / 1024} MiB; check that it is a schema.ts.`);
}

function decode(from: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    throw new UserError(`${from} is not UTF-8 text; pass the address of a schema.ts.`);
  }
}

function rejectOtherFormats(from: string, text: string): void {
  const advice = "pass the schema.ts itself (on GitHub, its address on raw.githubusercontent.com).";
  if (text.trim() === "") throw new UserError(`${from} is empty; ${advice}`);
  if (/^\s*</.test(text)) throw new UserError(`${from} is an HTML or XML page, not a schema.ts; ${advice}`);
  if (isJson(text)) throw new UserError(`${from} is JSON, not TypeScript; ${advice}`);
}

function rejectOtherTypeScript(from: string, text: string): void {
  const imports = /^import\b.*["'{]/m.test(text);
  // Every revision has both declarations. One is enough, so that a rename does not matter.
  const isSchema = /^export (?:(?:type|interface) JSONRPCMessage|const LATEST_PROTOCOL_VERSION)\b/m.test(text);
  if (isSchema && !imports) return;
  const problem = imports ? "imports other modules" : "declares no JSONRPCMessage";
  throw new UserError(`${from} is not an MCP schema (it ${problem}); pass the schema.ts of a revision.`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the message of the innermost cause, which is the most specific: `fetch failed` alone does not help. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
