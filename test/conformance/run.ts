import { join } from "node:path";
import { startServer, type RunOptions } from "./process.ts";
import { installSuite, listScenarios, runSuite, type Check, type Report, type Suite } from "./suite.ts";

/** One side at one revision, and how many scenarios there are: fewer would prove less. */
interface Leg {
  readonly side: "server" | "client";
  readonly revision: string;
  readonly count: number;
}

/** Everything in which no authorization takes part. */
const legs: readonly Leg[] = [
  { side: "server", revision: "2025-11-25", count: 33 },
  { side: "server", revision: "2025-06-18", count: 27 },
  { side: "server", revision: "2025-03-26", count: 1 },
  { side: "client", revision: "2025-11-25", count: 5 },
  { side: "client", revision: "2025-06-18", count: 2 },
];

interface Verdict {
  readonly scenario: string;
  readonly successes: number;
  /** Nothing but successes will do: a warning is a failure, and so is a scenario that proves nothing. */
  readonly problems: readonly string[];
}

const root = join(import.meta.dirname, "..", "..");
const options: RunOptions = { cwd: root, signal: AbortSignal.timeout(240_000) };

process.exitCode = (await runLegs()) ? 0 : 1;

async function runLegs(): Promise<boolean> {
  const suite = await installSuite({ ...options, cwd: import.meta.dirname });
  let passed = 0;
  let failed = 0;
  for (const leg of legs) {
    const verdicts = await (leg.side === "server" ? judgeServer : judgeClient)(suite, leg);
    for (const verdict of verdicts) print(leg, verdict);
    const good = verdicts.filter((verdict) => isClean([verdict])).length;
    passed += good;
    failed += verdicts.length - good;
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0;
}

/** The server speaks only this revision, whatever the suite proposes. */
async function judgeServer(suite: Suite, leg: Leg): Promise<readonly Verdict[]> {
  const scenarios = await expectScenarios(suite, leg);
  const file = join(root, "dist", "examples", "everything", "server.js");
  const server = await startServer([file, "--http", "0", "--protocol", leg.revision], options);
  try {
    const args = ["server", "--url", server.url, "--suite", "all", "--spec-version", leg.revision];
    const report = await runSuite(suite, args, options);
    const verdicts = scenarios.map((scenario) => judge(scenario, report.checks.get(`server-${scenario}`)));
    return isClean(verdicts) && report.code !== 0 ? [...verdicts, { ...toExit(report), scenario: "(all)" }] : verdicts;
  } finally {
    await server.stop();
  }
}

/** One scenario at a time: only then does the suite look at how the client exits. */
async function judgeClient(suite: Suite, leg: Leg): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  // The suite cuts the command at blanks, so no path in it may have any.
  const node = process.execPath.includes(" ") ? "node" : process.execPath;
  const command = `${node} dist/examples/everything/client.js`;
  for (const scenario of await expectScenarios(suite, leg)) {
    const args = ["client", "--command", command, "--scenario", scenario, "--spec-version", leg.revision];
    const report = await runSuite(suite, args, options);
    const verdict = judge(scenario, report.checks.get(scenario));
    verdicts.push(isClean([verdict]) && report.code !== 0 ? { ...toExit(report), scenario } : verdict);
  }
  return verdicts;
}

async function expectScenarios(suite: Suite, leg: Leg): Promise<readonly string[]> {
  const listed = await listScenarios(suite, leg, options);
  const scenarios = listed.filter((name) => !name.startsWith("auth/"));
  if (scenarios.length === leg.count) return scenarios;
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

function isClean(verdicts: readonly Verdict[]): boolean {
  return verdicts.every(({ problems }) => problems.length === 0);
}

function toExit({ code, output }: Report): Omit<Verdict, "scenario"> {
  return { successes: 0, problems: [`the suite exited with ${code} and said:\n${output}`] };
}

function print({ side, revision }: Leg, { scenario, successes, problems }: Verdict): void {
  const mark = problems.length === 0 ? "passed" : "FAILED";
  console.log(`${mark}  ${side} ${revision}  ${scenario.padEnd(36)} ${String(successes).padStart(2)} checks`);
  for (const problem of problems) console.log(`        ${problem}`);
}
