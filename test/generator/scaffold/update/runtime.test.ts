import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runAdd } from "../../../../cli/commands/add.ts";
import { runCreate, type CreateOptions } from "../../../../cli/commands/create.ts";
import { packageRoot, packageVersion } from "../../../../generator/internal/package-info.ts";
import { isOlderRange, isOlderVersion } from "../../../../generator/scaffold/update/version-range.ts";
import { captured, update } from "../../../kit/commands.ts";
import { listAll, temporaryFolder } from "../../../kit/temporary-folders.ts";

async function createProject(options: Partial<CreateOptions>): Promise<string> {
  const directory = join(temporaryFolder(), "demo");
  const given = { directory, protocol: "2025-11-25", features: "tools", ...options };
  const quick = { yes: true, install: false, git: false, dryRun: false };
  expect((await captured(() => runCreate({ ...given, ...quick }))).code).toBe(0);
  return directory;
}

/** Every file with its content. */
function contents(folder: string): Record<string, string> {
  const files = listAll(folder).filter((path) => /\.\w+$/.test(path) && !path.startsWith(".mcp-previous"));
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), "latin1")]));
}

describe("update of a project with vendored runtime", () => {
  const entry = "vendor/mcp-server-runtime/runtime/index.js";
  const other = "vendor/mcp-server-runtime/runtime/other.js";

  async function createChanged(): Promise<{ readonly project: string; readonly before: Record<string, string> }> {
    const project = await createProject({ runtime: "vendored" });
    const before = contents(project);
    writeFileSync(join(project, entry), `// changed\n${before[entry]}`);
    writeFileSync(join(project, other), "");
    rmSync(join(project, "vendor/mcp-server-runtime/README.md"));
    return { project, before };
  }

  test("`update` writes nothing if nothing changed", async () => {
    const project = await createProject({ runtime: "vendored" });
    const before = contents(project);
    expect(await update(project)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^src\/mcp is up to date/) });
    expect(contents(project)).toEqual(before);
    expect(await update(project, { check: true })).toMatchObject({ code: 0 });
  });

  test("`update` replaces changed files and reports their number", async () => {
    const { project, before } = await createChanged();
    const { code, stdout } = await update(project);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining("vendor: 3 files of mcp-server-runtime written or removed."),
    ]);
    expect(contents(project)).toEqual(before);
  });

  test("`update --check` reports the differences", async () => {
    const { project } = await createChanged();
    const changed = contents(project);
    const { code, stdout, stderr } = await update(project, { check: true });
    expect(code).toBe(1);
    expect(stdout).toContain(`changed ${entry}:1\n    expected: `);
    expect(stdout).toContain("missing vendor/mcp-server-runtime/README.md");
    expect(stdout).toContain(`orphaned ${other}`);
    expect(stderr).toContain("3 generated files differ. Run the same command without --check.");
    expect(contents(project)).toEqual(changed);
  });

  test("`update --dry-run` writes nothing", async () => {
    const { project } = await createChanged();
    const changed = contents(project);
    const { code, stdout } = await update(project, { dryRun: true });
    expect([code, stdout]).toEqual([0, expect.stringContaining("3 files of mcp-server-runtime would be written")]);
    expect(contents(project)).toEqual(changed);
  });

  test("`update` changes nothing if the layer was edited by hand", async () => {
    const { project } = await createChanged();
    writeFileSync(join(project, "src/mcp/own.ts"), "");
    const changed = contents(project);
    expect(await update(project)).toMatchObject({ code: 2, stderr: expect.stringContaining("edited by hand") });
    expect(contents(project)).toEqual(changed);
  });

  test("`update --undo` keeps the runtime unchanged", async () => {
    const { project, before } = await createChanged();
    expect((await update(project, { features: "tools,tasks" })).code).toBe(0);
    const { code, stdout } = await update(project, { undo: true });
    expect([code, stdout]).toEqual([0, expect.stringContaining("Your own code and the runtime do not change.")]);
    expect(contents(project)).toEqual(before);
  });
});

