import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOurServer } from "./interop/our-server.ts";
import { serveSockets, serveTcp } from "./live/socket-servers.ts";
import { pets } from "./create/pets.ts";

/* The package as `npx` gets it: packed, and unpacked where nothing else is, none of its libraries either. */

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const revision = "2025-11-25";
const own = join("node_modules", "create-mcp-server");
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "packed-"));
  await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], { cwd: root });
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "";
  await run("tar", ["-xzf", tarball], { cwd: folder });
  await mkdir(join(folder, "node_modules"));
  await cp(join(folder, "package"), join(folder, own), { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "elsewhere", private: true, type: "module" }));
  await writeFile(join(folder, "server.js"), server);
  await writeFile(join(folder, "pets.yaml"), pets);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

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
  test("creates a project", async () => {
    expect(await cli("demo", "--yes", "--no-install", "--no-git")).toMatch(/demo speaks .* files in/);
    expect(existsSync(join(folder, "demo", "src", "mcp", "index.ts"))).toBe(true);
  });

  test("creates one from YAML, for which schemas are compiled and sources formatted", async () => {
    await cli("pets", "--from", "pets.yaml", "--yes", "--no-install", "--no-git");
    const sources = (await readdir(join(folder, "pets", "src"), { recursive: true })).filter((file) =>
      /ts$/.test(file),
    );
    const texts = sources.map((file) => readFileSync(join(folder, "pets", "src", file), "utf8"));
    expect(texts.join("")).toContain("export interface CreatePet");
  });

  test("adds a tool to a project", async () => {
    const cwd = join(folder, "demo");
    const { stdout } = await run(process.execPath, [program(), "add", "tool", "shout"], { cwd });
    expect(stdout).toContain("Added src/tools/shout.ts");
  });

  const pinned = join(own, "spec", revision, "schema.ts");
  test.each<readonly [command: string, args: readonly string[], says: RegExp]>([
    ["generate", ["--out", join(own, "generated"), "--check"], /all up to date/],
    ["model", [revision], /^\{\n {2}"format": 1/],
    ["explain", ["server.js", "--protocol", "2024-11-05"], /^small 1 to a client of 2024-11-05/],
    ["pin", [revision, "--from", pinned, "--spec", "mine", "--force"], /^Pinned 2025-11-25/],
    ["client", ["server.js", "--out", "client"], /createSmallClient/],
    ["check", ["server.js", "--protocol", revision], /0 errors/],
    ["diff", ["2025-06-18", revision, "--format", "html"], /^<!doctype html>/i],
    ["update", ["demo", "--protocol", revision, "--dry-run"], /files would be written or removed/],
    ["upgrade-assist", ["demo", "--protocol", "latest", "--dry-run"], /places in \d+ files would be rewritten/],
  ])("runs %s", async (command, args, says) => {
    expect(await cli(command, ...args)).toMatch(says);
  });

  test.each([
    ["TCP", () => serveTcp(createOurServer([revision]))],
    ["WebSocket", () => serveSockets(createOurServer([revision]))],
  ])("checks a server over %s", async (_name, serve) => {
    expect(await cli("check", await serve(), "--protocol", revision)).toMatch(/0 errors/);
  });

  test("is a gateway", async () => {
    const child = spawn(process.execPath, [program(), "gateway", "server.js", "--stdio"], { cwd: folder });
    const lines = createInterface({ input: child.stdout });
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "test", version: "1" } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    const [line] = await once(lines, "line");
    expect(JSON.parse(line)).toMatchObject({ id: 1, result: { serverInfo: { name: "small" } } });
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("tells of every command that is run here", async () => {
    const [, list = ""] = /^Commands:\n((?: .*\n)+)/m.exec(await cli("--help")) ?? [];
    const told = [...list.matchAll(/^ {2}create-mcp-server (\w[\w-]*)/gm)].map(([, name]) => name);
    const project = ["add", "update", "upgrade-assist"];
    const servers = ["client", "check", "diff", "explain", "gateway"];
    expect(told).toEqual([...project, ...servers, "generate", "model", "pin"]);
  });

  test("has declarations that pass the strictest check where none of its libraries is", async () => {
    const entries = ["", "/runtime", "/testing", "/gateway", "/revisions", "/support", `/${revision}`, "/auth/server"];
    const imports = entries.map((entry, at) => `export * as entry${at} from "create-mcp-server${entry}";\n`);
    await writeFile(join(folder, "entries.ts"), imports.join(""));
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--skipLibCheck", "false"];
    const types = ["--types", "node", "--typeRoots", join(root, "node_modules", "@types")];
    const compiler = join(root, "node_modules", "typescript7", "bin", "tsc");
    const compiling = run(process.execPath, [compiler, ...options, ...types, "entries.ts"], { cwd: folder });
    await expect(compiling).resolves.toEqual({ stdout: "", stderr: "" });
  });
});
