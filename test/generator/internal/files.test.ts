import { describe, expect, test } from "vitest";
import { avoidDevice, isDeviceName, move, type MoveOptions } from "../../../generator/internal/files.ts";

/** A system that refuses the first attempts. */
function holding(
  code: string,
  times: number,
  platform: string,
): { readonly mover: MoveOptions; readonly requested: string[] } {
  const requested: string[] = [];
  const rename = async (from: string, to: string): Promise<void> => {
    requested.push(`${from} ${to}`);
    if (requested.length <= times) throw Object.assign(new Error(`${code}: held`), { code });
  };
  return { mover: { platform, rename }, requested };
}

describe("a rename of a file that is open elsewhere", () => {
  test.each(["EPERM", "EACCES", "EBUSY"])("a rename is repeated on Windows (%s)", async (code) => {
    const { mover, requested } = holding(code, 3, "win32");
    await move("a", "b", mover);
    expect(requested).toEqual(["a b", "a b", "a b", "a b"]);
  });

  test("a rename fails on Windows after several attempts", async () => {
    const { mover, requested } = holding("EPERM", Infinity, "win32");
    await expect(move("a", "b", mover)).rejects.toThrow("EPERM: held");
    expect(requested.length).toBeGreaterThan(5);
  });

  test.each([
    ["EPERM", "linux"],
    ["ENOENT", "win32"],
  ])("a rename is not repeated for %s on %s", async (code, platform) => {
    const { mover, requested } = holding(code, 1, platform);
    await expect(move("a", "b", mover)).rejects.toThrow(`${code}: held`);
    expect(requested).toHaveLength(1);
  });
});

const devices = ["con", "NUL", "aux.txt", "com1", "LPT9.md", "com¹", "conin$", "CONOUT$", "nul ", "nul .txt", "con:"];

test.each(devices)("%j is a device on Windows", (name) => {
  expect(isDeviceName(name)).toBe(true);
});

test.each(["console", "null", "com", "com10", "lpt-1", "my.con", "a-nul", ""])(
  "%j is not a device on Windows",
  (name) => {
    expect(isDeviceName(name)).toBe(false);
    expect(avoidDevice(name, "tool")).toBe(name);
  },
);

test("`avoidDevice` adds a suffix to the name of a device", () => {
  expect(avoidDevice("con", "tool")).toBe("con-tool");
});
