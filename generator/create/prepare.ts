import type { Screen } from "./console.ts";
import { exampleCall, makeFirstCall } from "./first-call.ts";
import { buildProject, installDependencies } from "./install.ts";
import type { ProjectOptions } from "./project-files.ts";
import { createRepository, type RepositoryOutcome } from "./repository.ts";
import { lastLines, type RunOptions } from "./run.ts";

/** Which steps follow the writing of a project. */
export interface PrepareOptions {
  readonly install: boolean;
  readonly git: boolean;
  readonly screen: Screen;
  readonly signal: AbortSignal;
}

/** How far a project is: `ready` answers calls, `written` still needs its dependencies, `failed` was told why. */
export interface Readiness {
  readonly kind: "ready" | "written" | "failed";
}

/**
 * Installs, builds and calls a new project, and makes it a repository. The project is complete before: what fails here is
 * told and can be done by hand.
 */
export async function prepareProject(project: ProjectOptions, options: PrepareOptions): Promise<Readiness> {
  const run = { folder: project.folder, signal: options.signal };
  const kind = options.install ? await install(project, options, run) : "written";
  if (options.git && !options.signal.aborted) await initialize(project, options, run);
  return { kind };
}

async function install(
  project: ProjectOptions,
  { screen, signal }: PrepareOptions,
  run: RunOptions,
): Promise<Readiness["kind"]> {
  const work = async (): Promise<string | undefined> => {
    const installed = await installDependencies(run);
    if (!installed.ok) return `npm install failed:\n${lastLines(installed)}`;
    return undefined;
  };
  const problem = await screen.step("Installing dependencies with npm", work, (text) =>
    text === undefined ? "Installed the dependencies" : "The dependencies are not installed",
  );
  if (signal.aborted) {
    screen.warn("interrupted; the project itself is complete. Run `npm install` in it to go on.");
    return "failed";
  }
  if (problem !== undefined) {
    screen.warn(`${problem}\nThe project itself is complete. Run \`npm install\` in it when the cause is gone.`);
    return "failed";
  }
  return callOnce(project, screen, run);
}

async function callOnce(project: ProjectOptions, screen: Screen, run: RunOptions): Promise<Readiness["kind"]> {
  const { tool, arguments: args } = exampleCall;
  const work = async (): Promise<{ readonly answer?: string; readonly problem?: string }> => {
    const built = await buildProject(run);
    if (!built.ok) return { problem: `npm run build failed:\n${lastLines(built)}` };
    const [revision = ""] = project.revisions;
    return makeFirstCall(exampleCall, { folder: project.folder, revision }).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ problem: error instanceof Error ? error.message : String(error) }),
    );
  };
  const { problem } = await screen.step("Building it and making a first call", work, ({ answer }) =>
    answer === undefined ? "The first call was not answered" : `${tool}(${JSON.stringify(args)}) answered: ${answer}`,
  );
  if (problem === undefined) return "ready";
  screen.warn(`${problem}\nThe project itself is complete. Run \`npm test\` in it to see more.`);
  return "failed";
}

async function initialize(project: ProjectOptions, { screen }: PrepareOptions, run: RunOptions): Promise<void> {
  const outcome = await createRepository(`Start from create-mcp-server ${project.version}`, run);
  const problem = describeRepository(outcome);
  if (problem !== undefined) screen.warn(problem);
}

function describeRepository(outcome: RepositoryOutcome): string | undefined {
  switch (outcome.kind) {
    case "committed":
    case "inside":
      return undefined;
    case "initialized":
      return "git does not know your name and e-mail yet, so nothing was committed. Run `git commit` when it does.";
    case "failed":
      return `${outcome.step} failed:\n${lastLines(outcome.outcome)}\nThe project itself is complete. Run it by hand.`;
    default:
      return outcome satisfies never;
  }
}
