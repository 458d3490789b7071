import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/*
 * The everything example as a project: scaffolded with every feature and transport, with the files of the example as its sources, which
 * import the project's own src/mcp, built by the project's own build.js. Tests run its dist/server.js, as users do.
 */

/** Settings of a project. */
export interface ProjectOptions {
  /** Default: all. */
  readonly protocol?: string;
  /** `links` leads to the packages of this repository, without the network; `npm` installs what the project names. Default: links. */
  readonly install?: "links" | "npm";
}

/** A project that was built. */
export interface EverythingProject {
  readonly folder: string;
  /** The bundle of the server. */
  readonly server: string;
  /** The bundle of the client. */
  readonly client: string;
  /** The bundle of src/mcp, for tests that import it. */
  readonly mcp: string;
}

/** The variable with further options of `run`, as JSON: projects write these into their code. */
export const optionsVariable = "EVERYTHING_OPTIONS";

/** Scaffolds and builds the project in a new folder. */
export async function createEverythingProject(
  folder: string,
  { protocol = "all", install = "links" }: ProjectOptions = {},
): Promise<EverythingProject> {
  const flags = ["--features", "all", "--transport", "stdio,http,websocket,tcp", "--client", "--extras", "none"];
  const chosen = ["--protocol", protocol, "--name", "everything"];
  await run(root, [cli, folder, "--yes", "--no-install", "--no-git", ...flags, ...chosen]);
  copySources(folder);
  await (install === "npm" ? installFromRegistry(folder) : linkPackages(folder));
  // The types of the example are those of the newest revision.
  if (protocol === "all") await run(folder, ["node_modules/typescript/bin/tsc"]);
  const built = await run(folder, ["build.js"]);
  if (built !== "") throw new Error(`The build of ${folder} is not silent:\n${built}`);
  const dist = join(folder, "dist");
  const programs = { server: join(dist, "server.js"), client: join(dist, "client.js") };
  return { folder, ...programs, mcp: join(dist, "mcp", "index.js") };
}

const root = join(import.meta.dirname, "..", "..");
const cli = join(root, "dist", "bundle", "generator", "cli.js");
const example = join(root, "examples", "everything");

/** The program around the server: what a project has as src/server.ts. */
const program = `#!/usr/bin/env node
import "mcp-server-runtime/stdout";
import { createEverything } from "./everything.ts";
import { defineServer, readSkills, run } from "./mcp/index.ts";

const skills = await readSkills(new URL("../skills", import.meta.url));
const { ${optionsVariable}: options = "{}" } = process.env;

// Clients that come back for a response whose connection the server has let go wait as long.
await run(createEverything({ defineServer, skills }), { retry: 500, ...JSON.parse(options) });
`;

const entries = `"src/server.ts", "src/client.ts", "src/mcp/index.ts"`;

function copySources(folder: string): void {
  const files = readdirSync(example).filter((name) => name.endsWith(".ts") && name !== "server.ts");
  for (const name of files) cpSync(join(example, name), join(folder, "src", name));
  rmSync(join(folder, "skills"), { recursive: true, force: true });
  cpSync(join(example, "skills"), join(folder, "skills"), { recursive: true });
  writeFileSync(join(folder, "src", "server.ts"), program);
  const build = join(folder, "build.js");
  writeFileSync(build, replace(readFileSync(build, "utf8"), `"src/server.ts"`, entries));
}

function replace(text: string, part: string, other: string): string {
  if (text.split(part).length !== 2) throw new Error(`${part} is not in the text once.`);
  return text.replace(part, other);
}

/** Links packages in place of `npm install`; the runtime comes from the project's folder vendor. */
export async function linkPackages(folder: string): Promise<void> {
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  const packages = readdirSync(join(root, "node_modules")).filter((name) => !name.startsWith("."));
  for (const name of packages) {
    const target = name === "typescript" ? "typescript7" : name;
    symlinkSync(join(root, "node_modules", target), join(modules, name));
  }
  const vendor = join(folder, "vendor");
  const home = join(modules, "mcp-server-runtime");
  const [packed = ""] = readdirSync(vendor).filter((name) => name.endsWith(".tgz"));
  mkdirSync(home);
  await promisify(execFile)("tar", ["-xzf", join(vendor, packed), "-C", home, "--strip-components=1"]);
}

/** With what the example needs besides: a validator, and the packages behind the authorization of clients. */
async function installFromRegistry(folder: string): Promise<void> {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const further = ["ajv", "jose", "oauth4webapi"].map((name) => `${name}@${devDependencies[name]}`);
  const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", "--save-dev"];
  await execute("npm", [...args, ...further], folder);
}

/** Returns what the program wrote. */
function run(cwd: string, args: readonly string[]): Promise<string> {
  return execute(process.execPath, args, cwd);
}

async function execute(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(command, args, { cwd }).catch((failed: Written) => {
    throw new Error(`${command} ${args.join(" ")} failed:\n${failed.stdout}${failed.stderr}`);
  });
  return stdout + stderr;
}

interface Written {
  readonly stdout: string;
  readonly stderr: string;
}
