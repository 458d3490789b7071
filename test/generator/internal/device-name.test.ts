import { expect, test } from "vitest";
import { avoidDevice, isDeviceName } from "../../../generator/internal/device-name.ts";

const devices = ["con", "NUL", "aux.txt", "com1", "LPT9.md", "com¹", "conin$", "CONOUT$", "nul ", "nul .txt", "con:"];

test.each(devices)("%j is a device on Windows", (name) => {
  expect(isDeviceName(name)).toBe(true);
});

test.each(["console", "null", "com", "com10", "lpt-1", "my.con", "a-nul", ""])("%j is not", (name) => {
  expect(isDeviceName(name)).toBe(false);
  expect(avoidDevice(name, "tool")).toBe(name);
});

test("the name of a file, without its ending, is made another", () => {
  expect(avoidDevice("con", "tool")).toBe("con-tool");
});
