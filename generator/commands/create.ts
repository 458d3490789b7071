import { relative } from "node:path";
import { chooseRevisions, toCatalogue } from "../scaffold/layer/catalogue.ts";
import {
  askDirectory,
  askPerson,
  createTerminalScreen,
  greet,
  plainScreen,
  type Screen,
} from "../scaffold/create/console.ts";
import { toSpecPath } from "../scaffold/layer/spec-choice.ts";
import { readLauncher } from "../scaffold/create/launcher.ts";
import { readRuntime } from "../scaffold/create/runtime-package.ts";
import { readSpecModels } from "../read/spec-models.ts";
import { choosePackageManager, commandsOf } from "../scaffold/create/package-manager.ts";
import { readPackageName } from "../scaffold/create/name.ts";
import { emitProject, type ProjectOptions } from "../scaffold/create/project-files.ts";
import { projectPackages } from "../scaffold/create/project-packages.ts";
import { prepareProject, type Readiness } from "../scaffold/create/prepare.ts";
import { askSelection } from "../scaffold/create/questions.ts";
import { isInRepository } from "../scaffold/create/repository.ts";
import type { RunOptions } from "../scaffold/create/run.ts";
import { lossLines } from "../typed-client/client/loss-lines.ts";
import type { ProjectSource } from "../openapi/source.ts";
import { outputLine, quoteForShell, countText } from "../internal/text.ts";
import { outputModes } from "../openapi/output-mode.ts";
import { isForeign } from "../openapi/read-address.ts";
import { safeLine } from "../internal/text.ts";
import { refuseSwallowedFlags } from "../scaffold/create/swallowed-flags.ts";
import { findTarget, type Target } from "../scaffold/create/target.ts";
import { interrupted, interruptedExitCode, UserError } from "../internal/user-error.ts";
import { writeProject } from "../scaffold/create/write-project.ts";
import type { Protection } from "../scaffold/layer/choices.ts";
import { readSelection, readWord, type SelectionText } from "../scaffold/create/project-choices.ts";
import type { Tree } from "../internal/tree.ts";
import { packageVersion } from "../internal/package-info.ts";
import { rejectMisspeltCommand } from "./misspelt.ts";
import { reportProblem } from "./report.ts";

/** Options of `create-mcp-server <dir>`. */
export interface CreateOptions extends SelectionText {
  readonly directory: string;
  /** Names of the options that a command line may have. Default: none. */
  readonly flags?: readonly string[];
  /** Revisions: one, several with commas, `latest` or `all`. Default: all that are released. */
  readonly protocol?: string;
  /** Spec folder with these revisions. Default: the one of this package. */
  readonly spec?: string;
  /** OpenAPI document, list of tools or contract that the tools are generated from. Default: an example. */
  readonly from?: string;
  /** Tags, names and paths of the wanted parts of the source, with commas. Default: everything. */
  readonly only?: string;
  /** Treatment of API responses by tools: `none`, `loose` or `strict`. Default: `loose`. */
  readonly output?: string;
  /** npm, pnpm, yarn or bun. Default: the one that runs this program. */
  readonly packageManager?: string;
  /** Package name. Default: the folder's name. */
  readonly name?: string;
  /** Never prompt the user. */
  readonly yes: boolean;
  readonly install: boolean;
  readonly git: boolean;
  /** Print the files that would be written, and write nothing. */
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
    return reportProblem(error);
  } finally {
    for (const signal of stopSignals) process.removeListener(signal, stop);
  }
}

const stopSignals = ["SIGINT", "SIGTERM", "SIGBREAK"] as const;

