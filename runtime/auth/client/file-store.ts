import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, rename, stat, unlink, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Lanes } from "../../transport/http-client/lanes.ts";
import { AuthError } from "./errors.ts";
import { onceFree } from "./held-file.ts";
import type { CredentialStore } from "./store.ts";
import { readStored } from "./tokens.ts";

/**
 * Keeps credentials in one file that only its owner can read; a file that others can read is refused. Several processes of the owner may share
 * it. A keychain is better where there is one: then implement `CredentialStore` with it.
 */
export function createFileStore(path: string): CredentialStore {
  const lanes = new Lanes<string>();
  const change = (edit: (values: Map<string, string>) => void): Promise<void> =>
    lanes.run("file", () =>
      locked(`${path}.lock`, async () => {
        const values = await read(path);
        edit(values);
        await write(path, values);
      }),
    );
  return {
    get: async (key) => (await read(path)).get(key),
    set: (key, value) => change((values) => values.set(key, value)),
    delete: (key) => change((values) => values.delete(key)),
    exclusively: (key, task) => lanes.run(`task ${key}`, () => locked(`${path}.${toName(key)}.lock`, task)),
  };
}

async function read(path: string): Promise<Map<string, string>> {
  const file = await openForReading(path);
  if (!file) return new Map();
  try {
    const { mode, size } = await file.stat();
    if (process.platform !== "win32" && (mode & 0o077) !== 0)
      throw refuse(path, "can be read by others. Restrict it: chmod 600");
    if (size > maxSize) throw refuse(path, "is too large to hold credentials");
    const text = await file.readFile("utf8");
    const stored = text === "" ? {} : readStored(text);
    if (!stored) throw refuse(path, "is not what was written to it. Delete it to sign in anew");
    return new Map(Object.entries(stored).flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])));
  } finally {
    await file.close();
  }
}

async function openForReading(path: string): Promise<FileHandle | undefined> {
  try {
    return await onceFree(() => open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw refuse(path, `cannot be read (${codeOf(error)})`);
  }
}

/** Written beside and put in place at once: a crash leaves the old file or the new one. */
async function write(path: string, values: ReadonlyMap<string, string>): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(`${JSON.stringify(Object.fromEntries(values), undefined, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await onceFree(() => rename(draft, path));
  } catch (error) {
    await unlink(draft).catch(() => {});
    throw refuse(path, `cannot be written (${codeOf(error)})`);
  }
}

/** Runs a task while this process holds a lock file. One that its owner has left behind does not hold for ever. */
async function locked<Result>(lock: string, task: () => Promise<Result>): Promise<Result> {
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
  const deadline = Date.now() + patience;
  while (!(await take(lock))) {
    if (Date.now() > deadline)
      throw refuse(lock, "is held by another process for too long. Delete it if there is none");
    await delay(20 + Math.random() * 30);
  }
  try {
    return await task();
  } finally {
    await onceFree(() => unlink(lock)).catch(() => {});
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await (await onceFree(() => open(lock, "wx", 0o600))).close();
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw refuse(lock, `cannot be made (${codeOf(error)})`);
  }
  const age = await stat(lock).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  if (age > stale) await unlink(lock).catch(() => {});
  return false;
}

function refuse(path: string, why: string): AuthError {
  return new AuthError("storage", `${path} ${why}`);
}

/** A name for a file of a key that may hold anything. */
function toName(key: string): string {
  return Buffer.from(key).toString("base64url").slice(-64);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}

const maxSize = 4 * 1024 * 1024;

/** Longer than a refresh may take, shorter than anybody waits. */
const stale = 20_000;
const patience = 30_000;
