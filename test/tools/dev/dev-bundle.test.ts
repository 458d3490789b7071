import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { BuildResult } from "../../../tools/dev/bundler.ts";
import { DevBundle } from "../../../tools/dev/dev-bundle.ts";

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "bundle-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function build(folder: string, text: string, entryPoint = "src/server.ts"): BuildResult {
  const path = join(folder, "server.js");
  return {
    errors: [],
    warnings: [],
    outputFiles: [{ path, text, contents: Buffer.from(text) }],
    metafile: { inputs: {}, outputs: { [path]: { entryPoint } } },
  };
}

test("bundles that were not loaded are removed at the end", async () => {
  const folder = createFolder();
  writeFileSync(join(folder, "server.js"), "");
  const bundle = new DevBundle(["src/server.ts"]);
  await bundle.write(build(folder, "1"));
  expect(await bundle.write(build(folder, "1"))).toBeUndefined();
  await bundle.write(build(folder, "2"));
  expect(readdirSync(folder)).toHaveLength(3);
  await bundle.close();
  expect(readdirSync(folder)).toEqual(["server.js"]);
});

test("a version that could not be written is written by the next build", async () => {
  const folder = join(createFolder(), "dist");
  writeFileSync(folder, "");
  const bundle = new DevBundle(["src/server.ts"]);
  await expect(bundle.write(build(folder, "1"))).rejects.toThrow();
  rmSync(folder);
  expect(await bundle.write(build(folder, "1"))).toMatch(/server\.dev-\d+-\d+\.js$/);
});

test("a version that is forgotten is written again", async () => {
  const folder = createFolder();
  const bundle = new DevBundle(["src/server.ts"]);
  const first = await bundle.write(build(folder, "1"));
  bundle.forget();
  const second = await bundle.write(build(folder, "1"));
  expect(second).toMatch(/server\.dev-\d+-\d+\.js$/);
  expect(second).not.toBe(first);
});

test.each([
  ["a path without its ending", ["./src/server"], undefined],
  ["a name", { server: "src/server.ts" }, undefined],
  ["another folder", ["src/server.ts"], "/elsewhere"],
])("the server of an entry point is found: %s", async (_what, entryPoints, root) => {
  const folder = createFolder();
  const bundle = new DevBundle(entryPoints, root);
  expect(await bundle.write(build(folder, "1"))).toMatch(/server\.dev-\d+-1\.js$/);
});

test("a build without the server is an error", async () => {
  const bundle = new DevBundle(["src/server.ts"]);
  await expect(bundle.write(build(createFolder(), "1", "src/other.ts"))).rejects.toThrow("The build has no file for");
});
