import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isObject } from "../templates/support.ts";

const root = join(import.meta.dirname, "..");
const manifest = readJson("package.json");
const pins = readJson("spec/pins.json");

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

  it("points both commands at the command line", () => {
    const commands = objectAt(manifest, "bin");
    expect(Object.keys(commands)).toEqual(["create-mcp-server", "create-mcp"]);
    expect(new Set(Object.values(commands))).toEqual(new Set(["dist/generator/cli.js"]));
  });

  it("pins exactly what the generated text depends on", () => {
    const dependencies = objectAt(manifest, "dependencies");
    const pinned = ["handlebars", "json-schema-to-typescript", "prettier", "ts-morph"];
    expect(pinned.map((name) => dependencies[name])).toEqual(pinned.map(() => expect.stringMatching(/^\d/)));
  });

  it("ships no test, benchmark or example (R71)", () => {
    expect(manifest.files).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/^(test|bench|examples|dist$|dist\/examples)/)]),
    );
  });
});

function sourceOf(target: string): string {
  return join(root, target.replace("./dist/", "").replace(/\.js$/, ".ts"));
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
