import { table } from "../../../tools/reference/markdown.ts";
import { revisionIds } from "../../wire/script.ts";
import type { Clause, Outcome, ScenarioFacts, Side } from "./scenario.ts";

/** Heading of the section in docs/conformance.md. */
export const heading = "## Scenarios that the suite does not have yet";

/** Renders the section about the scenarios of this project: the number of checks that passed, by scenario and revision. */
export function renderSection(scenarios: readonly ScenarioFacts[], outcomes: readonly Outcome[]): string {
  const passed = outcomes.filter(hasPassed).length;
  const checks = outcomes.flatMap(({ checks: all }) => all).filter(({ difference }) => difference === undefined).length;
  return `${heading}

Branches and issues of the suite have further scenarios, which no published version contains. \`npm test\` runs them as described there and in the specification: raw requests over HTTP to
the example with every feature and to servers that require tokens, and the client with servers that follow a script. **${passed} of ${outcomes.length} pass**, with ${checks} checks.

A cell has the number of checks that passed. An empty cell is a revision that the clause is not about.

### Server scenarios

${renderTable("server", scenarios, outcomes)}

### Client scenarios

${renderTable("client", scenarios, outcomes)}

### Notes

${renderNotes(scenarios)}
`;
}

/** True if no check has failed. */
export function hasPassed({ checks }: Outcome): boolean {
  return checks.every(({ difference }) => difference === undefined);
}

function renderTable(side: Side, scenarios: readonly ScenarioFacts[], outcomes: readonly Outcome[]): string {
  const own = scenarios.filter((scenario) => scenario.side === side);
  const rows = [...new Set(own.map(({ id }) => id))].map((id) => {
    const cells = revisionIds.map((revision) =>
      renderCell(outcomes.find((one) => one.id === id && one.side === side && one.revision === revision)),
    );
    const clauses = own.filter((one) => one.id === id).map(({ clause }) => renderClause(clause));
    return [id, ...cells, clauses.join(", ")];
  });
  return table(["scenario", ...revisionIds, "clause"], rows);
}

function renderCell(outcome: Outcome | undefined): string {
  if (!outcome) return "";
  return hasPassed(outcome) ? String(outcome.checks.length) : "**failed**";
}

function renderClause({ page, sep }: Clause): string {
  const [revision = ""] = page.split("/");
  const link = `[${revision}](https://modelcontextprotocol.io/specification/${page})`;
  return sep === undefined ? link : `${link} (SEP-${sep})`;
}

function renderNotes(scenarios: readonly ScenarioFacts[]): string {
  const notes = scenarios.flatMap(({ id, side, note }) => (note === undefined ? [] : [`- ${id} (${side}): ${note}`]));
  return notes.join("\n");
}
