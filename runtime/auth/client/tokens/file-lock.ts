import { mkdir, open, stat, unlink, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { pause } from "../../../internal/timers.ts";
import { errorCodeOf, retryWhileLocked, rejectFile } from "./retry-while-locked.ts";

/**
 * Runs a task while this process holds a lock file. A stale lock of an ended process is removed.
 *
 * @throws {AuthError} when the lock file cannot be created, or another process holds it for too long.
 */
export async function withFileLock<Result>(lock: string, task: () => Promise<Result>): Promise<Result> {
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
  const own = await acquire(lock);
  try {
    return await task();
  } finally {
    await release(lock, own).catch(() => {});
  }
}

/** Identity of the file under a name, and its age in milliseconds. */
interface Found {
  readonly id: string;
  readonly age: number;
}

async function acquire(lock: string): Promise<string> {
  const deadline = performance.now() + patience;
  for (;;) {
    const own = await create(lock);
    if (own) return own.id;
    if (performance.now() > deadline)
      throw rejectFile(lock, "is still held by another process; delete it if no process uses it");
    const isLeft = isStale(await find(lock)) && (await remove(lock, isStale));
    if (!isLeft) await pause(20 + Math.random() * 30, undefined);
  }
}

/** After a task that took too long, the lock file may belong to another process. */
async function release(lock: string, own: string): Promise<void> {
  const isOwn = (found: Found | undefined): boolean => found?.id === own;
  for (let attempt = 0; attempt < releaseAttempts; attempt += 1) {
    if (await remove(lock, isOwn)) return;
    await pause(10 + Math.random() * 10, undefined);
  }
}

/**
 * Deletes a lock if it is the intended one. Returns true if the lock was examined. No other process may delete the lock between the check and the
 * deletion, because a new lock in its place would be lost.
 */
async function remove(lock: string, isMeant: (found: Found | undefined) => boolean): Promise<boolean> {
  const guard = `${lock}.end`;
  if (!(await create(guard))) {
    // The guard is held for a moment only. At this age, its owner must have ended in that moment.
    if (isStale(await find(guard))) await unlink(guard).catch(() => {});
    return false;
  }
  try {
    if (isMeant(await find(lock))) await retryWhileLocked(() => unlink(lock));
    return true;
  } finally {
    await retryWhileLocked(() => unlink(guard)).catch(() => {});
  }
}

/** Creates a file. Returns `undefined` if it exists already. */
async function create(path: string): Promise<Found | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await retryWhileLocked(() => open(path, "wx", 0o600));
    return toFound(await file.stat({ bigint: true }));
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return undefined;
    throw rejectFile(path, `cannot be created (${errorCodeOf(error)})`);
  } finally {
    await file?.close();
  }
}

async function find(path: string): Promise<Found | undefined> {
  return stat(path, { bigint: true }).then(toFound, () => undefined);
}

function toFound({
  ino,
  mtimeMs,
  mtimeNs,
}: {
  readonly ino: bigint;
  readonly mtimeMs: bigint;
  readonly mtimeNs: bigint;
}): Found {
  // The time of a file comes from the wall clock.
  return { id: `${ino}-${mtimeNs}`, age: Date.now() - Number(mtimeMs) };
}

function isStale(found: Found | undefined): boolean {
  return found !== undefined && found.age > stale;
}

/** Milliseconds. Longer than a refresh may take, shorter than any process waits. */
const stale = 20_000;
const patience = 30_000;
const releaseAttempts = 50;
