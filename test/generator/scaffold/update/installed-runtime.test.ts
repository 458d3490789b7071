import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageVersion } from "../../../../generator/internal/package-info.ts";
import { readInstalledRuntime } from "../../../../generator/scaffold/update/installed-runtime.ts";
import { temporaryFolder } from "../../../kit/temporary-folders.ts";

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
