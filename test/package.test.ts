import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { isObject } from "../templates/support.ts";

const root = join(import.meta.dirname, "..");
const manifest = readJson("package.json");
const pins = readJson("spec/pins.json");
const programs = readJson("dist/.build/programs.json");

describe("package.json", () => {
  const revisions = Object.keys(objectAt(pins, "revisions"));

  it.each(revisions)("exports %s with its checks and tables", (revision) => {
    const paths = Object.keys(objectAt(manifest, "exports"));
    expect(paths).toEqual(expect.arrayContaining([`./${revision}`, `./${revision}/validate`, `./${revision}/methods`]));
  });

  it.each(Object.keys(objectAt(pins, "extensions")))("exports the extension %s with its checks", (name) => {
    const paths = Object.keys(objectAt(manifest, "exports"));
    expect(paths).toEqual(expect.arrayContaining([`./extensions/${name}`, `./extensions/${name}/validate`]));
  });

  it("exports nothing that no source file stands behind", () => {
    const targets = Object.values(objectAt(manifest, "exports")).filter(isObject);
    const missing = targets.map(({ default: file }) => sourceOf(String(file))).filter((file) => !existsSync(file));
    expect(missing).toEqual([]);
  });

  it("loads few files, whatever is imported: each takes a millisecond at every start", async () => {
    const entries = Object.values(objectAt(manifest, "exports"))
      .filter(isObject)
      .map(({ default: file }) => String(file))
      .filter((file) => file.includes("/bundle/"));
    expect(entries.length).toBeGreaterThan(20);
    for (const entry of entries) expect(filesOf(join(root, entry)).size, entry).toBeLessThanOrEqual(40);
  });

  it("points both commands at the command line", () => {
    const commands = objectAt(manifest, "bin");
    expect(Object.keys(commands)).toEqual(["create-mcp-server", "create-mcp"]);
    expect(new Set(Object.values(commands))).toEqual(new Set(["dist/bundle/generator/cli.js"]));
  });

  it("installs nothing else: its programs have their libraries inside, and those of the runtime are chosen by its users", () => {
    expect(manifest.dependencies).toBeUndefined();
    expect(objectAt(manifest, "peerDependenciesMeta")).toEqual(
      Object.fromEntries(Object.keys(objectAt(manifest, "peerDependencies")).map((name) => [name, { optional: true }])),
    );
    const outputs = Object.values(objectAt(programs, "outputs")).filter(isObject);
    const imports = outputs.flatMap((output) => (Array.isArray(output.imports) ? output.imports.filter(isObject) : []));
    const libraries = imports
      .filter(({ external, kind, path }) => external === true && kind !== "require-call" && !isBuiltin(String(path)))
      .map(({ path }) => String(path));
    const chosen = Object.keys(objectAt(manifest, "peerDependencies"));
    expect(libraries.filter((library) => !chosen.includes(library))).toEqual([]);
  });

  it("passes on the licence of every package that is inside its programs", () => {
    const notices = readFileSync(join(root, "dist/bundle/THIRD-PARTY.txt"), "utf8");
    const inputs = Object.keys(objectAt(programs, "inputs"));
    const folders = new Set(inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
    expect(folders.size).toBeGreaterThan(30);
    for (const folder of [...folders, "node_modules/typescript"]) {
      const { name, version, license } = readJson(join(folder, "package.json"));
      const notice = notices
        .split("=".repeat(80))
        .find((part) => part.startsWith(`\n${name} ${version} (${license})\n`));
      expect(notice?.replaceAll(/\s+/g, " "), folder).toMatch(
        /permission (to use|is hereby granted)|redistribution and use|apache license|blue oak/i,
      );
      expect(notice?.length).toBeGreaterThan(500);
    }
  });

  it("pins exactly what the generated text depends on", () => {
    const dependencies = objectAt(manifest, "devDependencies");
    const pinned = ["handlebars", "json-schema-to-typescript", "prettier", "ts-morph"];
    expect(pinned.map((name) => dependencies[name])).toEqual(pinned.map(() => expect.stringMatching(/^\d/)));
  });

  it("ships no test, benchmark or example (R71)", () => {
    expect(manifest.files).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/^(test|bench|examples|dist$|dist\/examples)/)]),
    );
  });
});

/** A module and what it imports of this package, all the way down. */
function filesOf(file: string, known: Set<string> = new Set()): ReadonlySet<string> {
  if (known.has(file)) return known;
  known.add(file);
  const imports = readFileSync(file, "utf8").matchAll(/^(?:import|export|\}) ?.*?"(\.[^"]+)";$/gm);
  for (const [, path = ""] of imports) filesOf(join(dirname(file), path), known);
  return known;
}

function sourceOf(target: string): string {
  return join(root, target.replace(/^\.\/dist\/(bundle\/)?/, "").replace(/\.js$/, ".ts"));
}

function readJson(path: string): Record<string, unknown> {
  const value: unknown = JSON.parse(readFileSync(join(root, path), "utf8"));
  if (!isObject(value)) throw new Error(`${path} is not an object`);
  return value;
}

function objectAt(value: Record<string, unknown>, key: string): Record<string, unknown> {
  const member = value[key];
  if (!isObject(member)) throw new Error(`${key} is not an object`);
  return member;
}
