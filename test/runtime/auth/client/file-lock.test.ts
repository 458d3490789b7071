import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm, type stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { createFileStore } from "../../../../runtime/auth/client/index.ts";

/** Looking at a file takes long, as on a busy machine: what was seen may no longer be so. */
vi.mock("node:fs/promises", async (readOriginal) => {
  const original = await readOriginal<typeof import("node:fs/promises")>();
  let turns = 0;
  const slowly = async (...args: Parameters<typeof stat>): Promise<unknown> => {
    const found = await original.stat(...args);
    if (String(args[0]).includes(".lock")) await delay((turns += 37) % 120);
    return found;
  };
  return { ...original, stat: slowly };
});

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function makePath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "locks-"));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "credentials.json");
}

const lockOf = (path: string): string => `${path}.${createHash("sha256").update("key").digest("base64url")}.lock`;

/** Does something as a process of its own, as far as locks are concerned. */
function hold<Result>(path: string, task: () => Promise<Result>): Promise<Result> {
  const store = createFileStore(path);
  if (!store.exclusively) throw new Error("The store has no locks");
  return store.exclusively("key", task);
}

async function age(file: string): Promise<void> {
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(file, longAgo, longAgo);
}

test("an abandoned lock is taken over by one process at a time", async () => {
  const path = await makePath();
  await writeFile(lockOf(path), "");
  await age(lockOf(path));
  let holders = 0;
  let most = 0;
  const task = async (): Promise<void> => {
    holders += 1;
    most = Math.max(most, holders);
    await delay(60);
    holders -= 1;
  };
  await Promise.all(Array.from({ length: 12 }, () => hold(path, task)));
  expect(most).toBe(1);
  expect(await readdir(join(path, ".."))).toEqual([]);
});

test("a process that resumes too late does not delete the lock of the next one", async () => {
  const path = await makePath();
  let isHeld = false;
  let leave = (): void => {};
  const first = hold(path, async () => {
    isHeld = true;
    await new Promise<void>((resolve) => (leave = resolve));
  });
  await expect.poll(() => isHeld).toBe(true);
  await age(lockOf(path));
  let next = (): void => {};
  let isTaken = false;
  const second = hold(path, async () => {
    isTaken = true;
    await new Promise<void>((resolve) => (next = resolve));
  });
  await expect.poll(() => isTaken).toBe(true);
  leave();
  await first;
  expect(await readdir(join(path, ".."))).toEqual([basename(lockOf(path))]);
  next();
  await second;
  expect(await readdir(join(path, ".."))).toEqual([]);
});

test("a lock whose owner has died while deleting it is taken over", async () => {
  const path = await makePath();
  for (const file of [lockOf(path), `${lockOf(path)}.end`]) {
    await writeFile(file, "");
    await age(file);
  }
  expect(await hold(path, () => Promise.resolve("done"))).toBe("done");
  expect(await readdir(join(path, ".."))).toEqual([]);
});
