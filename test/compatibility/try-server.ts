import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { isObject } from "../../generated/support.ts";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { connectV1, connectV2 } from "../kit/official-clients.ts";
import { run, startServer, type Outcome, type RunningServer, type RunOptions } from "../kit/programs.ts";
import { runProgram } from "../matrix/tools.ts";
import { openPage } from "../browser/inspect/inspected.ts";

/** A package of the registry with a server over stdio. */
export interface ServerPackage {
  readonly package: string;
  /** Name of its program. Default: the first one. */
  readonly program?: string;
  readonly args?: readonly string[];
}

/** Rule of `check` that a server breaks. */
export interface RuleCount {
  readonly rule: string;
  readonly severity: string;
  /** Number of findings, at all revisions. */
  readonly count: number;
}

/** Outcome of the commands with one server. */
export interface ServerResult {
  readonly package: string;
  readonly version: string;
  /** Revisions that it supports, newest first. */
  readonly revisions: readonly string[];
  readonly tools: number;
  readonly findings: readonly RuleCount[];
  /** Problems of our commands with this server. */
  readonly problems: readonly string[];
}

/** Programs and folders of a run. */
export interface Workshop {
  /** Built command line. */
  readonly program: string;
  /** Compiler for generated clients. */
  readonly compiler: string;
  /** Empty folder. */
  readonly folder: string;
  readonly browser: Browser;
}

interface Installed {
  readonly version: string;
  readonly command: readonly string[];
  readonly folder: string;
}

const typesFolder = join(packageRoot, "node_modules", "@types");

