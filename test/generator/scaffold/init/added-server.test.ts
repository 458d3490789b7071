import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runAdd } from "../../../../cli/commands/add.ts";
import { runAddOpenapi } from "../../../../cli/commands/add-openapi.ts";
import { runInit } from "../../../../cli/commands/init.ts";
import { runRemove } from "../../../../cli/commands/remove.ts";
import { runSettings } from "../../../../cli/commands/settings.ts";
import { runUpdate } from "../../../../cli/commands/update.ts";
import { temporaryFolder } from "../../../kit/temporary-folders.ts";
import { writeFiles } from "../../../kit/projects.ts";
import { captured } from "../../../kit/commands.ts";

const operation = { operationId: "listPets", responses: { "200": { description: "ok" } } };
const document = { openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths: { "/pets": { get: operation } } };

/** Creates an application with a server that `init` has added, and the document `pets.json`. */
async function createApplication(files: Readonly<Record<string, object>>, scripts = {}): Promise<string> {
  const folder = temporaryFolder();
  const manifest = { name: "shop", type: "module", scripts, dependencies: { express: "^5.0.0" } };
  const all = { "package.json": manifest, "pets.json": document, ...files };
  writeFiles(
    folder,
    Object.entries(all).map(([path, value]) => [path, JSON.stringify(value, undefined, 2)]),
  );
  const given = { directory: folder, protocol: "latest", install: false, dryRun: false };
  const { code, stderr } = await captured(() => runInit(given));
  expect(code, stderr).toBe(0);
  return folder;
}

const typed = { "tsconfig.json": { compilerOptions: { module: "nodenext" } } };

const addPets = (folder: string): Promise<number> =>
  runAddOpenapi({ document: join(folder, "pets.json"), folder, check: false, dryRun: false, force: false });

test("`add openapi` in an application without a test client writes no test, and advises none without a script", async () => {
  const folder = await createApplication(typed);
  const { code, stdout, stderr } = await captured(() => addPets(folder));
  expect(code, stderr).toBe(0);
  expect(existsSync(join(folder, "src/pets/tools.ts"))).toBe(true);
  expect(existsSync(join(folder, "test"))).toBe(false);
  expect(stdout).toMatch(/^Next: npm install {2}\(for @cfworker\/json-schema\)$/m);
  const again = await captured(() => addPets(folder));
  expect(again.stdout).toContain("nothing was written");
  const removed = await captured(() => runRemove({ kind: "tool", name: "listPets", folder }));
  expect([removed.code, removed.stdout]).toEqual([0, expect.not.stringContaining("Next:")]);
});

test("`add openapi` adds the packages of an application to its dependencies, as the runtime", async () => {
  const folder = await createApplication(typed, { test: "node --test" });
  const { stdout } = await captured(() => addPets(folder));
  expect(stdout).toContain("(for @cfworker/json-schema), then npm test");
  const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const packages = { "@cfworker/json-schema": expect.any(String), "mcp-server-runtime": expect.any(String) };
  expect(manifest).toMatchObject({ dependencies: packages });
  expect(manifest).not.toHaveProperty(["devDependencies", "@cfworker/json-schema"]);
});

test("`update` advises to install packages of an application as dependencies", async () => {
  const folder = await createApplication(typed);
  const actions = { check: false, dryRun: true, codemod: false, force: false, undo: false };
  const transport = "http,websocket";
  const { stdout, stderr } = await captured(() => runUpdate({ directory: folder, transport, ...actions }));
  expect(stdout, stderr).toContain("WebSockets are served with the package ws: npm install ws @types/ws\n");
});

test("`add` does not advise the script `test` with which `npm init` begins", async () => {
  const folder = await createApplication(typed, { test: 'echo "Error: no test specified" && exit 1' });
  const added = await captured(() => runAdd({ kind: "tool", name: "forecast", folder }));
  expect(added.stdout).toMatch(/registered in src\/mcp-server\.ts\.\n$/);
});

test("`add` in an application in JavaScript advises to bundle the server, and `settings` rejects it", async () => {
  const folder = await createApplication({});
  const added = await captured(() => runAdd({ kind: "tool", name: "forecast", folder }));
  expect(added.stdout).toContain("registered in src/mcp-server.ts. Next: npm run mcp:build");
  const { code, stderr } = await captured(() => runSettings({ folder, check: false }));
  const reason = "build.js does not exist; use the command in a project with a server program.";
  expect([code, stderr]).toEqual([2, `create-mcp-server: ${reason}\n`]);
});
