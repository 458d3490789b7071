import { relative } from "node:path";
import { chooseRevisions, readCatalogue, servable } from "../create/catalogue.ts";
import { quoteForShell } from "../create/client-config.ts";
import { askPerson, createTerminalScreen, plainScreen, type Screen } from "../create/console.ts";
import { readPackageName } from "../create/name.ts";
import { emitProject, projectDependencies, type ProjectOptions } from "../create/project-files.ts";
import { prepareProject, type Readiness } from "../create/prepare.ts";
import { findTarget, type Target } from "../create/target.ts";
import { interrupted, interruptedExitCode, UserError } from "../user-error.ts";
import { writeProject } from "../create/write-project.ts";
import type { Tree } from "../emit/tree.ts";
import { packageRoot, packageVersion } from "../package-info.ts";
import { reportProblem } from "./report.ts";

/** Options of `create-mcp-server <dir>`. */
export interface CreateOptions {
  readonly directory: string;
  /** Revisions: one, several with commas, `latest` or `all`. Default: the newest that can be served. */
  readonly protocol?: string;
  /** Package name. Default: the folder's name. */
  readonly name?: string;
  /** Ask nothing. */
  readonly yes: boolean;
  readonly install: boolean;
  readonly git: boolean;
  /** Print what would be written, and write nothing. */
  readonly dryRun: boolean;
}

/** `create-mcp-server <dir>`: writes a new project. Returns the exit code. */
export async function runCreate(options: CreateOptions): Promise<number> {
  const interruption = new AbortController();
  const stop = (): void => interruption.abort(interrupted());
  for (const signal of stopSignals) process.once(signal, stop);
  try {
    return await create(options, interruption.signal);
  } catch (error) {
    reportProblem(error);
    return error instanceof UserError ? error.exitCode : 1;
  } finally {
    for (const signal of stopSignals) process.removeListener(signal, stop);
  }
}

const stopSignals = ["SIGINT", "SIGTERM"] as const;

async function create(options: CreateOptions, signal: AbortSignal): Promise<number> {
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const target = await findTarget(options.directory);
  const project = await planProject(options, { target, asks: isTerminal && !options.yes && !options.dryRun });
  const tree = await emitProject(project);
  if (options.dryRun) {
    console.log(listFiles(tree));
    return 0;
  }
  const screen = isTerminal ? await createTerminalScreen() : plainScreen;
  await writeProject(target, tree, { signal });
  const readiness = await prepareProject(project, { ...options, screen, signal });
  showEnd(screen, project, { readiness, files: tree.size });
  return signal.aborted ? interruptedExitCode : readiness.kind === "failed" ? 1 : 0;
}

async function planProject(
  { protocol, name }: CreateOptions,
  { target: { folder }, asks }: { readonly target: Target; readonly asks: boolean },
): Promise<ProjectOptions> {
  const catalogue = await readCatalogue(packageRoot);
  const chosen = chooseRevisions(protocol, catalogue);
  const checked = readPackageName({ folder, taken: projectDependencies, ...(name !== undefined && { name }) });
  const choices = protocol === undefined ? servable(catalogue).map(({ id }) => id) : [];
  const wanted = asks ? await askPerson({ folder, name: checked, choices, chosen }) : chosen;
  const revisions = chooseRevisions(wanted.join(","), catalogue);
  return { folder, name: checked, revisions, version: packageVersion(), packageFolder: packageRoot };
}

function listFiles(tree: Tree): string {
  const sizes = [...tree].map(([path, text]): [string, number] => [path, Buffer.byteLength(text)]).sort();
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  const lines = sizes.map(([path, size]) => `${String(size).padStart(8)}  ${path}`);
  return [...lines, `${String(total).padStart(8)}  bytes in ${tree.size} files; nothing was written`].join("\n");
}

function showEnd(
  screen: Screen,
  { folder, name, revisions }: ProjectOptions,
  { readiness, files }: { readonly readiness: Readiness; readonly files: number },
): void {
  const place = relative(process.cwd(), folder);
  const steps = readiness.kind === "ready" ? readySteps : unfinishedSteps;
  const commands = [...(place === "" ? [] : [{ command: `cd ${quoteForShell(place)}`, use: "" }]), ...steps];
  const width = Math.max(...commands.map(({ command }) => command.length));
  screen.end(
    `${name} speaks ${revisions.join(", ")}: ${files} files in ${folder}`,
    commands.map(({ command, use }) => `  ${command.padEnd(width)}  ${use}`.trimEnd()),
  );
}

const readySteps = [
  { command: "npm test", use: "build it and talk to it over the real wire" },
  { command: "npm run dev", use: "run it from source, restarted at every change" },
] as const;

const unfinishedSteps = [
  { command: "npm install", use: "get its dependencies" },
  { command: "npm test", use: "build it and talk to it over the real wire" },
] as const;
