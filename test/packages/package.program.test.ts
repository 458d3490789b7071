import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { readRuntimeExports } from "../../.build/runtime-exports.ts";
import { isObject } from "../../templates/support.ts";

const root = join(import.meta.dirname, "../..");
const manifest = readJson("package.json");
const pins = readJson("spec/pins.json");
const programs = readJson("dist/.build/programs.json");
const runtime = "dist/runtime-package";
const runtimeManifest = readJson(`${runtime}/package.json`);
/** Source files of the runtime's entries by subpath. */
const entries = Object.entries(readRuntimeExports(root));

describe("the manifest of mcp-server-runtime", () => {
  it("the manifest of the runtime has the version, licence and engines of the repository, and no dependency", () => {
    const { version, license, engines } = manifest;
    expect(runtimeManifest).toMatchObject({
      name: "mcp-server-runtime",
      version,
      license,
      engines,
      sideEffects: ["./runtime/transport/stdio/redirect-stdout.js"],
    });
    expect(runtimeManifest.dependencies).toBeUndefined();
    expect(objectAt(runtimeManifest, "peerDependenciesMeta")).toEqual(
      Object.fromEntries(
        Object.keys(objectAt(runtimeManifest, "peerDependencies")).map((name) => [name, { optional: true }]),
      ),
    );
  });

  it("the manifest of the runtime supports versions of libraries that the tests use", () => {
    const tested = Object.keys(objectAt(manifest, "devDependencies"));
    expect(tested).toEqual(expect.arrayContaining(Object.keys(objectAt(runtimeManifest, "peerDependencies"))));
  });

  it.each(entries)("the manifest of the runtime exports %s from %s", (subpath, source) => {
    expect(existsSync(join(root, source))).toBe(true);
    const targets = Object.values(objectAt(objectAt(runtimeManifest, "exports"), subpath)).map(String);
    expect(targets).toHaveLength(2);
    for (const target of targets) expect(existsSync(join(root, runtime, target)), target).toBe(true);
  });

  it("the manifest of the runtime exports every pinned revision with its checks and tables, and every extension with its checks", () => {
    const subpaths = entries.map(([subpath]) => subpath);
    for (const revision of Object.keys(objectAt(pins, "revisions")))
      expect(subpaths).toEqual(
        expect.arrayContaining([`./${revision}`, `./${revision}/validate`, `./${revision}/methods`]),
      );
    for (const name of Object.keys(objectAt(pins, "extensions")))
      expect(subpaths).toEqual(expect.arrayContaining([`./extensions/${name}`, `./extensions/${name}/validate`]));
  });

  it("an import of the runtime loads few files: each takes half a millisecond at every start", () => {
    for (const [, source] of entries) expect(filesOf(moduleOf(source)).size, source).toBeLessThanOrEqual(20);
  });

  it("an import of the runtime opens no standard streams, and loads no streams, sockets or child processes of Node.js", () => {
    const sources = [".", "./features", "./settings", "./client"].map(
      (subpath) => readRuntimeExports(root)[subpath] ?? "",
    );
    const own = builtinsOf([]);
    const added = builtinsOf(sources.map(moduleOf)).filter((name) => !own.includes(name));
    expect(added).toContain("fs/promises");
    expect(added.filter((name) => /^(net|tls|tty|stream|http|https|crypto|child_process)$/.test(name))).toEqual([]);
  });

  it("an import of the runtime loads a library only in its adapter", () => {
    const peers = Object.keys(objectAt(runtimeManifest, "peerDependencies"));
    const loading = entries.filter(([, source]) =>
      [...filesOf(moduleOf(source))].some((file) =>
        peers.some((name) => new RegExp(`^(?:import|\\}) .*"${name}["/]`, "m").test(readFileSync(file, "utf8"))),
      ),
    );
    const chosen = loading.map(([subpath]) => subpath).filter((subpath) => !subpath.startsWith("./adapters/"));
    expect(chosen.sort()).toEqual(["./auth/client", "./build", "./transports/websocket-server"]);
  });
});

describe("names of mcp-server-runtime", () => {
  const written = entries.filter(([, source]) => !source.startsWith("generated/"));
  const names = written.map(([subpath, source]) => ({ subpath, exported: exportedNames(source) }));

  it("names are at most 150 in the main entry", () => {
    const main = names.find(({ subpath }) => subpath === ".");
    expect(main?.exported.length).toBeGreaterThan(50);
    expect(main?.exported.length).toBeLessThanOrEqual(150);
  });

  it("names have one entry each", () => {
    const homes = new Map<string, string[]>();
    for (const { subpath, exported } of names)
      for (const name of exported) homes.set(name, [...(homes.get(name) ?? []), subpath]);
    expect([...homes].filter(([, { length }]) => length > 1)).toEqual([]);
  });
});

describe("package.json", () => {
  it("package.json exports the generator, and nothing else", () => {
    expect(Object.keys(objectAt(manifest, "exports"))).toEqual([".", "./package.json"]);
    const { types, default: file } = objectAt(objectAt(manifest, "exports"), ".");
    for (const target of [types, file]) expect(existsSync(join(root, String(target)))).toBe(true);
  });

  it("package.json points both commands at the command line", () => {
    const commands = objectAt(manifest, "bin");
    expect(Object.keys(commands)).toEqual(["create-mcp-server", "create-mcp"]);
    expect(new Set(Object.values(commands))).toEqual(new Set(["dist/bundle/generator/cli.js"]));
  });

  it("package.json has no dependencies: its programs have their libraries inside", () => {
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.peerDependencies).toBeUndefined();
    const outputs = Object.values(objectAt(programs, "outputs")).filter(isObject);
    const imports = outputs.flatMap((output) => (Array.isArray(output.imports) ? output.imports.filter(isObject) : []));
    const libraries = imports
      .filter(({ external, kind, path }) => external === true && kind !== "require-call" && !isBuiltin(String(path)))
      .map(({ path }) => String(path));
    // The client of Redis loads it for one of its own features, if it is installed.
    expect(libraries.filter((library) => library !== "@node-rs/xxhash")).toEqual([]);
  });

  it("the package contains the licence of every package that is inside its programs", () => {
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

  it("package.json pins exactly what the generated text depends on", () => {
    const dependencies = objectAt(manifest, "devDependencies");
    const pinned = ["handlebars", "json-schema-to-typescript", "prettier", "ts-morph"];
    expect(pinned.map((name) => dependencies[name])).toEqual(pinned.map(() => expect.stringMatching(/^\d/)));
  });

  it("the package contains no test, benchmark or example (R71)", () => {
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

/** Returns the names of the modules of Node.js that are loaded in a process that imports some modules. */
function builtinsOf(modules: readonly string[]): readonly string[] {
  const imports = modules.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};`).join("");
  // The list is read before stdout, which is a stream of Node.js.
  const program = `${imports}const names = JSON.stringify(process.moduleLoadList); process.stdout.write(names);`;
  const text = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
  const names: unknown = JSON.parse(text);
  return Array.isArray(names) ? names.map((name) => String(name).replace(/^NativeModule /, "")) : [];
}

/** Returns the module of the package that a source file became. */
function moduleOf(source: string): string {
  return join(root, runtime, source.replace(/\.ts$/, ".js"));
}

function exportedNames(source: string): string[] {
  const text = readFileSync(join(root, source), "utf8");
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = ""]) => names.split(","));
  const declared = [...text.matchAll(/^export (?:async )?(?:\w+) (\w+)/gm)].map(([, name = ""]) => name);
  return [...listed.map((name) => name.trim().replace(/^.* /, "")), ...declared].filter((name) => name !== "");
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
