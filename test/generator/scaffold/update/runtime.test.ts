import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runAdd } from "../../../../generator/commands/add.ts";
import { runCreate, type CreateOptions } from "../../../../generator/commands/create.ts";
import { runUpdate, type UpdateCommandOptions } from "../../../../generator/commands/update.ts";
import { packageRoot, packageVersion } from "../../../../generator/internal/package-info.ts";
import { captured, type CommandResult } from "../../run.ts";
import { listAll, temporaryFolder } from "../../folder.ts";

function update(directory: string, options: Partial<UpdateCommandOptions> = {}): Promise<CommandResult> {
  const defaults = { check: false, dryRun: false, codemod: false, force: false, undo: false };
  return captured(() => runUpdate({ ...defaults, ...options, directory }));
}

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

  test("`update` replaces the file of an older version and writes the new name to package.json", async () => {
    const project = await createProject({ packageManager: "pnpm" });
    const before = contents(project);
    const older = "vendor/mcp-server-runtime-0.0.1.tgz";
    rmSync(join(project, name));
    writeFileSync(join(project, older), "older");
    const manifest = join(project, "package.json");
    writeFileSync(manifest, readFileSync(manifest, "utf8").replace(name, older));
    const { code, stdout } = await update(project);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Next: pnpm add --save-dev ./${name}`)]);
    expect(contents(project)).toEqual(before);
  });
});

test("`update` of a project with a range of an older runtime prints the command that installs the new one", async () => {
  const project = await createProject({});
  const manifest = join(project, "package.json");
  const text = readFileSync(manifest, "utf8").replace(
    /"mcp-server-runtime": "[^"]*"/,
    '"mcp-server-runtime": "^0.0.1"',
  );
  writeFileSync(manifest, text);
  const { code, stdout } = await update(project);
  const next = `Next: npm install --save-dev mcp-server-runtime@^${packageVersion()}`;
  expect([code, stdout]).toEqual([0, expect.stringContaining(next)]);
  expect(readFileSync(manifest, "utf8")).toBe(text);
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

test("the launcher of a project runs the clone that created the project", async () => {
  const project = await createProject({});
  const manifest: unknown = JSON.parse(readFileSync(join(project, "vendor/create-mcp-server/package.json"), "utf8"));
  expect(manifest).toMatchObject({ name: "create-mcp-server", version: packageVersion(), clone: packageRoot });
});