describe("update of a project with a packed runtime", () => {
  const name = `vendor/mcp-server-runtime-${packageVersion()}.tgz`;

  test("`update` replaces a different file of the same version and prints the command that installs it", async () => {
    const project = await createProject({});
    const before = contents(project);
    writeFileSync(join(project, name), "another");
    expect(await update(project, { check: true })).toMatchObject({ code: 1, stdout: `changed ${name}\n` });
    const { code, stdout } = await update(project);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Next: npm install --save-dev ./${name}`)]);
    expect(contents(project)).toEqual(before);
    expect((await update(project)).stdout).toMatch(/^src\/mcp is up to date/);
  });

  test.each([
    ["of an older version", () => "older"],
    ["with the name of an older version", (packed: Buffer) => packed],
  ])("`update` replaces the file %s and writes the new name to package.json", async (_which, toOlder) => {
    const project = await createProject({ packageManager: "pnpm" });
    const before = contents(project);
    const older = "vendor/mcp-server-runtime-0.0.1.tgz";
    const packed = readFileSync(join(project, name));
    rmSync(join(project, name));
    writeFileSync(join(project, older), toOlder(packed));
    const manifest = join(project, "package.json");
    writeFileSync(manifest, readFileSync(manifest, "utf8").replace(name, older));
    expect(await update(project, { check: true })).toMatchObject({ code: 1, stdout: `missing ${name}\n` });
    const { code, stdout } = await update(project);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Next: pnpm add --save-dev ./${name}`)]);
    expect(contents(project)).toEqual(before);
  });
});

describe("update of a project with a range of versions", () => {
  const install = `install --save-dev mcp-server-runtime@^${packageVersion()}`;

  /** Replaces the version of the runtime in `package.json`. */
  function setRange(project: string, range: string): string {
    const manifest = join(project, "package.json");
    const named = `"mcp-server-runtime": "${range}"`;
    const text = readFileSync(manifest, "utf8").replace(/"mcp-server-runtime": "[^"]*"/, named);
    writeFileSync(manifest, text);
    return text;
  }

  function setInstalled(project: string, version: string): void {
    const folder = join(project, "node_modules", "mcp-server-runtime");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "mcp-server-runtime", version }));
  }

  test("`update` advises a newer runtime only if the range has none, or an older one is installed", async () => {
    const project = await createProject({});
    for (const range of ["^0.0.1", "~0.0.1", "0.0.9"]) {
      const text = setRange(project, range);
      const { code, stdout } = await update(project);
      expect([code, stdout]).toEqual([0, expect.stringContaining(`Next: npm ${install}`)]);
      expect(readFileSync(join(project, "package.json"), "utf8")).toBe(text);
    }
    for (const range of [`^${packageVersion()}`, "^0.1.5", "^1.2.0", ">=0.0.1", "*", "workspace:*"]) {
      setRange(project, range);
      expect((await update(project)).stdout).not.toContain("Next: ");
    }
    setRange(project, "0.x");
    setInstalled(project, "0.0.3");
    expect((await update(project)).stdout).toContain(`Next: npm ${install}`);
    setInstalled(project, packageVersion());
    expect((await update(project)).stdout).not.toContain("Next: ");
  });

  test("`update` advises to install a runtime that is a dependency as one", async () => {
    const project = await createProject({});
    const dependencies = { "mcp-server-runtime": "^0.0.1" };
    writeFileSync(join(project, "package.json"), JSON.stringify({ dependencies }, undefined, 2));
    expect((await update(project)).stdout).toContain(`Next: npm install mcp-server-runtime@^${packageVersion()}`);
  });
});

test.each([
  ["^0.0.1", true],
  ["^0.1", false],
  ["~0.0.1", true],
  ["~0.1.0", false],
  ["0.0.9", true],
  ["0.0.x", true],
  ["0.x", false],
  ["=0.0.9-beta.1", true],
  ["^0.0.1 || ~0.0.4", true],
  ["^0.0.1 || ^0.1.0", false],
  ["^0", false],
  ["^1.2.0", false],
  [">=0.0.1", false],
  ["latest", false],
  ["", false],
])("all versions of the range %j are older than 0.1.0: %j", (range, expected) => {
  expect(isOlderRange(range, "0.1.0")).toBe(expected);
});

