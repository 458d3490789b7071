import { join } from "node:path";
import { startServer, type RunOptions } from "./process.ts";
import { installSuite, listScenarios, runSuite, type Check, type ErrorReport, type Suite } from "./suite.ts";

/** One side at one revision, and how many scenarios there are: fewer would prove less. */
interface Leg {
  readonly side: "server" | "client";
  readonly revision: string;
  readonly count: number;
  /** What the server is started to speak. Default: everything, at one endpoint. */
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

/** A scenario that the suite itself always skips: it proves nothing. */
const undecided = "tasks-status-notifications";

interface Verdict {
  readonly scenario: string;
  readonly successes: number;
  /** Nothing but successes will do: a warning is a failure, and so is a scenario that proves nothing. */
  readonly problems: readonly string[];
}

const root = join(import.meta.dirname, "..", "..");
const options: RunOptions = { cwd: root, signal: AbortSignal.timeout(900_000) };

process.exitCode = (await runLegs()) ? 0 : 1;

/** Both sides at once: neither uses what the other does. */
async function runLegs(): Promise<boolean> {
  const suite = await installSuite({ ...options, cwd: import.meta.dirname });
  const sides = [legs.filter(({ side }) => side === "server"), legs.filter(({ side }) => side === "client")];
  const verdicts = (await Promise.all(sides.map((side) => runInTurn(suite, side)))).flat();
  const passed = verdicts.filter((verdict) => isClean([verdict])).length;
  console.log(`${passed} passed, ${verdicts.length - passed} failed`);
  return passed === verdicts.length;
}

async function runInTurn(suite: Suite, side: readonly Leg[]): Promise<readonly Verdict[]> {
  const all: Verdict[] = [];
  for (const leg of side) {
    const verdicts = await (leg.side === "server" ? judgeServer : judgeClient)(suite, leg);
    for (const verdict of verdicts) print(leg, verdict);
    all.push(...verdicts);
  }
  return all;
}

async function judgeServer(suite: Suite, leg: Leg): Promise<readonly Verdict[]> {
  const { scenarios, isAll } = await expectScenarios(suite, leg);
  const file = join(root, "dist", "examples", "everything", "server.js");
  const protocol = leg.served === undefined ? [] : ["--protocol", leg.served];
  const server = await startServer([file, "--http", "0", ...protocol], options);
  try {
    if (leg.isExtension) return await judgeExtensions(suite, { url: server.url, scenarios, revision: leg.revision });
    const args = ["server", "--url", server.url, "--suite", "all", "--spec-version", leg.revision];
    const report = await runSuite(suite, args, options);
    const verdicts = scenarios.map((scenario) => judge(scenario, report.checks.get(`server-${scenario}`)));
    // The suite's exit code is about all scenarios.
    return isAll && isClean(verdicts) && report.code !== 0
      ? [...verdicts, { ...toExit(report), scenario: "(all)" }]
      : verdicts;
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
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const scenario of scenarios) {
    const args = ["server", "--url", url, "--scenario", scenario, "--spec-version", revision, "--force"];
    const report = await runSuite(suite, args, options);
    verdicts.push(toVerdict(scenario, report.checks.get(`server-${scenario}`), report));
  }
  return verdicts;
}

/** One scenario at a time: only then does the suite look at how the client exits. */
async function judgeClient(suite: Suite, leg: Leg): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  // The suite cuts the command at blanks, so no path in it may have any.
  const node = process.execPath.includes(" ") ? "node" : process.execPath;
  const command = `${node} dist/examples/everything/client.js`;
  const { scenarios } = await expectScenarios(suite, leg);
  for (const scenario of scenarios) {
    const force = leg.isExtension ? ["--force"] : [];
    const args = ["client", "--command", command, "--scenario", scenario, "--spec-version", leg.revision, ...force];
    const report = await runSuite(suite, args, options);
    verdicts.push(toVerdict(scenario, report.checks.get(scenario), report));
  }
  return verdicts;
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

function judge(scenario: string, checks: readonly Check[] = []): Verdict {
  const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  const problems = bad.map(({ id, status, errorMessage = "" }) => `${status} ${id} ${errorMessage}`);
  const successes = checks.filter(({ status }) => status === "SUCCESS").length;
  if (successes === 0) problems.push("nothing was proven");
  return { scenario, successes, problems };
}

/** What its checks say, and if they find nothing, how the suite ended. */
function toVerdict(scenario: string, checks: readonly Check[] | undefined, report: ErrorReport): Verdict {
  const verdict = judge(scenario, checks);
  return isClean([verdict]) && report.code !== 0 ? { ...toExit(report), scenario } : verdict;
}

function isClean(verdicts: readonly Verdict[]): boolean {
  return verdicts.every(({ problems }) => problems.length === 0);
}

function toExit({ code, output }: ErrorReport): Omit<Verdict, "scenario"> {
  return { successes: 0, problems: [`the suite exited with ${code} and said:\n${output}`] };
}

function print({ side, revision }: Leg, { scenario, successes, problems }: Verdict): void {
  const mark = problems.length === 0 ? "passed" : "FAILED";
  console.log(`${mark}  ${side} ${revision}  ${scenario.padEnd(36)} ${String(successes).padStart(2)} checks`);
  for (const problem of problems) console.log(`        ${problem}`);
}
