import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOurServer } from "../interop/our-server.ts";
import { serveSockets, serveTcp } from "../tools/live/socket-servers.ts";
import { pets } from "../generator/openapi/pets.ts";
import { readRuntimeExports } from "../../.build/runtime-exports.ts";

/* Both packages as npm delivers them: packed, and unpacked where nothing else is, none of their libraries either. */

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const revision = "2025-11-25";
const own = join("node_modules", "create-mcp-server");
const runtime = join("node_modules", "mcp-server-runtime");
const runtimeSource = join(root, "dist", "runtime-package");
let folder = "";
/** Bytes of the packed runtime. */
let packedSize = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "packed-"));
  await unpack(root, own);
  packedSize = await unpack(runtimeSource, runtime);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "elsewhere", private: true, type: "module" }));
  await writeFile(join(folder, "server.js"), server);
  await writeFile(join(folder, "pets.yaml"), pets);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Packs a package as it was built, and unpacks it to a place in the folder. Returns how many bytes npm would deliver. */
async function unpack(source: string, place: string): Promise<number> {
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const { stdout } = await run("npm", args, { cwd: source });
  const tarball = join(folder, stdout.trim());
  await mkdir(join(folder, place), { recursive: true });
  await run("tar", ["-xzf", tarball, "--strip-components", "1"], { cwd: join(folder, place) });
  return (await stat(tarball)).size;
}

const server = `
  import { forRevisions } from "mcp-server-runtime";
  import { revisions } from "mcp-server-runtime/revisions";
  const { defineServer, defineTool } = forRevisions(revisions);
  const echo = defineTool({ name: "echo", description: "Says it again.", execute: () => "again" });
  export const server = defineServer({ name: "small", version: "1", tools: [echo] });
`;

function program(): string {
  return join(folder, own, "dist", "bundle", "generator", "cli.js");
}

async function cli(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [program(), ...args], { cwd: folder });
  return stdout;
}