/** Installs a server and tries `check`, `client`, `gateway --record`, `replay` and `inspect` with it. */
export async function tryServer(server: ServerPackage, workshop: Workshop): Promise<ServerResult> {
  const installed = await install(server, workshop.folder);
  const report = await check(installed, workshop);
  const problems: string[] = [];
  let tools = 0;
  const steps: readonly (readonly [name: string, step: () => Promise<unknown>])[] = [
    ["gateway", async () => (tools = await serveByGateway(installed, workshop))],
    ["replay", () => replay(installed, workshop)],
    ["client", () => generateClient(installed, workshop)],
    ["inspect", () => inspect(installed, { ...workshop, tools })],
  ];
  if (report.revisions.length > 0) {
    for (const [name, step] of steps)
      await step().catch((error: unknown) =>
        problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`),
      );
  }
  return { package: server.package, version: installed.version, ...report, tools, problems };
}

async function install({ package: name, program, args = [] }: ServerPackage, root: string): Promise<Installed> {
  const folder = join(root, name.replaceAll(/[^\w-]/g, "_"));
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "home"), { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  await runProgram("npm", ["install", ...flags, name], { cwd: folder });
  const place = join(folder, "node_modules", name);
  const { bin, version }: { bin?: unknown; version?: unknown } = JSON.parse(
    await readFile(join(place, "package.json"), "utf8"),
  );
  const programs = isObject(bin) ? bin : { [program ?? ""]: bin };
  const path = program === undefined ? Object.values(programs)[0] : programs[program];
  if (typeof path !== "string") throw new Error(`${name} has no program ${program ?? ""}`);
  return { version: String(version), command: [process.execPath, join(place, path), ...args], folder };
}

async function check(
  { command, folder }: Installed,
  { program }: Workshop,
): Promise<Pick<ServerResult, "revisions" | "findings">> {
  const report = join(folder, "check.json");
  const words = ["check", "--format", "json", "--output", report, "--", ...command];
  const { code, output } = await runCommand(program, words, folder);
  if (code !== 0 && code !== 1) throw new Error(`check ended with ${code}: ${output}`);
  const { revisions, findings }: CheckFile = JSON.parse(await readFile(report, "utf8"));
  const counts = new Map<string, RuleCount>();
  for (const { rule, severity } of findings)
    counts.set(rule, { rule, severity, count: (counts.get(rule)?.count ?? 0) + 1 });
  return { revisions, findings: [...counts.values()] };
}

interface CheckFile {
  readonly revisions: readonly string[];
  readonly findings: readonly { readonly rule: string; readonly severity: string }[];
}

/** Both official clients list everything that the server has, over HTTP, without and with a session. Returns the number of tools. */
async function serveByGateway({ command, folder }: Installed, { program }: Workshop): Promise<number> {
  const words = ["gateway", "--listen", "127.0.0.1:0", "--record", "session.jsonl", "--force", "--", ...command];
  const gateway = await startCommand([program, ...words], folder, /served at (http:\S+)\n/);
  try {
    const { url } = gateway;
    const counts: number[] = [];
    for (const connect of [connectV1, (place: Place) => connectV2(place, "auto")]) {
      const client = await connect({ kind: "http", url });
      counts.push((await client.listTools()).tools.length);
      const absent = await client.call("no-such-tool").then(
        (result) => isObject(result) && result.isError === true,
        () => true,
      );
      // Some servers send requests of their own soon after the session has begun; the recording has them, too.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      if (!absent) throw new Error("the call of an absent tool succeeded");
      await client.close();
    }
    const [first = 0, second = 0] = counts;
    if (first !== second) throw new Error(`${first} tools with a session, ${second} without`);
    return first;
  } finally {
    await gateway.stop();
  }
}

type Place = { readonly kind: "http"; readonly url: string };

/** The recording is a test that the server passes. */
async function replay({ command, folder }: Installed, { program }: Workshop): Promise<void> {
  const { code, output } = await runCommand(
    program,
    ["replay", "session.jsonl", "--against", "--", ...command],
    folder,
  );
  if (code !== 0) throw new Error(lastLines(output));
}

/** The generated client compiles. */
async function generateClient({ command, folder }: Installed, { program, compiler }: Workshop): Promise<void> {
  const words = ["client", "--out", "client", "--force", "--", ...command];
  const { code, output } = await runCommand(program, words, folder);
  if (code !== 0) throw new Error(lastLines(output));
  const options = ["--strict", "--noEmit", "--skipLibCheck", "--module", "nodenext", "--target", "es2023"];
  const types = ["--allowImportingTsExtensions", "--types", "node", "--typeRoots", typesFolder];
  const compiled = await runCommand(compiler, [...options, ...types, join("client", "index.ts")], folder);
  if (compiled.code !== 0) throw new Error(lastLines(compiled.output));
}

/** The page lists every tool, and nothing goes wrong in it. */
async function inspect(
  { command, folder }: Installed,
  { program, browser, tools }: Workshop & { readonly tools: number },
): Promise<void> {
  const inspector = await startCommand([program, "inspect", "--", ...command], folder, /^(http:\S+)\n/m);
  try {
    const { page, troubles } = await openPage(browser, inspector.url);
    if (tools > 0) await page.getByRole("tab", { name: "Tools" }).click();
    if (tools > 0) await page.locator(".item").first().waitFor();
    await page.context().close();
    if (troubles.length > 0) throw new Error(troubles.join("; "));
  } finally {
    await inspector.stop();
  }
}

/** Runs a command to its end. */
function runCommand(program: string, args: readonly string[], folder: string): Promise<Outcome> {
  return run(process.execPath, [program, ...args], optionsIn(folder));
}

/** Starts a command that prints its URL. */
function startCommand(args: readonly string[], folder: string, pattern: RegExp): Promise<RunningServer> {
  return startServer(args, { ...optionsIn(folder), pattern });
}

/** Servers write into a home folder of their own. */
function optionsIn(cwd: string): RunOptions {
  const env = { ...process.env, HOME: join(cwd, "home"), NO_COLOR: "1" };
  return { cwd, env, signal: AbortSignal.timeout(240_000) };
}

function lastLines(text: string): string {
  return text.trim().split("\n").slice(-5).join(" ").slice(0, 500);
}
