import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageVersion } from "../../../../generator/internal/package-info.ts";
import { readInstalledRuntime, restoreLauncher } from "../../../../generator/scaffold/update/installed-runtime.ts";
import { readPackedRuntime } from "../../../../generator/scaffold/create/runtime-package.ts";
import { listAll, temporaryFolder } from "../../../kit/temporary-folders.ts";

const packed = "file:vendor/mcp-server-runtime-0.0.3.tgz";

/** Writes a project that names this version of the runtime, and has an older one installed. */
function createProject(manifest: string | undefined): string {
  const project = temporaryFolder();
  const folder = join(project, "node_modules", "mcp-server-runtime");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "mcp-server-runtime", version: "0.0.3" }));
  if (manifest !== undefined) writeFileSync(join(project, "package.json"), manifest);
  return project;
}

test.each([
  ["0.x", true],
  [">= 0.0.1", true],
  ["=v0.0.2 || 0.x", true],
  ["~0.0.1", true],
  // The user has chosen another source.
  ["workspace:^0.0.1", false],
  ["*", false],
  ["latest", false],
  [`patch:mcp-server-runtime@${packed}`, false],
])("an older installed runtime with the version %j is to be replaced: %s", async (version, isReplaced) => {
  const manifest = JSON.stringify({ devDependencies: { "mcp-server-runtime": version } }, undefined, 2);
  const { drifts, install } = await readInstalledRuntime(createProject(manifest));
  expect([drifts, install]).toEqual([
    [],
    isReplaced ? `npm install --save-dev mcp-server-runtime@^${packageVersion()}` : undefined,
  ]);
});

test.each([undefined, "", "{}", '{ "devDependencies": { "mcp-server-runtime": 5 } }'])(
  "a project with the manifest %j needs no runtime",
  async (manifest) => {
    const { drifts, install } = await readInstalledRuntime(createProject(manifest));
    expect([drifts, install]).toEqual([[], undefined]);
  },
);

const archive = `vendor/mcp-server-runtime-${packageVersion()}.tgz`;
const older = "vendor/mcp-server-runtime-0.0.1.tgz";

test.each<[what: string, path: string, content: string | undefined, drift: object]>([
  ["another content", archive, "other", { kind: "changed", path: archive }],
  ["no file, as git ignores it", archive, undefined, { kind: "missing", path: archive }],
  ["an older file", older, "other", { kind: "missing", path: archive }],
  ["an older file that is not there", older, undefined, { kind: "missing", path: archive }],
])("a packed runtime is replaced by that of this version: %s", async (_what, path, content, drift) => {
  const manifest = (named: string): string => `{\n  "a": "${named}",\n  "mcp-server-runtime": "file:./${named}"\n}\n`;
  const project = createProject(manifest(path));
  if (content !== undefined) {
    mkdirSync(join(project, "vendor"));
    writeFileSync(join(project, path), content);
  }
  const { drifts, install, replace } = await readInstalledRuntime(project);
  expect([drifts, install]).toEqual([[drift], `npm install --save-dev ./${archive}`]);
  await replace();
  expect(readPackedRuntime()?.content.equals(readFileSync(join(project, archive)))).toBe(true);
  expect(readFileSync(join(project, "package.json"), "utf8")).toBe(manifest(archive));
  expect(listAll(join(project, "vendor"))).toEqual([archive.slice("vendor/".length)]);
  expect(await readInstalledRuntime(project)).toMatchObject({ drifts: [], install: undefined });
});

test.each(["vendor/other-0.0.1.tgz", `own/${older}`, `${older}.bak`])(
  "a packed file of another name is the choice of a user: %s",
  async (path) => {
    const { drifts, install } = await readInstalledRuntime(createProject(`{ "mcp-server-runtime": "file:${path}" }`));
    expect([drifts, install]).toEqual([[], undefined]);
  },
);

test.each<[what: string, named: string, own: string | undefined, restored: string[]]>([
  ["all files", "file:vendor/create-mcp-server", undefined, ["cli.js", "package.json", "clone.json"]],
  ["what is missing", "file:vendor/create-mcp-server", "{}", ["cli.js", "clone.json"]],
  ["no second path of a clone", "file:vendor/create-mcp-server", '{ "clone": "/clone" }', ["cli.js"]],
  ["nothing, with a version of the registry", "^0.1.0", undefined, []],
])("a launcher that git ignores is restored: %s", async (_what, named, own, restored) => {
  const project = createProject(`{ "devDependencies": { "create-mcp-server": "${named}" } }`);
  const folder = join(project, "vendor", "create-mcp-server");
  if (own !== undefined) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), own);
  }
  const paths = restored.map((name) => `vendor/create-mcp-server/${name}`);
  expect(await restoreLauncher(project)).toEqual(paths);
  const present = new Set([...paths, ...(own === undefined ? [] : ["vendor/create-mcp-server/package.json"])]);
  expect(listAll(project).filter((path) => /^vendor\/.*\./.test(path))).toEqual([...present].sort());
  if (own !== undefined) expect(readFileSync(join(folder, "package.json"), "utf8")).toBe(own);
  expect(await restoreLauncher(project)).toEqual([]);
});