describe("the packed package", () => {
  test("the packed package creates a project", async () => {
    expect(await cli("demo", "--yes", "--no-install", "--no-git")).toMatch(/^Created demo in .*: \d+ files, MCP /m);
    expect(existsSync(join(folder, "demo", "src", "mcp", "index.ts"))).toBe(true);
  });

  test("the packed package creates one from YAML, for which schemas are compiled and sources formatted", async () => {
    await cli("pets", "--from", "pets.yaml", "--yes", "--no-install", "--no-git");
    const sources = (await readdir(join(folder, "pets", "src"), { recursive: true })).filter((file) =>
      /ts$/.test(file),
    );
    const texts = sources.map((file) => readFileSync(join(folder, "pets", "src", file), "utf8"));
    expect(texts.join("")).toContain("export interface CreatePet");
  });

  test("the packed package adds a tool to a project", async () => {
    const cwd = join(folder, "demo");
    const { stdout } = await run(process.execPath, [program(), "add", "tool", "shout"], { cwd });
    expect(stdout).toContain("Added src/tools/shout.ts");
  });

  test("the packed package adds a server to an application, and removes a tool of it", async () => {
    const cwd = join(folder, "application");
    const manifest = { name: "application", private: true, type: "module", dependencies: { express: "^5.0.0" } };
    await mkdir(cwd);
    await writeFile(join(cwd, "package.json"), JSON.stringify(manifest));
    const command = async (...args: string[]): Promise<string> =>
      (await run(process.execPath, [program(), ...args], { cwd })).stdout;
    expect(await command("init", "--no-install")).toContain("Express");
    await command("add", "tool", "shout");
    expect(await command("remove", "tool", "shout")).toContain("src/tools/shout.ts");
  });

  const pinned = join(own, "spec", revision, "schema.ts");
  test.each<readonly [command: string, args: readonly string[], says: RegExp]>([
    ["generate", ["--out", "layer"], /^missing .*layer: \d+ files, \d+ written/s],
    ["model", [revision], /^\{\n {2}"format": 1/],
    ["explain", ["server.js", "--protocol", "2024-11-05"], /^small 1 for a client of 2024-11-05/],
    ["pin", [revision, "--from", pinned, "--spec", "mine", "--force"], /^Pinned 2025-11-25/],
    ["client", ["server.js", "--out", "client"], /createSmallClient/],
    ["check", ["server.js", "--protocol", revision], /0 errors/],
    ["diff", ["2025-06-18", revision, "--format", "html"], /^<!doctype html>/i],
    ["update", ["demo", "--protocol", revision, "--dry-run"], /files would be written or removed/],
  ])("the packed package runs %s", async (command, args, says) => {
    expect(await cli(command, ...args)).toMatch(says);
  });

  test.each([
    ["TCP", () => serveTcp(createOurServer([revision]))],
    ["WebSocket", () => serveSockets(createOurServer([revision]))],
  ])("the packed package checks a server over %s", async (_name, serve) => {
    expect(await cli("check", await serve(), "--protocol", revision)).toMatch(/0 errors/);
  });

  test("the packed package runs a gateway", async () => {
    const child = spawn(process.execPath, [program(), "gateway", "server.js", "--stdio"], { cwd: folder });
    const lines = createInterface({ input: child.stdout });
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "test", version: "1" } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    const [line] = await once(lines, "line");
    expect(JSON.parse(line)).toMatchObject({ id: 1, result: { serverInfo: { name: "small" } } });
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("the packed package lists every command that these tests run", async () => {
    const [, list = ""] = /^Commands:\n((?: .*\n)+)/m.exec(await cli("--help")) ?? [];
    const told = [...list.matchAll(/^ {2}create-mcp-server (\w[\w-]*)/gm)].map(([, name]) => name);
    const project = ["init", "add", "remove", "update", "settings"];
    const servers = ["client", "check", "diff", "explain", "gateway", "replay", "inspect"];
    expect(told).toEqual([...project, ...servers, "generate", "model", "pin", "docs"]);
  });

  test("the packed package contains the runtime as it is published, byte by byte", async () => {
    const copy = join(folder, own, "dist", "runtime-package");
    const files = (await readdir(join(folder, runtime), { recursive: true })).sort();
    expect((await readdir(copy, { recursive: true })).sort()).toEqual(files);
    const texts = files.filter((file) => /\.\w+$/.test(file));
    expect(texts.length).toBeGreaterThan(100);
    const isSame = (file: string): boolean =>
      readFileSync(join(copy, file)).equals(readFileSync(join(folder, runtime, file)));
    expect(texts.filter((file) => !isSame(file))).toEqual([]);
  });

  test("the packed package has declarations that pass the strictest check", async () => {
    await writeFile(join(folder, "generator.ts"), 'export * from "create-mcp-server";\n');
    await compileStrictly("nodenext", "generator.ts");
  });
});

describe("the packed runtime", () => {
  const subpaths = Object.keys(readRuntimeExports(root));
  /** Entries whose declarations refer to a library. */
  const bound = [
    "./adapters/ajv",
    "./adapters/jose",
    "./adapters/open-telemetry",
    "./auth/client",
    "./transports/websocket-server",
  ];

  test("the packed runtime takes at most 759 kB", () => {
    expect(packedSize).toBeGreaterThan(200_000);
    expect(packedSize).toBeLessThanOrEqual(759_000);
  });

  test("the packed runtime loads from every entry that needs no library, with one instance of shared modules", async () => {
    const loaded = subpaths.filter((subpath) => !/adapters|auth\/client|build|stdout|websocket-server/.test(subpath));
    const program = `
      for (const subpath of ${JSON.stringify(loaded)}) await import("mcp-server-runtime" + subpath.slice(1));
      const { SetupError } = await import("mcp-server-runtime");
      const { revisions } = await import("mcp-server-runtime/revisions");
      const { revision } = await import("mcp-server-runtime/${revision}");
      const { listenTcp } = await import("mcp-server-runtime/transports");
      const error = await listenTcp({ host: "256.0.0.0", port: 1 }).catch((error) => error);
      console.log(JSON.stringify([revisions.includes(revision), error instanceof SetupError]));
    `;
    await writeFile(join(folder, "load.mjs"), program);
    const { stdout } = await run(process.execPath, ["load.mjs"], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual([true, true]);
  });

  // Each file costs processor time at every start, and so does each byte of it.
  test.each([
    { subpath: "", files: 6, bytes: 975_000 },
    { subpath: `/${revision}`, files: 4, bytes: 135_000 },
    { subpath: "/build", files: 2, bytes: 10_000 },
  ])("an import of the packed runtime at '$subpath' loads $files files", async ({ subpath, files, bytes }) => {
    const loaded = new Set([createRequire(join(folder, "x")).resolve(`mcp-server-runtime${subpath}`)]);
    let size = 0;
    for (const file of loaded) {
      const text = readFileSync(file, "utf8");
      size += text.length;
      for (const [, path = ""] of text.matchAll(/^(?:import|\}) (?:.* )?from "(\..*)";$/gm))
        loaded.add(join(file, "..", path));
    }
    expect(loaded.size).toBe(files);
    expect(size).toBeLessThanOrEqual(bytes);
  });

  test.each(["nodenext", "preserve"])(
    "the packed runtime has declarations that pass the strictest check, without its libraries (module %s)",
    async (module) => {
      await writeEntries(subpaths.filter((subpath) => !bound.includes(subpath)));
      await compileStrictly(module, "entries.ts");
    },
  );

  test("the packed runtime has declarations for its libraries that pass the check with them", async () => {
    linkPackages(readdirSync(join(root, "node_modules")));
    await writeEntries(subpaths);
    await compileStrictly("nodenext", "entries.ts");
  });

  test("a bundle leaves out modules of the packed runtime that a server does not use", async () => {
    const entry = `export { createRejection } from "mcp-server-runtime/compatibility";`;
    await writeFile(join(folder, "bundled.js"), entry);
    const { outputFiles } = await build({
      entryPoints: [join(folder, "bundled.js")],
      bundle: true,
      write: false,
      format: "esm",
      platform: "node",
    });
    expect(outputFiles[0]?.contents.length).toBeLessThan(21_000);
  });

  test("a worker that uses no module of Node.js imports none in its bundle", async () => {
    await cli("edge", "--transport", "worker", "--features", "tools", "--yes", "--no-install", "--no-git");
    linkPackages(["esbuild", "zod"]);
    await run(process.execPath, ["build.js"], { cwd: join(folder, "edge") });
    const bundle = readFileSync(join(folder, "edge", "dist", "server.js"), "utf8");
    expect(bundle.match(/^import .*|\bimport\(.*/gm)).toEqual(null);
  });
});

/** Links packages of this repository that the folder does not have. */
function linkPackages(names: readonly string[]): void {
  for (const name of names)
    if (!existsSync(join(folder, "node_modules", name)))
      symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
}

async function writeEntries(subpaths: readonly string[]): Promise<void> {
  const lines = subpaths.map((subpath, at) => `export * as entry${at} from "mcp-server-runtime${subpath.slice(1)}";\n`);
  await writeFile(join(folder, "entries.ts"), lines.join(""));
}

async function compileStrictly(module: string, file: string): Promise<void> {
  const options = ["--noEmit", "--strict", "--module", module, "--target", "es2023", "--skipLibCheck", "false"];
  const types = ["--types", "node", "--typeRoots", join(root, "node_modules", "@types")];
  const compiler = join(root, "node_modules", "typescript7", "bin", "tsc");
  const compiling = run(process.execPath, [compiler, ...options, ...types, file], { cwd: folder });
  await expect(compiling).resolves.toEqual({ stdout: "", stderr: "" });
}
