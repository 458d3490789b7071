import { table } from "../../tools/reference/markdown.ts";

/** Outcome of a scenario. */
export interface ScenarioOutcome {
  readonly side: "server" | "client";
  readonly revision: string;
  readonly isExtension: boolean;
  readonly scenario: string;
  /** Number of checks that passed. */
  readonly successes: number;
  readonly hasPassed: boolean;
}

/** A run of the suite. */
export interface ConformanceRun {
  /** Day of the run: `YYYY-MM-DD`. */
  readonly date: string;
  /** Version of the suite. */
  readonly suite: string;
  /** Version of Node.js that runs the servers and the clients. */
  readonly node: string;
  readonly outcomes: readonly ScenarioOutcome[];
}

/** Renders the page of a run. The cells have the number of checks that passed. */
export function renderPage({ date, suite, node, outcomes }: ConformanceRun): string {
  const passed = outcomes.filter(({ hasPassed }) => hasPassed).length;
  return `# Conformance

<!-- Written by \`npm run docs:conformance\`. Do not edit. -->

Results of the [official conformance suite](https://github.com/modelcontextprotocol/conformance) ${suite}. Run of ${date}, Node.js ${node}.

**${passed} of ${outcomes.length} scenarios pass without a failure and without a warning.** Each scenario runs with the server or the
client of \`examples/everything\` in a project of the command line, built by its own commands. A scenario that proves nothing counts as failed.

The numbers are checks that passed. An empty cell is a scenario that the suite does not have for the revision. \`npm run test:conformance\` repeats the run, and CI does so for every change.

## Server

${renderTable(outcomes, { side: "server", isExtension: false })}

## Client

${renderTable(outcomes, { side: "client", isExtension: false })}

## Extensions of servers

${renderTable(outcomes, { side: "server", isExtension: true })}

## Extensions of clients

${renderTable(outcomes, { side: "client", isExtension: true })}
`;
}

type Part = Pick<ScenarioOutcome, "side" | "isExtension">;

function renderTable(outcomes: readonly ScenarioOutcome[], part: Part): string {
  const own = outcomes.filter(({ side, isExtension }) => side === part.side && isExtension === part.isExtension);
  const revisions = [...new Set(own.map(({ revision }) => revision))].sort().reverse();
  const scenarios = [...new Set(own.map(({ scenario }) => scenario))].sort();
  const rows = scenarios.map((scenario) => [
    scenario,
    ...revisions.map((revision) =>
      renderCell(own.find((one) => one.scenario === scenario && one.revision === revision)),
    ),
  ]);
  return table(["scenario", ...revisions], rows);
}

function renderCell(outcome: ScenarioOutcome | undefined): string {
  if (!outcome) return "";
  return outcome.hasPassed ? String(outcome.successes) : "**failed**";
}
