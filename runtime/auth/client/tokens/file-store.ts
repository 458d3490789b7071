import { createHash, randomUUID } from "node:crypto";
import { constants, open, rename, unlink, type FileHandle } from "node:fs/promises";
import { KeyedQueue } from "../../../transport/http-client/keyed-queue.ts";
import { withFileLock } from "./file-lock.ts";
import { errorCodeOf, retryWhileLocked, rejectFile } from "./retry-while-locked.ts";
import type { CredentialStore } from "./store.ts";
import { readStored } from "./tokens.ts";

/**
 * Keeps credentials in one file readable only by its owner. If others can read the file, it is rejected. Several processes of the owner may share it.
 * If a keychain is available, prefer it and implement `CredentialStore` with it.
 *
 * @example
 * ```ts
 * import { homedir } from "node:os";
 * import { join } from "node:path";
 * import { createFileStore } from "mcp-server-runtime/auth/client";
 *
 * const store = createFileStore(join(homedir(), ".config", "my-client", "credentials.json"));
 * ```
 */
export function createFileStore(path: string): CredentialStore {
  const queue = new KeyedQueue<string>();
  const change = (edit: (values: Map<string, string>) => void): Promise<void> =>
    queue.run("file", () =>
      withFileLock(`${path}.lock`, async () => {
        const values = await read(path);
        edit(values);
        await write(path, values);
      }),
    );
  return {
    get: async (key) => (await read(path)).get(key),
    set: (key, value) => change((values) => values.set(key, value)),
    delete: (key) => change((values) => values.delete(key)),
    exclusively: (key, task) => queue.run(`task ${key}`, () => withFileLock(`${path}.${toName(key)}.lock`, task)),
  };
}

async function read(path: string): Promise<Map<string, string>> {
  const file = await openForReading(path);
  if (!file) return new Map();
  try {
    const { mode, size } = await file.stat();
    if (process.platform !== "win32" && (mode & 0o077) !== 0)
      throw rejectFile(path, "can be read by other users; restrict it with chmod 600");
    if (size > maxSize) throw rejectFile(path, "is too large for a credential store");
    const text = await file.readFile("utf8");
    const stored = text === "" ? {} : readStored(text);
    if (!stored) throw rejectFile(path, "is corrupted; delete it and sign in again");
    return new Map(Object.entries(stored).flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])));
  } finally {
    await file.close();
  }
}

async function openForReading(path: string): Promise<FileHandle | undefined> {
  try {
    return await retryWhileLocked(() => open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)));
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw rejectFile(path, `cannot be read (${errorCodeOf(error)})`);
  }
}

/** Writes a temporary file and renames it. After a crash, either the old or the new file exists. */
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
    await retryWhileLocked(() => rename(draft, path));
  } catch (error) {
    await unlink(draft).catch(() => {});
    throw rejectFile(path, `cannot be written (${errorCodeOf(error)})`);
  }
}

/** Returns the name of the lock file of a key. Names appear in messages, and a key may hold the query of a URL, so the name is a hash. */
function toName(key: string): string {
  return createHash("sha256").update(key).digest("base64url");
}

const maxSize = 4 * 1024 * 1024;
