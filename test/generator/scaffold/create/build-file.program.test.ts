import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../../../generator/internal/package-info.ts";
import { loadTemplates } from "../../../../generator/internal/templates.ts";
import { buildTemplate, emitBuildScript } from "../../../../generator/scaffold/create/build-script.ts";
import { runtimePackage } from "../../../../generator/scaffold/create/runtime-package.ts";
import { temporaryFolder } from "../../../kit/temporary-folders.ts";
import { builtRuntime } from "../../../kit/projects.ts";

const run = promisify(execFile);

type Builder = "node" | "worker";

const templates = loadTemplates(join(packageRoot, "templates"), [buildTemplate]);

/** A package in CommonJS, as many are. */
const old = `
const { EOL } = require("os");
exports.facts = () => [EOL, typeof require("node:fs").readFileSync, __dirname, __filename];
exports.load = (name) => require(name);
`;

/** Writes a project that has nothing but its builder and these files; its packages are in no other folder. */
async function project(files: Readonly<Record<string, string>>, target: Builder = "node"): Promise<string> {
  const folder = temporaryFolder();
  const all = {
    "package.json": '{ "type": "module" }',
    "node_modules/old/package.json": '{ "name": "old", "main": "index.js" }',
    "node_modules/old/index.js": old,
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  writeFileSync(join(folder, "build.js"), emitBuildScript({ target, entries: '["src/server.ts"]' }, templates));
  symlinkSync(builtRuntime, join(folder, "node_modules", runtimePackage), "junction");
  return folder;
}

/** Returns the output of a project in a folder with only its bundle and its manifest. */
async function runElsewhere(folder: string): Promise<unknown> {
  const elsewhere = temporaryFolder();
  await run(process.execPath, [join(folder, "build.js")], { cwd: elsewhere });
  for (const name of ["dist", "package.json"]) cpSync(join(folder, name), join(elsewhere, name), { recursive: true });
  const { stdout, stderr } = await run(process.execPath, [join(elsewhere, "dist", "server.js")]);
  expect(stderr).toBe("");
  return JSON.parse(stdout.replaceAll(elsewhere, "."));
}

test("a package in CommonJS works inside the bundle without installed packages", async () => {
  const server = `
    import old, { facts } from "old";
    const { EOL } = old.load("node:os");
    console.log(JSON.stringify([...facts(), EOL]));
  `;
  const { EOL } = await import("node:os");
  const place = [join(".", "dist"), join(".", "dist", "server.js")].map((path) => `./${path}`);
  const folder = await project({ "src/server.ts": server });
  expect(await runElsewhere(folder)).toEqual([EOL, "function", ...place, EOL]);
});

test.each(["src/vendor/prices/list.ts", "src/eventvendor/prices/list.ts"])(
  "a module of the project in %s is no package with a licence",
  async (path) => {
    const server = `
      import old from "old";
      import { prices } from "./${path.slice("src/".length)}";
      console.log(JSON.stringify([prices, typeof old]));
    `;
    const folder = await project({ "src/server.ts": server, [path]: "export const prices = [1];" });
    expect(await runElsewhere(folder)).toEqual([[1], "object"]);
    expect(readFileSync(join(folder, "dist", "THIRD-PARTY.txt"), "utf8").match(/no licence declared/g)).toHaveLength(1);
  },
);

test("additions of the bundle do not collide with names of the user's code", async () => {
  const server = `
    import { createRequire } from "node:module";
    import { dirname } from "node:path";
    import { fileURLToPath } from "node:url";
    import { facts } from "old";
    const require = createRequire(import.meta.url);
    const __filename = fileURLToPath(import.meta.url);
    const __dirname = dirname(__filename);
    console.log(JSON.stringify([typeof require("node:os").EOL, __dirname === facts()[2], __filename === facts()[3]]));
  `;
  expect(await runElsewhere(await project({ "src/server.ts": `#!/usr/bin/env node\n${server}` }))).toEqual([
    "string",
    true,
    true,
  ]);
});

test("classes keep their names in the bundle", async () => {
  const server = `
    class Failure extends Error {
      override readonly name = this.constructor.name;
      static readonly usual = new Failure("usual");
    }
    console.log(JSON.stringify([Failure.name, Failure.usual.name]));
  `;
  expect(await runElsewhere(await project({ "src/server.ts": server }))).toEqual(["Failure", "Failure"]);
});

test("an import that cannot be bundled stops the build and is reported once", async () => {
  const folder = await project({ "src/server.ts": 'import "./nowhere.ts";\nimport "nothing";\n' });
  const failed = await run(process.execPath, ["build.js"], { cwd: folder }).catch((error: unknown) => Object(error));
  expect(failed).toMatchObject({ code: 1, stdout: "" });
  expect(String(failed.stderr).match(/Could not resolve/g)).toHaveLength(2);
  expect(existsSync(join(folder, "dist"))).toBe(false);
});

test.each<readonly [what: string, manifest: object, file: string]>([
  ["finds its native code with `bindings`", { dependencies: { bindings: "1" } }, "index.js"],
  ["is compiled", {}, "binding.gyp"],
])("the build warns of a package that %s", async (_what, manifest, file) => {
  const folder = await project({
    "src/server.ts": 'import { facts } from "old";\nconsole.log(facts);\n',
    "node_modules/old/package.json": JSON.stringify({ name: "old", main: "index.js", ...manifest }),
    [`node_modules/old/${file}`]: file === "index.js" ? old : "{}",
  });
  const { stderr } = await run(process.execPath, ["build.js"], { cwd: folder });
  expect(stderr).toBe(
    'Warning: old has native code, which a bundle does not contain: add it to "external" in build.js and to "dependencies" in package.json.\n',
  );
});

/** A package whose main module exports the versions of itself and of what it needs. */
function versioned(at: string, version: string, needs: readonly string[], others: object = {}): Record<string, string> {
  const name = at.slice(at.lastIndexOf("node_modules/") + "node_modules/".length);
  const dependencies = Object.fromEntries(needs.map((need) => [need, "*"]));
  return {
    [`${at}/package.json`]: JSON.stringify({ name, version, main: "index.js", dependencies, ...others }),
    [`${at}/index.js`]: `module.exports = ["${version}", ...${JSON.stringify(needs)}.map((need) => require(need))];\n`,
  };
}

/** Replaces the bundled packages of a project by these. */
async function withExternal(
  dependencies: readonly string[],
  external: readonly string[],
  files: Record<string, string>,
): Promise<string> {
  const list = Object.fromEntries(dependencies.map((name) => [name, "*"]));
  const folder = await project({ "package.json": JSON.stringify({ type: "module", dependencies: list }), ...files });
  const path = join(folder, "build.js");
  writeFileSync(path, readFileSync(path, "utf8").replace("external: []", `external: ${JSON.stringify(external)}`));
  return folder;
}

describe("packages that are not bundled", () => {
  const server = `
    import native from "native";
    import sub from "@some/native/index.js";
    console.log(JSON.stringify([native, sub]));
  `;
  const nested = "node_modules/@some/native/node_modules";
  const files = {
    "src/server.ts": server,
    ...versioned("node_modules/native", "1", ["helper", "cycle"], { optionalDependencies: { "other-platform": "1" } }),
    ...versioned("node_modules/@some/native", "2", ["helper"]),
    ...versioned(`${nested}/helper`, "4", []),
    "node_modules/cycle/package.json": '{ "name": "cycle", "dependencies": { "native": "*" } }',
    "node_modules/cycle/index.js": "module.exports = typeof require('native');\n",
  };
  const expected = [
    ["1", ["3"], "object"],
    ["2", ["4"]],
  ];

  test("a package under external and dependencies is copied beside the bundle, with what it needs", async () => {
    const all = { ...files, ...versioned("node_modules/helper", "3", []) };
    const folder = await withExternal(["native", "@some/native", "old"], ["native", "@some/*"], all);
    expect(await runElsewhere(folder)).toEqual(expected);
    expect(readdirSync(join(folder, "dist", "node_modules")).sort()).toEqual(["@some", "native"]);
  });

  test("a package under external is copied from the store of pnpm", async () => {
    const store = "node_modules/.pnpm/native@1/node_modules";
    const folder = await withExternal(["native"], ["native"], {
      "src/server.ts": 'import native from "native";\nconsole.log(JSON.stringify(native));\n',
      ...versioned(`${store}/native`, "1", ["helper"]),
      ...versioned("node_modules/.pnpm/helper@3/node_modules/helper", "3", []),
    });
    const link = (from: string, to: string): void => symlinkSync(join(folder, from), join(folder, to), "junction");
    link(`${store}/native`, "node_modules/native");
    link("node_modules/.pnpm/helper@3/node_modules/helper", `${store}/helper`);
    expect(await runElsewhere(folder)).toEqual(["1", ["3"]]);
  });

  test("a package that the platform has is not copied, and copies are removed when nothing needs them", async () => {
    const folder = await withExternal([], ["native"], {
      ...files,
      "src/server.ts": 'import "native";\nimport "node:fs";\n',
    });
    mkdirSync(join(folder, "dist", "node_modules", "former"), { recursive: true });
    await run(process.execPath, ["build.js"], { cwd: folder });
    expect(existsSync(join(folder, "dist", "node_modules"))).toBe(false);
  });
});

test("stack traces name the sources", async () => {
  const folder = await project({
    "src/server.ts": "\nexport function stop(): never { throw new Error('here'); }\nstop();\n",
  });
  await run(process.execPath, ["build.js"], { cwd: folder });
  expect(readdirSync(join(folder, "dist"))).toEqual(["server.js", "server.js.map"]);
  const start = run(process.execPath, ["--enable-source-maps", "dist/server.js"], { cwd: folder });
  await expect(start).rejects.toMatchObject({ stderr: expect.stringMatching(/src[\\/]server\.ts:3/) });
});

describe.each<Builder>(["node", "worker"])("the build for %s and licences", (builder) => {
  // Started in another folder, as a host does.
  const build = (folder: string): Promise<unknown> =>
    run(process.execPath, [join(folder, "build.js")], { cwd: temporaryFolder() });
  const readNotices = (folder: string): string => readFileSync(join(folder, "dist", "THIRD-PARTY.txt"), "utf8");
  const wants = (...names: readonly string[]): { readonly "src/server.ts": string } => ({
    "src/server.ts": names.map((name) => `console.log(await import("${name}"));\n`).join(""),
  });
  /** A package with a part that is used and one that is not. */
  const pack = (at: string, manifest: object): Readonly<Record<string, string>> => ({
    [`${at}/package.json`]: JSON.stringify({ version: "1.2.3", type: "module", main: "index.js", ...manifest }),
    [`${at}/index.js`]: `export const used = 1;\n`,
  });

  test("the notices contain the licences of bundled packages, and of no others", async () => {
    const folder = await project(
      {
        ...wants("@some/one", "other"),
        ...pack("node_modules/@some/one", { name: "@some/one", license: "MIT" }),
        "node_modules/@some/one/LICENSE": "One grants this.\n",
        "node_modules/@some/one/NOTICE.txt": "One says that.\n",
        "node_modules/@some/one/index.js": 'export { deep } from "deep";\nexport const one = 1;\n',
        // Not at the top: another package has its own version of it.
        ...pack("node_modules/@some/one/node_modules/deep", { name: "deep", version: "2.0.0", license: "ISC" }),
        "node_modules/@some/one/node_modules/deep/index.js": "export const deep = 1;\n",
        "node_modules/@some/one/node_modules/deep/LICENCE-ISC": "Deep grants this.\n",
        ...pack("node_modules/other", { name: "other" }),
        "node_modules/other/licenses/readme.txt": "A folder.\n",
        "node_modules/other/index.js": 'import { used } from "unused";\nexport const other = 1;\n',
        ...pack("node_modules/unused", { name: "unused", license: "MIT", sideEffects: false }),
      },
      builder,
    );
    await build(folder);
    const rule = "=".repeat(80);
    expect(readNotices(folder)).toBe(
      [
        "This software includes the packages below, each under its own licence.\n",
        `${rule}\n@some/one 1.2.3 (MIT)\n\nOne grants this.\n\nOne says that.\n`,
        `${rule}\ndeep 2.0.0 (ISC)\n\nDeep grants this.\n`,
        `${rule}\nother 1.2.3 (no licence declared)\n`,
      ].join("\n"),
    );
  });

  test("the notices contain each version once if pnpm stores the packages", async () => {
    const store = "node_modules/.pnpm";
    const places = ["a@1.2.3", "a@1.2.3_peer@1.0.0"].map((name) => `${store}/${name}/node_modules/a`);
    const files = places.map((place) => ({
      ...pack(place, { name: "a", license: "MIT" }),
      [`${place}/LICENSE`]: "A.\n",
    }));
    const folder = await project({ ...wants("a", "b"), ...Object.assign({}, ...files) }, builder);
    for (const [index, name] of ["a", "b"].entries())
      symlinkSync(join(folder, places[index] ?? ""), join(folder, "node_modules", name), "junction");
    await build(folder);
    expect(readNotices(folder).match(/^a 1\.2\.3 \(MIT\)\n\nA\.$/gm)).toHaveLength(1);
  });

  test("the notices contain licences of packages in a parent folder, like in a workspace", async () => {
    const root = await project({ ...wants("a"), ...pack("node_modules/a", { name: "a", license: "MIT" }) }, builder);
    const folder = join(root, "packages", "server");
    mkdirSync(folder, { recursive: true });
    for (const name of ["src", "build.js", "package.json"]) renameSync(join(root, name), join(folder, name));
    await build(folder);
    expect(readNotices(folder)).toContain("a 1.2.3 (MIT)");
  });

  test("the file of notices is removed if the bundle contains no package", async () => {
    const folder = await project({ ...wants("a"), ...pack("node_modules/a", { name: "a", license: "MIT" }) }, builder);
    await build(folder);
    expect(readNotices(folder)).toContain("a 1.2.3");
    writeFileSync(join(folder, "src", "server.ts"), 'import "./own.ts";\nimport "node:path";\n');
    writeFileSync(join(folder, "src", "own.ts"), "console.log(1);\n");
    await build(folder);
    expect(readdirSync(join(folder, "dist"))).toEqual(["server.js", "server.js.map"]);
  });
});
