import { relative } from "node:path";
import { packageVersion } from "../../generator/internal/package-info.ts";
import { timePhase } from "../../generator/internal/phase.ts";
import { countText, quoteForShell } from "../../generator/internal/text.ts";
import type { Tree } from "../../generator/internal/tree.ts";
import {
  askDirectory,
  createTerminalScreen,
  greet,
  plainScreen,
  type Screen,
} from "../../generator/scaffold/create/console.ts";
import { describeUnstableFeatures } from "../../generator/scaffold/create/feature-stages.ts";
import { checkPackageName } from "../../generator/scaffold/create/name.ts";
import { commandsOf } from "../../generator/scaffold/create/package-manager.ts";
import { planProject, type ProjectText } from "../../generator/scaffold/create/plan-project.ts";
import type { PrepareOptions, Readiness } from "../../generator/scaffold/create/prepare.ts";
import { emitProject } from "../../generator/scaffold/create/project-files.ts";
import type { ProjectOptions } from "../../generator/scaffold/create/project-options.ts";
import { projectPackages } from "../../generator/scaffold/create/project-packages.ts";
import type { RunOptions } from "../../generator/scaffold/create/run.ts";
import { rejectSwallowedFlags } from "../../generator/scaffold/create/swallowed-flags.ts";
import { findTarget } from "../../generator/scaffold/create/target.ts";
import { writeProject } from "../../generator/scaffold/create/write-project.ts";
import type { Protection } from "../../generator/scaffold/layer/choices.ts";
import { rejectMisspeltCommand } from "./misspelt.ts";
import { runInterruptibly } from "./stop-signal.ts";

/** Options of `create-mcp-server <dir>`. */
export interface CreateOptions extends ProjectText {
  readonly directory: string;
  /** Names of the options permitted on the command line. Default: none. */
  readonly flags?: readonly string[];
  /** Never prompt the user. */
  readonly yes: boolean;
  readonly install: boolean;
  readonly git: boolean;
  /** Print the files of the project, and write nothing. */
  readonly dryRun: boolean;
}

/** `create-mcp-server <dir>`: writes a new project. Returns the exit code. */
export function runCreate(options: CreateOptions): Promise<number> {
  return runInterruptibly((signal) => create(options, signal));
}

async function create(options: CreateOptions, signal: AbortSignal): Promise<number> {
  rejectSwallowedFlags(options.flags ?? []);
  rejectMisspeltCommand(options.directory);
  if (options.name !== undefined) checkPackageName(options.name, projectPackages);
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const asks = isTerminal && !options.yes && !options.dryRun;
  const isNamed = options.directory.trim() !== "";
  if (asks) await greet(packageVersion());
  const target = isNamed || !asks ? await findTarget(options.directory) : await askDirectory(findTarget);
  const project = await timePhase("Reading schemas", () => planProject(options, { folder: target.folder, asks }));
  // Started early: git responds while the files are generated.
  const repository = wantsRepository(options, { folder: target.nearest, signal });
  const screen = isTerminal ? await createTerminalScreen() : plainScreen;
  for (const text of describeUnstableFeatures(project.selection.features)) screen.warn(text);
  const emit = (): Promise<Tree> => timePhase("Generating files", () => emitProject({ ...project, signal }));
  const tree = isTerminal && !options.dryRun ? await showTools(project, { screen, emit }) : await emit();
  if (options.dryRun) {
    console.log(listFiles(tree));
    return 0;
  }
  const { archives } = project.runtime;
  await timePhase("Writing files", () => writeProject(target, tree, { signal, archives }));
  const { install } = options;
  const prepares = install || (await repository);
  const readiness: Readiness = prepares
    ? await prepare(project, { install, repository, screen, signal })
    : { kind: "written" };
  showEnd(screen, project, { readiness, files: tree.size + project.runtime.archives.size });
  return readiness.kind === "failed" ? 1 : 0;
}

/** Generates the files and shows the progress. The tools of a large document take a minute to generate. */
function showTools(
  { source }: ProjectOptions,
  { screen, emit }: { readonly screen: Screen; readonly emit: () => Promise<Tree> },
): Promise<Tree> {
  if (!source) return emit();
  const tools = countText(source.contract.tools.length, "tool");
  return screen.step(`Making ${tools} from ${source.origin}`, emit, () => `Made ${tools} from ${source.origin}`);
}

/** Prepares a project. Modules for starting programs are loaded only for projects that need them. */
async function prepare(project: ProjectOptions, options: PrepareOptions): Promise<Readiness> {
  const { prepareProject } = await import("../../generator/scaffold/create/prepare.ts");
  return prepareProject(project, options);
}

/** True if the project needs a git repository. A project inside of a repository needs none of its own. */
async function wantsRepository({ git, dryRun }: CreateOptions, place: RunOptions): Promise<boolean> {
  if (!git || dryRun) return false;
  const { isInRepository } = await import("../../generator/scaffold/create/repository.ts");
  return !(await isInRepository(place));
}

function listFiles(tree: Tree): string {
  const sizes = [...tree].map(([path, text]): [string, number] => [path, Buffer.byteLength(text)]).sort();
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  const lines = sizes.map(([path, size]) => `${String(size).padStart(8)}  ${path}`);
  return [...lines, `${String(total).padStart(8)}  bytes in ${tree.size} files; nothing was written`].join("\n");
}

function showEnd(
  screen: Screen,
  { folder, name, revisions, manager, selection: { auth, mount, target } }: ProjectOptions,
  { readiness, files }: { readonly readiness: Readiness; readonly files: number },
): void {
  const place = relative(process.cwd(), folder);
  const { install, run } = commandsOf(manager);
  const keepsClients = mount === "none" && target === "node";
  const steps = [
    ...(place === "" ? [] : [{ command: `cd ${quoteForShell(place)}`, use: "" }]),
    ...(readiness.kind === "ready" ? [] : [{ command: install, use: "install the dependencies" }]),
    { command: run("test"), use: "build it, and test it over its transports" },
    ...credentialSteps[auth].map(({ script, use }) => ({ command: run(script), use })),
    {
      command: run("dev"),
      use: `run it from source${keepsClients ? "; clients stay connected when files change" : ""}`,
    },
    { command: run("inspect"), use: "try it in a browser" },
  ];
  const commands = steps.slice(0, 3);
  const width = Math.max(...commands.map(({ command }) => command.length));
  screen.end(
    `Created ${name} in ${folder}: ${files} files, MCP ${revisions.join(", ")}`,
    commands.map(({ command, use }) => `  ${command.padEnd(width)}  ${use}`.trimEnd()),
  );
}

/** Scripts to create the credentials of callers. */
const credentialSteps: { readonly [Name in Protection]: readonly { readonly script: string; readonly use: string }[] } =
  {
    none: [],
    oauth: [{ script: "token", use: "create an access token for this machine" }],
    "api-key": [{ script: "key", use: "create a key and its entry in API_KEYS; requests without a key are rejected" }],
  };
