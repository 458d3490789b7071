import { chmod, readFile, readdir, stat, symlink, truncate, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { createFileStore } from "../../../../runtime/auth/client/index.ts";
import { retryWhileLocked } from "../../../../runtime/auth/client/tokens/retry-while-locked.ts";
import { temporaryFolder } from "../../../kit/temporary-folders.ts";

describe("a file of credentials (AC-31)", () => {
  test("a file of credentials is retried on Windows while another process has it open, and only there", async () => {
    const held = (): (() => Promise<string>) => {
      let times = 0;
      return async () => {
        times += 1;
        if (times < 4) throw Object.assign(new Error("held"), { code: "EPERM" });
        return "free";
      };
    };
    expect(await retryWhileLocked(held(), "win32")).toBe("free");
    await expect(retryWhileLocked(held(), "linux")).rejects.toThrow("held");
    const absent = async (): Promise<never> => Promise.reject(Object.assign(new Error("absent"), { code: "ENOENT" }));
    await expect(retryWhileLocked(absent, "win32")).rejects.toThrow("absent");
  });

  test("a file of credentials is private to its owner, and complete after every change", async () => {
    const path = join(temporaryFolder(), "deep", "credentials.json");
    const store = createFileStore(path);
    await Promise.all(Array.from({ length: 10 }, async (_one, index) => store.set(`key ${index}`, `value ${index}`)));
    await store.delete("key 3");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(path, ".."))).mode & 0o777).toBe(0o700);
    const again = createFileStore(path);
    expect(await again.get("key 9")).toBe("value 9");
    expect(await again.get("key 3")).toBeUndefined();
    expect(await readdir(join(path, ".."))).toEqual(["credentials.json"]);
  });

  test("a file of credentials accepts any name, and keeps names apart", async () => {
    const store = createFileStore(join(temporaryFolder(), "credentials.json"));
    for (const key of ["__proto__", "constructor", ""]) {
      expect(await store.get(key)).toBeUndefined();
      await store.set(key, "x");
      expect(await store.get(key)).toBe("x");
    }
  });

  test("a file of credentials is rejected when others can read it, when it is a link, and when its content is invalid", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "credentials.json");
    await writeFile(path, "{}", { mode: 0o600 });
    await chmod(path, 0o644);
    await expect(createFileStore(path).get("x")).rejects.toMatchObject({ code: "storage" });
    await chmod(path, 0o600);
    expect(await createFileStore(path).get("x")).toBeUndefined();
    const link = join(folder, "link.json");
    await symlink(path, link);
    await expect(createFileStore(link).get("x")).rejects.toMatchObject({ code: "storage" });
    await unlink(link);
    await writeFile(path, "{ half");
    await expect(createFileStore(path).set("x", "y")).rejects.toMatchObject({ code: "storage" });
    expect(await readFile(path, "utf8")).toBe("{ half");
    expect(await readdir(folder)).toEqual(["credentials.json"]);
  });

  test.each([
    ["an empty text", "", { key: undefined, other: undefined }],
    ["values that are no texts", '{"key":5,"other":"x"}', { key: undefined, other: "x" }],
  ])("a file of credentials is read with %s", async (_name, text, found) => {
    const path = join(temporaryFolder(), "credentials.json");
    await writeFile(path, text, { mode: 0o600 });
    const store = createFileStore(path);
    expect({ key: await store.get("key"), other: await store.get("other") }).toEqual(found);
  });

  test("a file of credentials may have 4 MiB, and no more", async () => {
    const path = join(temporaryFolder(), "credentials.json");
    const most = 4 * 1024 * 1024;
    await writeFile(path, `{"x":"y"${" ".repeat(most - 9)}}`, { mode: 0o600 });
    expect(await createFileStore(path).get("x")).toBe("y");
    await truncate(path, most + 1);
    await expect(createFileStore(path).get("x")).rejects.toThrow("is too large for a credential store");
  });

  test.each([
    // The name of the lock is longer than the one of the file, and the one of the draft is longer still.
    ["created", 252],
    ["written", 230],
  ])("a file of credentials that cannot be %s is an error with the code of the system", async (problem, length) => {
    const folder = temporaryFolder();
    const store = createFileStore(join(folder, "x".repeat(length)));
    const error: unknown = await Promise.resolve(store.set("key", "value")).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "AuthError", code: "storage" });
    expect(String(error)).toContain(`cannot be ${problem} (ENAMETOOLONG)`);
    expect(await readdir(folder)).toEqual([]);
  });

  test("a lock that another process keeps is an error after 30 s", async () => {
    const path = join(temporaryFolder(), "credentials.json");
    await writeFile(`${path}.lock`, "");
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 10_000));
    const error: unknown = await Promise.resolve(createFileStore(path).set("x", "y")).catch(
      (thrown: unknown) => thrown,
    );
    vi.restoreAllMocks();
    expect(error).toMatchObject({ name: "AuthError", code: "storage" });
    expect(String(error)).toContain("is still held by another process");
    expect(await readdir(join(path, ".."))).toEqual(["credentials.json.lock"]);
  });
});
