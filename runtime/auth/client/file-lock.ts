import { mkdir, open, stat, unlink, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf, retryWhileLocked, refuseFile } from "./retry-while-locked.ts";

/** Runs a task while this process holds a lock file. One that its owner has left behind does not hold for ever. */
export async function withFileLock<Result>(lock: string, task: () => Promise<Result>): Promise<Result> {
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
  const own = await acquire(lock);
  try {
    return await task();
  } finally {
    await release(lock, own).catch(() => {});
  }
}

/** Which file it is that has this name, and since when. */
interface Found {
  readonly id: string;
  readonly age: number;
}

async function acquire(lock: string): Promise<string> {
  const deadline = Date.now() + patience;
  for (;;) {
    const own = await create(lock);
    if (own) return own.id;
    if (Date.now() > deadline)
      throw refuseFile(lock, "is held by another process for too long. Delete it if there is none");
    const isLeft = isStale(await find(lock)) && (await remove(lock, isStale));
    if (!isLeft) await delay(20 + Math.random() * 30);
  }
}

/** After a task that took too long, the lock of that name may be another's. */
async function release(lock: string, own: string): Promise<void> {
  const isOwn = (found: Found | undefined): boolean => found?.id === own;
  for (let attempt = 0; attempt < releaseAttempts; attempt += 1) {
    if (await remove(lock, isOwn)) return;
    await delay(10 + Math.random() * 10);
  }
}

/**
 * Deletes a lock if it is the one that is meant, and tells whether that was looked into. Between the look and the deletion nobody else may
 * delete it: what they would make in its place would be lost.
 */
async function remove(lock: string, isMeant: (found: Found | undefined) => boolean): Promise<boolean> {
  const guard = `${lock}.end`;
  if (!(await create(guard))) {
    // It is held for a moment only: after so long its maker has died in that moment.
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

/** Makes a file that was not there, or nothing. */
async function create(path: string): Promise<Found | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await retryWhileLocked(() => open(path, "wx", 0o600));
    return toFound(await file.stat({ bigint: true }));
  } catch (error) {
    if (codeOf(error) === "EEXIST") return undefined;
    throw refuseFile(path, `cannot be made (${codeOf(error)})`);
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
  return { id: `${ino}-${mtimeNs}`, age: Date.now() - Number(mtimeMs) };
}

function isStale(found: Found | undefined): boolean {
  return found !== undefined && found.age > stale;
}

/** Longer than a refresh may take, shorter than anybody waits. */
const stale = 20_000;
const patience = 30_000;
const releaseAttempts = 50;