test.each([
  ["^0.0.4", "0.0.5", true],
  ["^0.0.4", "0.0.4", false],
  ["^0.0.0", "0.0.1", true],
  ["0.0.4 || latest", "0.1.0", false],
  ["^1.2.3", "2.0.0", true],
  ["~1", "2.0.0", true],
  ["~1", "1.9.9", false],
  ["1.2", "1.3.0", true],
  ["v1.2.3+build.5", "1.2.4", true],
])("all versions of the range %j are older than %s: %j", (range, version, expected) => {
  expect(isOlderRange(range, version)).toBe(expected);
});

test.each([
  ["0.0.3", "0.0.4", true],
  ["0.0.4", "0.0.4", false],
  ["0.1.0", "0.0.4", false],
  ["0.9.0", "0.10.0", true],
  ["1", "1.0.1", true],
  ["1.0.0-beta.1", "1.0.0", false],
])("the version %s is older than %s: %j", (version, other, expected) => {
  expect(isOlderVersion(version, other)).toBe(expected);
});

describe("add in a project without the feature", () => {
  test("`add` regenerates the layer with the feature, like `update --features`", async () => {
    const [added, updated] = [await createProject({}), await createProject({})];
    const { code, stdout } = await captured(() => runAdd({ kind: "resource", name: "notes", folder: added }));
    expect([code, stdout]).toEqual([0, expect.stringContaining("Regenerated src/mcp/ with resources")]);
    expect((await update(updated, { features: "tools,resources" })).code).toBe(0);
    const layer = (project: string): object =>
      Object.fromEntries(Object.entries(contents(project)).filter(([path]) => path.startsWith("src/mcp/")));
    expect(layer(added)).toEqual(layer(updated));
    expect(contents(added)["src/server.ts"]).toContain("notesResource");
    expect(await update(added, { check: true })).toMatchObject({ code: 0 });
  });

  test("`add` changes nothing if the layer was edited by hand", async () => {
    const project = await createProject({});
    writeFileSync(join(project, "src/mcp/own.ts"), "");
    const before = contents(project);
    const { code, stderr } = await captured(() => runAdd({ kind: "prompt", name: "review", folder: project }));
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("src/mcp/ needs prompts but was edited by hand: own.ts"),
    ]);
    expect(contents(project)).toEqual(before);
  });
});

test("`add` rejects an older layer", async () => {
  const project = await createProject({});
  const lock = join(project, "src/mcp/mcp.lock.json");
  writeFileSync(lock, readFileSync(lock, "utf8").replace('"format": 2', '"format": 1'));
  const { code, stderr } = await captured(() => runAdd({ kind: "prompt", name: "review", folder: project }));
  expect([code, stderr]).toEqual([2, expect.stringContaining("src/mcp/mcp.lock.json has format 1")]);
  const [, message = ""] = /^create-mcp-server: (.*)\n$/.exec(stderr) ?? [];
  expect(message.length).toBeLessThanOrEqual(120);
});

describe("the launcher of a project", () => {
  const launcher = "vendor/create-mcp-server";
  const readJson = (project: string, name: string): unknown =>
    JSON.parse(readFileSync(join(project, launcher, name), "utf8"));

  test("the launcher runs the clone that created the project, whose path git ignores", async () => {
    const project = await createProject({});
    expect(readJson(project, "package.json")).toMatchObject({ name: "create-mcp-server", version: packageVersion() });
    expect(readJson(project, "clone.json")).toEqual({ clone: packageRoot });
    const ignored = readFileSync(join(project, ".gitignore"), "utf8");
    expect(ignored).toContain(`\n${launcher}/\nvendor/*.tgz\n`);
    const shared = await createProject({ extras: "ci" });
    expect(readFileSync(join(shared, ".gitignore"), "utf8")).toContain(`\n${launcher}/clone.json\n.DS_Store`);
  });

  test("`update` writes the packages again that git ignores", async () => {
    const project = await createProject({});
    const before = contents(project);
    rmSync(join(project, "vendor"), { recursive: true });
    expect((await update(project)).code).toBe(0);
    expect(contents(project)).toEqual(before);
  });

  test("`update` leaves a launcher as it is that names its clone in its manifest", async () => {
    const project = await createProject({});
    rmSync(join(project, launcher, "clone.json"));
    writeFileSync(join(project, launcher, "package.json"), '{ "clone": "/clone" }');
    await update(project);
    expect(listAll(join(project, launcher))).not.toContain("clone.json");
  });
});
