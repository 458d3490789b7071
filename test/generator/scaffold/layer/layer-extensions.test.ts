import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hashText } from "../../../../generator/internal/files.ts";
import { pinExtension } from "../../../../generator/pin/pin-extension.ts";
import { readSpecModels, type SpecModels } from "../../../../generator/read/spec-models.ts";
import { emitLayer } from "../../../../generator/scaffold/layer/emit-layer.ts";
import { echoSchema } from "../../echo-schema.ts";
import { temporaryFolder } from "../../../kit/temporary-folders.ts";
import { emitFolder, expectFormatted, smallest } from "../../../kit/projects.ts";

const newest = "2026-07-28";

/** Reads a spec folder with an extension. */
async function readEcho(): Promise<SpecModels> {
  const folder = temporaryFolder();
  const spec = join(folder, "spec");
  cpSync("spec", spec, { recursive: true });
  writeFileSync(join(folder, "schema.ts"), echoSchema);
  await pinExtension({ extension: join(folder, "schema.ts"), id: "com.example/echo", spec });
  return readSpecModels(spec);
}

const names = ["index", "methods", "types", "validate"];

test("a layer has the extensions of the spec folder that the runtime does not have, with their hashes in the lock", async () => {
  const tree = await emitLayer(smallest, await readEcho());
  const paths = [...tree.keys()].filter((path) => path.startsWith("extensions/"));
  expect(paths).toEqual(names.map((name) => `extensions/echo/${name}.ts`));
  const { files } = JSON.parse(tree.get("mcp.lock.json") ?? "");
  for (const path of paths) expect(files[path]).toBe(hashText(tree.get(path) ?? ""));
  for (const path of paths) expect(tree.get(path)).toContain("// Do not edit: run `npx create-mcp-server update`.");
  await expectFormatted(tree);
  expect([...(await emitFolder()).keys()].filter((path) => path.startsWith("extensions/"))).toEqual([]);
});

/** Returns the modules that a text imports, in order. */
function importsOf(text = ""): readonly string[] {
  return [...new Set([...text.matchAll(/ from "([^"]+)";$/gm)].map(([, path]) => path ?? ""))];
}

test("the newest revision of a layer has the types and checks that its extensions import", async () => {
  const tree = await emitLayer(smallest, await readEcho());
  const checks = tree.get("extensions/echo/validate.ts") ?? "";
  expect(importsOf(checks)).toEqual([`../../${newest}/validate.ts`, "mcp-server-runtime/support"]);
  expect(importsOf(tree.get("extensions/echo/types.ts"))).toEqual([`../../${newest}/types.ts`]);
  for (const [path, file] of [
    ["extensions/echo/types.ts", "types"],
    ["extensions/echo/validate.ts", "validate"],
  ] as const) {
    const [list = ""] = /^import (?:type )?\{[^}]*\}/m.exec(tree.get(path) ?? "") ?? [];
    const imported = list.match(/\b(?:[A-Z]|check)\w+/g) ?? [];
    expect(imported.length).toBeGreaterThan(3);
    for (const name of imported)
      expect(tree.get(`${newest}/${file}.ts`)).toMatch(new RegExp(`^export (interface|function|type) ${name}\\b`, "m"));
  }
});

test("an extension imports from the runtime if the layer has another revision", async () => {
  const tree = await emitLayer({ ...smallest, revisions: ["2025-11-25"] }, await readEcho());
  expect(importsOf(tree.get("extensions/echo/types.ts"))).toEqual([`mcp-server-runtime/${newest}`]);
  expect(importsOf(tree.get("extensions/echo/validate.ts"))).toEqual([
    `mcp-server-runtime/${newest}/validate`,
    "mcp-server-runtime/support",
  ]);
});

test("imports of an extension have the ending of the project", async () => {
  const tree = await emitLayer({ ...smallest, imports: "js" }, await readEcho());
  expect(importsOf(tree.get("extensions/echo/methods.ts"))).toEqual([
    "mcp-server-runtime/support",
    "./types.js",
    "./validate.js",
  ]);
});

test("an extension with the types of a revision that neither the layer nor the runtime has is rejected", async () => {
  const { extensions, ...spec } = await readEcho();
  const moved = extensions.map((extension) => ({ ...extension, core: { ...extension.core, id: "2099-01-01" } }));
  await expect(emitLayer(smallest, { ...spec, extensions: moved })).rejects.toThrow(
    /^the extension echo has the types of 2099-01-01; add that revision with --protocol/,
  );
});
