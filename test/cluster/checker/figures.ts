import type { Evidence } from "../history.ts";
import { findResponses, indexEvidence } from "./call-index.ts";
import { checkInputRequests, isAbandoned } from "./calls.ts";
import { checkAcknowledged, countPositions } from "./streams.ts";

/** Numbers of a run. All but the first three are 0 unless something is broken. */
export interface Figures {
  readonly calls: number;
  /** Events with different ids. */
  readonly events: number;
  /** Events that came again, on another connection. */
  readonly repeated: number;
  readonly lost: number;
  /** Events that came twice on one connection, or with two contents. */
  readonly doubled: number;
  readonly outOfOrder: number;
  /** Calls whose stream was still read, but without a response. */
  readonly withoutResponse: number;
  readonly withTwoResponses: number;
  readonly wrongQuestions: number;
}

/** Counts what a run has done. */
export function countFigures(evidence: Evidence): Figures {
  const indexed = indexEvidence(evidence);
  const responses = indexed.calls.map((call) => ({ call, count: findResponses(call).length }));
  const settings = { slack: 0, permanentKeys: /^$/ };
  const { lost, ...positions } = countPositions(evidence.history);
  return {
    calls: indexed.calls.length,
    ...positions,
    lost: lost + checkAcknowledged(indexed, settings).length,
    withoutResponse: responses.filter(
      ({ call, count }) => count === 0 && !isAbandoned(call, indexed) && hasEventIds(call),
    ).length,
    withTwoResponses: responses.filter(({ count }) => count > 1).length,
    wrongQuestions: checkInputRequests(indexed, settings).length,
  };
}

function hasEventIds({ events }: { readonly events: readonly { readonly event?: string }[] }): boolean {
  return events.some(({ event }) => event !== undefined);
}
