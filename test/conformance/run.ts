import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { createEverythingProject } from "../scaffold/everything-project.ts";
import { startRedis } from "../cluster/processes/redis-process.ts";
import type { ScenarioOutcome } from "./page.ts";
import { startServer, type RunOptions } from "../kit/programs.ts";
import { installSuite, listScenarios, runSuite, type Check, type ErrorReport, type Suite } from "./suite.ts";
import { writeRun, writeScenarios } from "./write-page.ts";

/* `npm run test:conformance -- [options]`: runs the official conformance suite on the example as a scaffolded project. */

const chosen = yargs(hideBin(process.argv))
  .usage("npm run test:conformance -- [options]")
  .option("page", { type: "boolean", describe: "Write docs/conformance.md as well" })
  .option("scenarios", {
    type: "boolean",
    describe: "Run only the scenarios that the suite does not have, and write their section of docs/conformance.md",
  })
  .option("cluster", {
    type: "boolean",
    describe: "Test three nodes behind a balancer that sends each request to the next one",
  })
  .parserConfiguration({ "unknown-options-as-args": true })
  .check(({ _: [unknown] }) => {
    if (unknown === undefined) return true;
    throw new Error(`The argument ${unknown} is unknown; give --page, --scenarios or --cluster`);
  })
  .version(false)
  .parseSync();

/** One side at one revision, and how many scenarios there are: fewer would prove less. */
interface Leg {
  readonly side: "server" | "client";
  readonly revision: string;
  readonly count: number;
  /** Transport of the server. Default: all, at one endpoint. */
  readonly served?: string;
  /** Extensions belong to no revision, and run on the wire of any. */
  readonly isExtension?: boolean;
  /** Scenarios that are about something that this revision does not have. */
  readonly left?: RegExp;
}

const legs: readonly Leg[] = [
  { side: "server", revision: "2026-07-28", count: 40 },
  { side: "server", revision: "2025-11-25", count: 33 },
  // The suite offers newer revisions even here, so the server must know none.
  { side: "server", revision: "2025-06-18", count: 27, served: "2025-06-18" },
  { side: "server", revision: "2025-03-26", count: 1, served: "2025-03-26" },
  { side: "client", revision: "2026-07-28", count: 33 },
  { side: "client", revision: "2025-11-25", count: 19 },
  { side: "client", revision: "2025-06-18", count: 5 },
  { side: "client", revision: "2025-03-26", count: 2 },
  { side: "server", revision: "2026-07-28", count: 12, isExtension: true },
  // Tasks are an extension of the newest revision only: this one has its own.
  { side: "server", revision: "2025-11-25", count: 3, isExtension: true, left: /^tasks-/ },
  { side: "client", revision: "2026-07-28", count: 10, isExtension: true },
  { side: "client", revision: "2025-11-25", count: 10, isExtension: true },
];

/** Program that the suite tests. */
interface Subject {
  readonly name: string;
  /** Command line of a server over HTTP for these revisions; default: all. */
  readonly server: (served: string | undefined) => Promise<readonly string[]>;
  /** Program of the client; absent where only the server differs. */
  readonly client?: () => Promise<string>;
}

/** A scenario that the suite itself always skips: it proves nothing. */
const undecided = "tasks-status-notifications";

interface Judgement {
  readonly scenario: string;
  readonly successes: number;
  /** Nothing but successes will do: a warning is a failure, and so is a scenario that proves nothing. */
  readonly problems: readonly string[];
}

const root = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "conformance-projects-"));
const options: RunOptions = {
  cwd: root,
  signal: AbortSignal.timeout(1_800_000),
  // The suite is started a hundred times, and compiling it is a third of each start.
  env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") },
};

