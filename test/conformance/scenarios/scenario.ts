import type { RevisionId } from "../../wire/script.ts";
import { findDifference } from "./difference.ts";

/** Side of the protocol that a scenario tests. */
export type Side = "server" | "client";

/** Part of the specification that a scenario proves. */
export interface Clause {
  /** Revision and page, with the heading: `2025-06-18/basic/transports#protocol-version-header`. */
  readonly page: string;
  /** Number of the proposal (SEP) that brought it. */
  readonly sep?: number;
}

/** Facts about a scenario. */
export interface ScenarioFacts {
  /** Name in a branch of the suite or in one of its issues; otherwise one in their style. */
  readonly id: string;
  readonly side: Side;
  /** Revisions that the clause is about. */
  readonly revisions: readonly RevisionId[];
  readonly clause: Clause;
  /** Sentence below the results. */
  readonly note?: string;
}

/** Scenario that the published suite does not have: messages to one side of the protocol, and what has to come back. */
export interface Scenario<Subject> extends ScenarioFacts {
  readonly run: (subject: Subject) => Promise<void>;
}

/** Records whether a value has the expected members. Other members are not compared, and `undefined` is expected to be absent. */
export type CheckValue = (name: string, found: unknown, expected: unknown) => void;

/** Facts that every scenario gets. */
export interface Scene {
  readonly revision: RevisionId;
  readonly check: CheckValue;
  /** Registers a function that is called when the scenario has ended; the last one is called first. */
  readonly onEnd: (end: () => unknown) => void;
}

/** Check of a scenario. */
export interface Check {
  readonly name: string;
  /** Difference between the expected and the found value; absent when the check has passed. */
  readonly difference?: string;
}

/** Outcome of a scenario at a revision. */
export interface Outcome {
  readonly id: string;
  readonly side: Side;
  readonly revision: RevisionId;
  readonly checks: readonly Check[];
}

/** Runs a scenario at one of its revisions. An error is a check that has failed. */
export async function runScenario<Subject>(
  scenario: Scenario<Subject>,
  revision: RevisionId,
  toSubject: (scene: Scene) => Subject,
): Promise<Outcome> {
  const checks: Check[] = [];
  const ends: (() => unknown)[] = [];
  const check: CheckValue = (name, found, expected) => {
    const difference = findDifference(found, expected);
    checks.push(difference === undefined ? { name } : { name, difference });
  };
  try {
    await scenario.run(toSubject({ revision, check, onEnd: (end) => ends.push(end) }));
    if (checks.length === 0) checks.push({ name: "the scenario", difference: "nothing was checked" });
  } catch (error) {
    checks.push({ name: "the scenario", difference: String(error instanceof Error ? error.stack : error) });
  } finally {
    for (const end of ends.reverse()) await end();
  }
  return { id: scenario.id, side: scenario.side, revision, checks };
}