async function create(options: CreateOptions, signal: AbortSignal): Promise<number> {
  refuseSwallowedFlags(options.flags ?? []);
  rejectMisspeltCommand(options.directory);
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const asks = isTerminal && !options.yes && !options.dryRun;
  const isNamed = options.directory.trim() !== "";
  if (asks) await greet(packageVersion());
  const target = isNamed || !asks ? await findTarget(options.directory) : await askDirectory(findNamed(options));
  const project = await planProject(options, { target, asks });
  // Started early: git responds while the files are generated.
  const repository = wantsRepository(options, { folder: target.nearest, signal });
  const screen = isTerminal ? await createTerminalScreen() : plainScreen;
  const emit = (): Promise<Tree> => emitProject({ ...project, signal });
  const tree = isTerminal && !options.dryRun ? await showTools(project, { screen, emit }) : await emit();
  if (options.dryRun) {
    console.log(listFiles(tree));
    return 0;
  }
  await writeProject(target, tree, { signal, archives: project.runtime.archives });
  const readiness = await prepareProject(project, { install: options.install, repository, screen, signal });
  showEnd(screen, project, { readiness, files: tree.size });
  return signal.aborted ? interruptedExitCode : readiness.kind === "failed" ? 1 : 0;
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

/** True if the project needs a git repository. A project inside of a repository needs none of its own. */
async function wantsRepository({ git, dryRun }: CreateOptions, place: RunOptions): Promise<boolean> {
  return git && !dryRun && !(await isInRepository(place));
}

/** Returns a function that finds the place of a project, and checks that its folder gives a valid package name. */
function findNamed({ name }: CreateOptions): (directory: string) => Promise<Target> {
  return async (directory) => {
    const target = await findTarget(directory);
    readPackageName({ folder: target.folder, taken: projectPackages, ...(name !== undefined && { name }) });
    return target;
  };
}

interface Plan {
  readonly target: Target;
  readonly asks: boolean;
}

async function planProject(
  { protocol, spec, name, from, only, output, packageManager, ...rest }: CreateOptions,
  { target: { folder }, asks }: Plan,
): Promise<ProjectOptions> {
  const manager = choosePackageManager(packageManager);
  const models = await readSpecModels(spec);
  const catalogue = toCatalogue(models.models);
  const chosen = chooseRevisions(protocol, catalogue);
  if (only !== undefined && from === undefined)
    throw new UserError("--only chooses from what --from names: say --from openapi.yaml or the like, too.");
  if (output !== undefined && from === undefined)
    throw new UserError("--output is for the tools of an API; add --from openapi.yaml.");
  const source = from === undefined ? undefined : await readOwnSource(from, { only, output });
  const given = source === undefined ? rest : toSourceSelection(rest, source);
  const asked = readSelection(given);
  const checked = readPackageName({ folder, taken: projectPackages, ...(name !== undefined && { name }) });
  const choices = protocol === undefined ? catalogue.map(({ id }) => id) : [];
  const selection = asks ? await askSelection({ given, asked }) : asked;
  const wanted = asks ? await askPerson({ folder, name: checked, choices, chosen }) : chosen;
  const revisions = chooseRevisions(wanted.join(","), catalogue);
  const facts = { folder, name: checked, manager, models, runtime: readRuntime(selection.runtime) };
  const launcher = readLauncher();
  return {
    ...facts,
    ...(launcher && { launcher }),
    revisions,
    selection,
    ...(source && { source }),
    ...(spec !== undefined && { spec: toSpecPath(spec, folder) }),
  };
}

/** Completes the selection for a source. Its schemas are JSON Schemas, and by default the project serves only the kinds that the source has. */
function toSourceSelection(given: SelectionText, { contract }: ProjectSource): SelectionText {
  const has = {
    tools: true,
    resources: contract.resources.length + contract.resourceTemplates.length > 0,
    prompts: contract.prompts.length > 0,
  };
  const own = Object.entries(has).flatMap(([kind, isThere]) => (isThere ? [kind] : []));
  const { schema = "json", features = own.join(",") } = given;
  if (schema !== "json")
    throw new UserError(`--from describes tools with plain JSON Schema. Leave out --schema, or say --schema json.`);
  return { ...given, schema, features };
}

async function readOwnSource(path: string, { only, output }: SourceText): Promise<ProjectSource> {
  const mode = output === undefined ? undefined : readWord("--output", output, outputModes);
  const { readSource } = await import("../openapi/source.ts");
  const source = await readSource(path, { ...(only !== undefined && { only }), ...(mode && { output: mode }) });
  for (const { name, reason } of source.leftOut) console.error(`left out   ${name}: ${outputLine(reason)}`);
  for (const line of lossLines(source.plan)) console.error(line);
  for (const line of sizeLines(source)) console.error(line);
  return source;
}

/** Options of the command line that concern a source. */
interface SourceText {
  readonly only: string | undefined;
  readonly output: string | undefined;
}

/** Notes for the user about a large source. */
function sizeLines({ api, contract: { tools } }: ProjectSource): string[] {
  const open = api?.operations.filter(({ isOpen }) => isOpen).length ?? 0;
  const foreign = api?.operations.filter(({ address }) => isForeign(address, api.address)) ?? [];
  const parts = "what is deep in their schemas may be anything, because there is too much of it to say";
  return [
    ...foreign.map(({ name, address = "" }) => {
      return `other host ${safeLine(name, 80)}: the document sends it to ${safeLine(address)}; no credentials go there`;
    }),
    ...(open === 0 ? [] : [`widened    ${countText(open, "tool")}: ${parts}`]),
    ...(tools.length <= manyTools ? [] : [`${tools.length} tools are more than most models can choose from: ${fewer}`]),
  ];
}

/** Number of tools above which hosts begin to reject them, and models to choose wrong ones. */
const manyTools = 100;

const fewer = "--only takes tags, names or paths of those that are wanted, with commas; * stands for anything.";

function listFiles(tree: Tree): string {
  const sizes = [...tree].map(([path, text]): [string, number] => [path, Buffer.byteLength(text)]).sort();
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  const lines = sizes.map(([path, size]) => `${String(size).padStart(8)}  ${path}`);
  return [...lines, `${String(total).padStart(8)}  bytes in ${tree.size} files; nothing was written`].join("\n");
}

function showEnd(
  screen: Screen,
  { folder, name, revisions, manager, selection: { auth } }: ProjectOptions,
  { readiness, files }: { readonly readiness: Readiness; readonly files: number },
): void {
  const place = relative(process.cwd(), folder);
  const { install, run } = commandsOf(manager);
  const steps = [
    ...(place === "" ? [] : [{ command: `cd ${quoteForShell(place)}`, use: "" }]),
    ...(readiness.kind === "ready" ? [] : [{ command: install, use: "get its dependencies" }]),
    { command: run("test"), use: "build it and talk to it over the real wire" },
    ...credentialSteps[auth].map(({ script, use }) => ({ command: run(script), use })),
    { command: run("dev"), use: "run it from source, restarted at every change" },
    { command: run("inspect"), use: "try it in a browser" },
  ];
  const commands = steps.slice(0, 3);
  const width = Math.max(...commands.map(({ command }) => command.length));
  screen.end(
    `${name} speaks ${revisions.join(", ")}: ${files} files in ${folder}`,
    commands.map(({ command, use }) => `  ${command.padEnd(width)}  ${use}`.trimEnd()),
  );
}

/** Scripts that create the credentials of callers. */
const credentialSteps: { readonly [Name in Protection]: readonly { readonly script: string; readonly use: string }[] } =
  {
    none: [],
    oauth: [{ script: "token", use: "make an access token for this machine" }],
    "api-key": [{ script: "key", use: "make a key, and the API_KEYS without which every request is refused" }],
  };
