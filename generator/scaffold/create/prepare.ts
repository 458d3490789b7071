import { statelessAmong, toCatalogue } from "../layer/catalogue.ts";
import type { Screen } from "./console.ts";
import { exampleCall, makeFirstCall } from "./first-call.ts";
import { buildProject, installDependencies, testProject, type ManagerRun } from "./install.ts";
import { packageVersion } from "../../internal/package-info.ts";
import type { ProjectOptions } from "./project-options.ts";
import { createRepository, type RepositoryOutcome } from "./repository.ts";
import { commandsOf } from "./package-manager.ts";
import { lastLines } from "./run.ts";

/** Options of the steps after the writing of a project. */
export interface PrepareOptions {
  readonly install: boolean;
  /** Resolves to true if the project becomes a repository. */
  readonly repository: Promise<boolean>;
  readonly screen: Screen;
  readonly signal: AbortSignal;
}

/** Result of the preparation: `ready` responds to calls, `written` still needs its dependencies, `failed` was reported with its cause. */
export interface Readiness {
  readonly kind: "ready" | "written" | "failed";
}

/**
 * Installs, builds and calls a new project, and makes it a repository. The project is complete before these steps: failures are reported, and the
 * steps can be repeated by hand.
 */
export async function prepareProject(project: ProjectOptions, options: PrepareOptions): Promise<Readiness> {
  const run = { folder: project.folder, signal: options.signal, manager: project.manager };
  const kind = options.install ? await install(project, options, run) : "written";
  if ((await options.repository) && !options.signal.aborted) await initialize(options, run);
  return { kind };
}

async function install(
  project: ProjectOptions,
  { screen, signal }: PrepareOptions,
  run: ManagerRun,
): Promise<Readiness["kind"]> {
  const { install: command } = commandsOf(run.manager);
  const work = async (): Promise<string | undefined> => {
    const installed = await installDependencies(run);
    if (!installed.ok) return `${command} failed:\n${lastLines(installed)}`;
    return undefined;
  };
  const problem = await screen.step(`Installing dependencies with ${run.manager}`, work, (text) =>
    text === undefined ? "Installed the dependencies" : "The dependencies are not installed",
  );
  if (signal.aborted) {
    screen.warn(`interrupted; the project itself is complete. Run \`${command}\` in it to go on.`);
    return "failed";
  }
  if (problem !== undefined) {
    screen.warn(`${problem}\nThe project itself is complete. Fix that, then run \`${command}\` there.`);
    return "failed";
  }
  const { transport } = project.selection;
  if (project.source && !project.source.api) return buildOnce(screen, run);
  if (project.source) return testOnce(screen, run);
  return transport === "stdio" || transport === "both" ? callOnce(project, screen, run) : testOnce(screen, run);
}

/** Builds only: the generated tests fail until the tools are written. */
async function buildOnce(screen: Screen, run: ManagerRun): Promise<Readiness["kind"]> {
  const built = await screen.step(
    "Building it",
    () => buildProject(run),
    ({ ok }) => (ok ? "Built; each tool has a test that fails until the tool is written" : "It could not be built"),
  );
  if (built.ok) return "ready";
  screen.warn(describeFailedBuild(run, built));
  return "failed";
}

/** Runs the project's own tests, for servers not called on stdio. */
async function testOnce(screen: Screen, run: ManagerRun): Promise<Readiness["kind"]> {
  const work = async (): Promise<string | undefined> => {
    const tested = await testProject(run);
    return tested.ok ? undefined : `${commandsOf(run.manager).run("test")} failed:\n${lastLines(tested)}`;
  };
  const problem = await screen.step("Building it and running its tests", work, (text) =>
    text === undefined ? "Its tests passed" : "Its tests failed",
  );
  if (problem === undefined) return "ready";
  screen.warn(
    `${problem}\nThe files are written, but the project does not work. Run \`${commandsOf(run.manager).run("test")}\` in it to see more.`,
  );
  return "failed";
}

/** Describes a project that does not compile: it has all its files, and is not complete. */
function describeFailedBuild({ manager }: ManagerRun, built: Parameters<typeof lastLines>[0]): string {
  return `${commandsOf(manager).run("build")} failed:\n${lastLines(built)}\nThe files are written, but the project does not compile.`;
}

async function callOnce(project: ProjectOptions, screen: Screen, run: ManagerRun): Promise<Readiness["kind"]> {
  const { tool, arguments: args } = exampleCall;
  const work = async (): Promise<{ readonly answer?: string; readonly problem?: string }> => {
    const built = await buildProject(run);
    if (!built.ok) return { problem: describeFailedBuild(run, built) };
    const { folder, revisions, models } = project;
    const [revision = ""] = revisions;
    const isStateless = statelessAmong([revision], toCatalogue(models.models)).length > 0;
    return makeFirstCall(exampleCall, { folder, revision, isStateless }).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ problem: error instanceof Error ? error.message : String(error) }),
    );
  };
  const { problem } = await screen.step("Building it and making a first call", work, ({ answer }) =>
    answer === undefined
      ? "The server did not respond to the first call"
      : `${tool}(${JSON.stringify(args)}) returned ${answer}`,
  );
  if (problem === undefined) return "ready";
  screen.warn(`${problem}\nRun \`${commandsOf(run.manager).run("test")}\` in it to see more.`);
  return "failed";
}

async function initialize({ screen }: PrepareOptions, run: ManagerRun): Promise<void> {
  const outcome = await createRepository(`Start from create-mcp-server ${packageVersion()}`, run);
  const problem = describeRepository(outcome);
  if (problem !== undefined) screen.warn(problem);
}

function describeRepository(outcome: RepositoryOutcome): string | undefined {
  switch (outcome.kind) {
    case "committed":
      return undefined;
    case "staged":
      return "git does not know your name and e-mail yet, so nothing was committed. Run `git commit` when it does.";
    case "failed":
      return `${outcome.step} failed:\n${lastLines(outcome.outcome)}\nThe project itself is complete. Run it by hand.`;
    default:
      return outcome satisfies never;
  }
}
