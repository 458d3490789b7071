import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { readRuntime, readVendorFiles, runtimePackage } from "../../../../generator/scaffold/create/runtime-package.ts";
import { packageRoot, packageVersion } from "../../../../generator/internal/package-info.ts";
import { runCli } from "../../../kit/programs.ts";
import { listAll, temporaryFolder } from "../../../kit/temporary-folders.ts";
import { builtRuntime, emitFiles, linkPackages, writeFiles } from "../../../kit/projects.ts";

/* A project gets the runtime as it was built: by a packed file, or by its published files. */

const archive = `${runtimePackage}-${packageVersion()}.tgz`;
const offline = ["--no-install", "--no-git", "--yes"];

/** Paths of the files below a folder, with forward slashes, sorted. */
function filesBelow(folder: string): readonly string[] {
  return listAll(folder).filter((path) => statSync(join(folder, path)).isFile());
}

function dependencyOf(project: string): unknown {
  const manifest: { readonly devDependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(project, "package.json"), "utf8"),
  );
  return manifest.devDependencies[runtimePackage];
}

/** Unpacks an archive of npm, and returns the folder of its files. */
function unpack(path: string): string {
  const folder = temporaryFolder();
  // Windows has a tar that takes a path with a drive for a host.
  execFileSync("tar", ["-xzf", relative(folder, path).split(sep).join("/")], { cwd: folder });
  return join(folder, "package");
}

function expectSameFiles(found: string, expected: string): void {
  expect(filesBelow(found)).toEqual(filesBelow(expected));
  for (const path of filesBelow(expected))
    expect(readFileSync(join(found, path)).equals(readFileSync(join(expected, path))), path).toBe(true);
}

describe("a project that vendors the runtime", () => {
  test("a project with a vendored runtime has the same files and depends on them", async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await runCli(["demo", "--runtime", "vendored", ...offline], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expectSameFiles(join(cwd, "demo", "vendor", runtimePackage), builtRuntime);
    expect(listAll(join(cwd, "demo", "vendor")).filter((path) => path.endsWith(".tgz"))).toEqual([]);
    expect(dependencyOf(join(cwd, "demo"))).toBe(`file:vendor/${runtimePackage}`);
    expect(existsSync(join(cwd, "demo", "vendor", runtimePackage, "package.json"))).toBe(true);
  });

  test("a project with a vendored runtime builds without warnings even if npm links the folder", async () => {
    const folder = temporaryFolder();
    writeFiles(folder, await emitFiles({ folder, selection: { runtime: "vendored", extras: "none" } }));
    linkPackages(folder, ["esbuild", "@esbuild", "zod"]);
    const link = join(folder, "node_modules", runtimePackage);
    rmSync(link);
    symlinkSync(join(folder, "vendor", runtimePackage), link, "junction");
    const { status, stderr } = spawnSync(process.execPath, ["build.js"], { cwd: folder, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(readFileSync(join(folder, "dist", "THIRD-PARTY.txt"), "utf8")).toContain(runtimePackage);
  });

  test("the archive of the runtime contains the files that npm packs, and no others", () => {
    expectSameFiles(unpack(join(packageRoot, "dist", archive)), builtRuntime);
  });

  test("the vendored runtime contains no binary file", () => {
    for (const [path, text] of readVendorFiles())
      expect(Buffer.from(text).equals(readFileSync(join(builtRuntime, path))), path).toBe(true);
  });
});

describe("a project that depends on the runtime", () => {
  test("a project created by a clone has an unchanged copy of the packed runtime", async () => {
    const cwd = temporaryFolder();
    const { code } = await runCli(["demo", ...offline], { cwd });
    expect(code).toBe(0);
    const project = join(cwd, "demo");
    // The launcher makes the clone's command line available under its published name.
    const launcher = ["", "/cli.js", "/clone.json", "/package.json"].map((path) => `create-mcp-server${path}`);
    expect(
      listAll(join(project, "vendor"))
        .map((path) => path.replaceAll("\\", "/"))
        .sort(),
    ).toEqual([...launcher, archive].sort());
    expect(
      readFileSync(join(project, "vendor", archive)).equals(readFileSync(join(packageRoot, "dist", archive))),
    ).toBe(true);
    expect(dependencyOf(project)).toBe(`file:vendor/${archive}`);
    expect(filesBelow(project).length).toBeLessThanOrEqual(36);
  });

  test("a project with a packed runtime has no files of the runtime as text", async () => {
    expect([...(await emitFiles()).keys()].filter((path) => path.startsWith("vendor/"))).toEqual([]);
  });

  test("the version of the dependency is the archive with the version of the runtime", () => {
    const { version, archives, files } = readRuntime("dependency");
    expect({ version, archives: [...archives.keys()], files: files.size }).toEqual({
      version: `file:vendor/${archive}`,
      archives: [`vendor/${archive}`],
      files: 0,
    });
    expect(JSON.parse(readFileSync(join(builtRuntime, "package.json"), "utf8"))).toMatchObject({
      name: runtimePackage,
      version: packageVersion(),
    });
  });
});

test("a dry run lists the files of the vendored runtime and writes none", async () => {
  const cwd = temporaryFolder();
  const { code, stdout } = await runCli(["demo", "--runtime", "vendored", "--dry-run"], { cwd });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ *\d+ {2}vendor\/mcp-server-runtime\/package\.json$/m);
  expect(listAll(cwd)).toEqual([]);
});
