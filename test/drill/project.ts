import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Revision } from "../../generated/support.ts";
import { connectHttp } from "../../runtime/client/connect-http.ts";
import { connectStdio } from "../../runtime/client/connect-stdio.ts";
import { runCli, startServer } from "../kit/programs.ts";
import { runProgram } from "../matrix/tools.ts";
import { linkPackages } from "../scaffold/everything-project.ts";
import { converse } from "./conversation.ts";
import { after, before, type Drawn } from "./draw.ts";
import { callerText, definitionText } from "./project-text.ts";
import type { Step, StepRunner } from "./step.ts";

/** What the steps of a project need. */
export interface ProjectDrill {
  readonly drawn: Drawn;
  /** Folder with the spec folder `spec`, in which the project `demo` is made. */
  readonly root: string;
  /** Revisions of the spec folder, newest first. */
  readonly revisions: readonly Revision[];
}

/** Runs the steps of a project: it is made, moved to the fictional revision, tested, and served. */
export async function drillProject(steps: StepRunner, drill: ProjectDrill): Promise<void> {
  const folder = join(drill.root, "demo");
  await steps.run("project", (step) => createProject(step, drill));
  await steps.run("update", (step) => updateProject(step, drill, folder));
  const isBuilt = await steps.run("project: types, build, tests", () => buildProject(folder));
  if (isBuilt === undefined) return;
  for (const revision of drill.revisions) {
    await steps.run(`stdio at ${revision.id}`, (step) => converseOverStdio(step, drill, { folder, revision }));
  }
  await steps.run("HTTP of the project", (step) => converseOverHttp(step, drill, folder));
  await steps.run("generate command", () => compileGenerated(drill.root, folder));
  await steps.run("client", (step) => writeClient(step, folder));
  await steps.run("check", (step) => checkProject(step, folder));
  await steps.run("gateway before 2024-11-05", (step) => serveGateway(step, drill, folder));
  await steps.run("diff command", (step) => printDiff(step, drill));
}

