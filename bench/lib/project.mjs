// Servers built as a new project of create-mcp-server builds them, into one file, by the build.js of such a project.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { promisify } from "node:util";
import { BENCH, NODE } from "./child.mjs";
import { CACHE } from "./schema.mjs";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
/** Folders of installed packages: those of the benchmarks (`npm ci` here), then those of the repository, which are enough for the short form. */
export const MODULES = [BENCH, root].map((folder) => path.join(folder, "node_modules"));
const folderOf = (id) => path.join(CACHE, "projects", id);

/** The command line of a project that was built before. */
export const projectCommand = (id) => ({ command: NODE, args: [path.join(folderOf(id), "dist", "server.js")] });

/** The build of a new project. */
const builder = `import { bundleServer } from "mcp-server-runtime/build";
await bundleServer({ folder: import.meta.dirname });
`;

/** Makes a project of the source of its server and builds it. With `flags` it has the layer of a new project that is made with them. */
export async function buildProject(id, source, flags) {
  const folder = folderOf(id);
  rmSync(folder, { recursive: true, force: true });
  if (flags) await createProject(folder, flags);
  else {
    mkdirSync(path.join(folder, "src"), { recursive: true });
    writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(path.join(folder, "build.js"), builder);
  }
  linkModules(folder);
  writeFileSync(path.join(folder, "src", "server.ts"), source);
  await run(NODE, ["build.js"], { cwd: folder });
}

/** Makes a new project, without its packages. */
export async function createProject(folder, flags) {
  const cli = path.join(root, "dist", "bundle", "generator", "cli.js");
  await run(NODE, [cli, folder, "--yes", "--no-install", "--no-git", ...flags]);
}

/** Links the installed packages, and the runtime as it was built here. */
export function linkModules(folder) {
  const modules = path.join(folder, "node_modules");
  mkdirSync(modules);
  const installed = MODULES.find(existsSync);
  for (const name of readdirSync(installed)) {
    if (name !== "mcp-server-runtime") symlinkSync(path.join(installed, name), path.join(modules, name), "junction");
  }
  symlinkSync(path.join(root, "dist", "runtime-package"), path.join(modules, "mcp-server-runtime"), "junction");
}

/** A server of create-mcp-server with the tools of W4, pinned to a revision. */
export const buildOurs = (id, revision) =>
  buildProject(id, ours, ["--protocol", revision, "--features", "tools", "--extras", "none"]);

const ours = `import * as z from "zod";
import { defineServer, defineTool, run } from "./mcp/index.ts";

const echo = defineTool({
  name: "echo",
  description: "echo",
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});
const add = defineTool({
  name: "add",
  description: "add",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => String(a + b),
});
await run(defineServer({ name: "bench", version: "1.0.0", tools: [echo, add] }));
`;