try {
  process.exitCode = (await runSubjects()) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function runSubjects(): Promise<boolean> {
  if (chosen.scenarios) return writeScenarios();
  if (!chosen.cluster) return runLegs(createProjects(), legs);
  return runOnCluster();
}

async function runOnCluster(): Promise<boolean> {
  const redis = await startRedis();
  try {
    const main = join("test", "cluster", "processes", "main.ts");
    const cluster: Subject = {
      name: "cluster",
      server: async () => ["--import", "tsx", main, "--engine", redis.url, "--nodes", "3"],
    };
    return await runLegs(
      cluster,
      legs.filter(({ side, served }) => side === "server" && served === undefined),
    );
  } finally {
    await redis.close();
  }
}

/** The example as a scaffolded project: what users run is made by the same steps. Which revisions it serves is decided when it is made. */
function createProjects(): Subject {
  const projects = new Map<string, ReturnType<typeof createEverythingProject>>();
  const make = (protocol = "all"): ReturnType<typeof createEverythingProject> => {
    const made = projects.get(protocol) ?? createEverythingProject(join(folder, protocol), { protocol });
    projects.set(protocol, made);
    return made;
  };
  return {
    name: "project",
    server: async (served) => [(await make(served)).server, "--http", "0"],
    client: async () => (await make()).client,
  };
}

/** Both sides at once: neither uses what the other does. */
async function runLegs(subject: Subject, tried: readonly Leg[]): Promise<boolean> {
  const suite = await installSuite({ ...options, cwd: import.meta.dirname });
  const runSide = (side: Leg["side"]): Promise<readonly ScenarioOutcome[]> =>
    runInTurn(
      suite,
      subject,
      tried.filter((leg) => leg.side === side),
    );
  const outcomes = (await Promise.all([runSide("server"), runSide("client")])).flat();
  const passed = outcomes.filter(({ hasPassed }) => hasPassed).length;
  console.log(`${passed} passed, ${outcomes.length - passed} failed`);
  const hasPassed = passed === outcomes.length;
  if (!chosen.page) return hasPassed;
  const date = new Date().toISOString().slice(0, 10);
  const run = { date, suite: suite.version, node: process.versions.node, outcomes };
  return (await writeRun(run)) && hasPassed;
}

async function runInTurn(suite: Suite, subject: Subject, tried: readonly Leg[]): Promise<readonly ScenarioOutcome[]> {
  const all: ScenarioOutcome[] = [];
  for (const leg of tried) {
    const judgements = await (leg.side === "server" ? judgeServer : judgeClient)(suite, subject, leg);
    for (const judgement of judgements) print(subject, leg, judgement);
    const { side, revision, isExtension = false } = leg;
    const facts = { side, revision, isExtension };
    all.push(
      ...judgements.map(({ scenario, successes, problems }) => ({
        ...{ ...facts, scenario, successes },
        hasPassed: problems.length === 0,
      })),
    );
  }
  return all;
}

async function judgeServer(suite: Suite, subject: Subject, leg: Leg): Promise<readonly Judgement[]> {
  const { scenarios, isAll } = await expectScenarios(suite, leg);
  const server = await startServer(await subject.server(leg.served), options);
  try {
    if (leg.isExtension) return await judgeExtensions(suite, { url: server.url, scenarios, revision: leg.revision });
    const args = ["server", "--url", server.url, "--suite", "all", "--spec-version", leg.revision];
    const report = await runSuite(suite, args, options);
    const judgements = scenarios.map((scenario) => judge(scenario, report.checks.get(`server-${scenario}`)));
    // The suite's exit code is about all scenarios.
    return isAll && isClean(judgements) && report.code !== 0
      ? [...judgements, { ...toExit(report), scenario: "(all)" }]
      : judgements;
  } finally {
    await server.stop();
  }
}

/** The suite runs extensions by name only. */
async function judgeExtensions(
  suite: Suite,
  {
    url,
    scenarios,
    revision,
  }: { readonly url: string; readonly scenarios: readonly string[]; readonly revision: string },
): Promise<readonly Judgement[]> {
  const judgements: Judgement[] = [];
  for (const scenario of scenarios) {
    const args = ["server", "--url", url, "--scenario", scenario, "--spec-version", revision, "--force"];
    const report = await runSuite(suite, args, options);
    judgements.push(toJudgement(scenario, report.checks.get(`server-${scenario}`), report));
  }
  return judgements;
}

/** One scenario at a time: only then does the suite look at how the client exits. */
async function judgeClient(suite: Suite, subject: Subject, leg: Leg): Promise<readonly Judgement[]> {
  const judgements: Judgement[] = [];
  if (!subject.client) throw new Error(`The subject ${subject.name} has no client; leave the legs of clients out`);
  // The suite cuts the command at blanks, so no path in it may have any.
  const node = process.execPath.includes(" ") ? "node" : process.execPath;
  const command = `${node} ${await subject.client()}`;
  const { scenarios } = await expectScenarios(suite, leg);
  for (const scenario of scenarios) {
    const force = leg.isExtension ? ["--force"] : [];
    const args = ["client", "--command", command, "--scenario", scenario, "--spec-version", leg.revision, ...force];
    const report = await runSuite(suite, args, options);
    judgements.push(toJudgement(scenario, report.checks.get(scenario), report));
  }
  return judgements;
}

interface Expected {
  readonly scenarios: readonly string[];
  /** None was left out. */
  readonly isAll: boolean;
}

async function expectScenarios(suite: Suite, leg: Leg): Promise<Expected> {
  const listed = await listScenarios(suite, leg, options);
  const scenarios = listed.filter((name) => name !== undecided && !leg.left?.test(name));
  if (scenarios.length === leg.count) return { scenarios, isAll: scenarios.length === listed.length };
  throw new Error(
    `The suite has ${scenarios.length} ${leg.side} scenarios for ${leg.revision} instead of ${leg.count}.`,
  );
}

function judge(scenario: string, checks: readonly Check[] = []): Judgement {
  const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  const problems = bad.map(({ id, status, errorMessage = "" }) => `${status} ${id} ${errorMessage}`);
  const successes = checks.filter(({ status }) => status === "SUCCESS").length;
  if (successes === 0) problems.push("nothing was proven");
  return { scenario, successes, problems };
}

/** Returns the failed checks, or without any, the end of the suite. */
function toJudgement(scenario: string, checks: readonly Check[] | undefined, report: ErrorReport): Judgement {
  const judgement = judge(scenario, checks);
  return isClean([judgement]) && report.code !== 0 ? { ...toExit(report), scenario } : judgement;
}

function isClean(judgements: readonly Judgement[]): boolean {
  return judgements.every(({ problems }) => problems.length === 0);
}

function toExit({ code, output }: ErrorReport): Omit<Judgement, "scenario"> {
  return { successes: 0, problems: [`the suite exited with ${code} and said:\n${output}`] };
}

function print({ name }: Subject, { side, revision }: Leg, { scenario, successes, problems }: Judgement): void {
  const mark = problems.length === 0 ? "passed" : "FAILED";
  console.log(
    `${mark}  ${name.padEnd(10)}  ${side} ${revision}  ${scenario.padEnd(36)} ${String(successes).padStart(2)} checks`,
  );
  for (const problem of problems) console.log(`        ${problem}`);
}