/** Runs a command of the command line. Returns what it printed. */
async function cli(cwd: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args, { cwd });
  if (code !== 0) throw new Error(`create-mcp-server ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
  return stdout + stderr;
}

/** Creates a project with the package's revisions only. */
async function createProject(step: Step, { root }: ProjectDrill): Promise<void> {
  const features = ["--features", "tools,resources,prompts,input,methods", "--transport", "both", "--client"];
  const created = await cli(root, "demo", "--yes", "--no-install", "--no-git", "--protocol", "all", ...features);
  step.check(`the project is made at ${before}`, created.includes(` files, MCP ${before}, `), created);
  const folder = join(root, "demo");
  await linkPackages(folder);
}

/** The project moves to the fictional revision. Then a person writes the new definition, and removes the tests of the samples. */
async function updateProject(step: Step, { drawn, root, revisions }: ProjectDrill, folder: string): Promise<void> {
  const updated = await cli(root, "update", "demo", "--protocol", "all", "--spec", "spec");
  const ids = revisions.map(({ id }) => id).join(", ");
  step.check(`update names the revisions ${ids}`, updated.includes(`revisions ${ids}.`), updated);
  step.check("update names the comparison", updated.includes(`diff ${before} ${after} --spec spec`), updated);
  // The sample has a prompt with arguments and descriptions, which now may lack a member.
  const isIncomplete = drawn.required.type !== "ResourceTemplate" && !drawn.required.isKnown;
  const places = updated.split("\n").filter((line) => /^src\/\S+:\d+: /.test(line));
  step.expect("places to change in the sample", places.length > 0, isIncomplete);
  if (isIncomplete)
    step.check(
      `a place names ${drawn.required.member}`,
      places.some((line) => line.includes(drawn.required.member)),
      places,
    );
  await writeFile(join(folder, "src", "definition.ts"), definitionText(drawn));
  await writeFile(join(folder, "src", "caller.ts"), callerText(drawn));
  const samples = (await readdir(join(folder, "test"))).filter((name) =>
    /-(tool|prompt|resource)\.test\.ts$/.test(name),
  );
  for (const name of samples) await rm(join(folder, "test", name));
}

/** Returns true: a step without an outcome has failed. */
async function buildProject(folder: string): Promise<true> {
  await typecheck(folder);
  await runProgram(join(folder, "build.js"), [], { cwd: folder });
  const vitest = join(folder, "node_modules", "vitest", "vitest.mjs");
  await runProgram(process.execPath, [vitest, "run"], { cwd: folder });
  return true;
}

async function typecheck(folder: string): Promise<void> {
  const manifest: { readonly scripts: { readonly typecheck: string } } = JSON.parse(
    await readFile(join(folder, "package.json"), "utf8"),
  );
  // `tsc && tsc -p test`, as npm runs it.
  for (const command of manifest.scripts.typecheck.split(" && ")) {
    const [, ...args] = command.split(" ");
    await runTypeScript(folder, ...args);
  }
}

async function runTypeScript(folder: string, ...args: readonly string[]): Promise<void> {
  await runProgram(process.execPath, [join(folder, "node_modules/typescript/bin/tsc"), ...args], { cwd: folder });
}

/** The generated revisions, without a project, pass the settings of one. */
async function compileGenerated(root: string, folder: string): Promise<void> {
  await cli(root, "generate", "--spec", "spec", "--out", join(folder, "generated"));
  const settings = { extends: "./tsconfig.json", include: ["generated"], compilerOptions: { noEmit: true } };
  await writeFile(join(folder, "tsconfig.generated.json"), JSON.stringify(settings));
  await runTypeScript(folder, "-p", "tsconfig.generated.json");
}

async function converseOverStdio(
  step: Step,
  { drawn }: ProjectDrill,
  { folder, revision }: { readonly folder: string; readonly revision: Revision },
): Promise<void> {
  const server = { command: process.execPath, args: ["dist/server.js"], cwd: folder, stderr: "ignore" } as const;
  await converse({ step, drawn, revision, connect: (opening) => connectStdio(server, opening) });
}

async function converseOverHttp(step: Step, { drawn, revisions }: ProjectDrill, folder: string): Promise<void> {
  const { url, stop } = await startServer([join(folder, "dist", "server.js"), "--http", "0"], {
    cwd: folder,
    signal: new AbortController().signal,
  });
  try {
    for (const revision of revisions)
      await converse({ step, drawn, revision, connect: (opening) => connectHttp(url, opening) });
  } finally {
    await stop();
  }
}

/** Inside a project, the command knows the revisions of its spec folder. */
async function writeClient(step: Step, folder: string): Promise<void> {
  const written = await cli(folder, "client", "dist/server.js");
  step.check(
    "the client has the tools and the prompt",
    written.includes("5 tools, 1 prompt, 1 resource template"),
    written,
  );
  await typecheck(folder);
}

async function checkProject(step: Step, folder: string): Promise<void> {
  const report = await cli(folder, "check", "dist/server.js");
  step.check("no rule is broken", / 0 errors/.test(report), report);
  step.check(`the report names ${after}`, report.includes(after), report);
}

const oldServer = `
import { forRevisions, runStdio } from "mcp-server-runtime";
import { revision } from "mcp-server-runtime/2024-11-05";
const { defineServer, defineTool } = forRevisions([revision]);
await runStdio(defineServer({ name: "old", version: "1", tools: [defineTool({ name: "echo", execute: () => "echoed" })] }));
`;

/** Clients of each revision call a server of the oldest through the command. */
async function serveGateway(step: Step, { revisions }: ProjectDrill, folder: string): Promise<void> {
  await writeFile(join(folder, "old.mjs"), oldServer);
  const program = join(import.meta.dirname, "..", "..", "dist", "bundle", "generator", "cli.js");
  const args = [program, "gateway", "--stdio", "--spec", join(folder, "..", "spec"), "--", process.execPath, "old.mjs"];
  for (const revision of revisions) {
    const connection = await connectStdio(
      { command: process.execPath, args, cwd: folder, stderr: "ignore" },
      // The gateway generates the revisions of the folder before it responds.
      {
        info: { name: "drill", version: "1" },
        revisions: [revision],
        timeouts: { request: 120_000, initialize: 120_000 },
      },
    );
    const result = await connection.request("tools/call", { name: "echo" });
    step.check(`a call at ${revision.id}`, JSON.stringify(result).includes("echoed"), result);
    await connection.close();
  }
}

async function printDiff(step: Step, { drawn, root }: ProjectDrill): Promise<void> {
  const printed = await cli(root, "diff", before, after, "--spec", "spec");
  for (const name of [drawn.method.method, drawn.content.type, drawn.removedType, drawn.method.header])
    step.check(`the comparison names ${name}`, printed.includes(name), printed);
}
