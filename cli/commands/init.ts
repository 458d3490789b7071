import { countText } from "../../generator/internal/text.ts";
import { installDependencies, runManager } from "../../generator/scaffold/create/install.ts";
import { commandsOf } from "../../generator/scaffold/create/package-manager.ts";
import { lastLines, type Outcome } from "../../generator/scaffold/create/run.ts";
import { readApplication, type Application, type ApplicationText } from "../../generator/scaffold/init/application.ts";
import { definitionFile, planInit, type InitChoices, type InitPlan } from "../../generator/scaffold/init/plan.ts";
import { writeInit } from "../../generator/scaffold/init/write.ts";
import { frameworks } from "../../generator/scaffold/mount/frameworks.ts";
import { runInterruptibly } from "./stop-signal.ts";

/** Options of `create-mcp-server init`. */
export interface InitOptions extends ApplicationText, InitChoices {
  /** Install the dependencies, and bundle the server where the application does not compile it. */
  readonly install: boolean;
  /** Print the changes, and write nothing. */
  readonly dryRun: boolean;
}

/** `create-mcp-server init`: adds a server to an existing application. Returns the exit code. */
export function runInit(options: InitOptions): Promise<number> {
  return runInterruptibly((signal) => init(options, signal));
}

async function init(options: InitOptions, signal: AbortSignal): Promise<number> {
  const application = await readApplication(options);
  const plan = await planInit(application, options);
  if (options.dryRun) {
    console.log([...listChanges(plan), "Nothing was written.", ...describeEnd(application, plan, [])].join("\n"));
    return 0;
  }
  await writeInit(application.folder, plan);
  console.log(describeAdded(application, plan).join("\n"));
  const problem = options.install ? await prepare(application, plan, signal) : undefined;
  if (problem !== undefined) console.error(`Warning: ${problem}\nThe server itself is complete.`);
  const commands = options.install && problem === undefined ? [] : remaining(application, plan);
  console.log(describeEnd(application, plan, commands).join("\n"));
  return problem === undefined ? 0 : 1;
}

function listChanges({ files, archives, additions }: InitPlan): readonly string[] {
  const sizes = [...files, ...archives].map(([path, content]): [string, number] => [path, Buffer.byteLength(content)]);
  const lines = sizes.sort().map(([path, size]) => `${String(size).padStart(8)}  ${path}`);
  const members = Object.entries(additions).flatMap(([section, entries]) =>
    Object.entries(entries).map(
      ([key, value]) => `          package.json, ${section}: "${key}": ${JSON.stringify(value)}`,
    ),
  );
  return [...lines, ...members];
}

function describeAdded(
  { framework, folder }: Application,
  { files, archives, revisions }: InitPlan,
): readonly string[] {
  const kind =
    framework === "node" ? "an application without a framework" : `an application of ${frameworks[framework].title}`;
  const count = countText(files.size + archives.size, "file");
  return [`Added a server to ${folder}, ${kind}: ${count}, MCP ${revisions.join(", ")}`];
}

/** Installs the dependencies, and bundles the server if necessary. Returns the problem, if there is one. */
async function prepare(
  { folder, manager }: Application,
  { build }: InitPlan,
  signal: AbortSignal,
): Promise<string | undefined> {
  const run = { folder, manager, signal };
  const { install, run: script } = commandsOf(manager);
  console.log(`Installing dependencies with ${manager} ...`);
  const installed = await installDependencies(run);
  if (!installed.ok) return failure(install, installed);
  if (build === undefined) return undefined;
  const built = await runManager(["run", build], run);
  return built.ok ? undefined : failure(script(build), built);
}

function failure(command: string, outcome: Outcome): string {
  return `${command} failed:\n${lastLines(outcome)}`;
}

/** Remaining commands for the user. */
function remaining({ manager }: Application, { build }: InitPlan): readonly string[] {
  const { install, run } = commandsOf(manager);
  return [install, ...(build === undefined ? [] : [run(build)])];
}

function describeEnd(
  { manager, routes, isOnEdge, sources }: Application,
  { paste, build }: InitPlan,
  commands: readonly string[],
): readonly string[] {
  const { run } = commandsOf(manager);
  return [
    ...(commands.length > 0 ? ["", "Run first:", "", ...commands.map(indent)] : []),
    "",
    ...(paste
      ? [paste.title, "", ...paste.lines.map(indent), ""]
      : [`${routes}/mcp/route.ts serves the server; nothing else is needed.`]),
    `The server is defined in ${definitionFile}; clients reach it at /mcp of the application.`,
    ...(build === undefined ? [] : [`After each change of the server: ${run(build)}`]),
    ...(sources.kind === "javascript" ? ["The application is not compiled: dist/ contains the bundled server."] : []),
    ...(isOnEdge ? ["Requests of the platform are passed on with any host name; see the guide: docs mount"] : []),
    "While the application runs, try the server in a browser:",
    indent(run("mcp:inspect")),
    "The script contains the port of the application; change it in package.json if the application uses another.",
  ];
}

function indent(line: string): string {
  return line === "" ? "" : `  ${line}`;
}
