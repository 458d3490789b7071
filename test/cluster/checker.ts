import { groupBy, indexEvidence, type Check, type CheckOptions, type Violation } from "./checker/call-index.ts";
import {
  checkCancellation,
  checkDelays,
  checkErrors,
  checkInputRequests,
  checkResponses,
  checkResults,
  checkStarts,
} from "./checker/calls.ts";
import { checkDegraded, checkRemains } from "./checker/engine.ts";
import { checkLevels, checkNotifications } from "./checker/notifications.ts";
import { checkPrincipals, checkReplays } from "./checker/principals.ts";
import { checkAcknowledged, checkStreams } from "./checker/streams.ts";
import { checkSteps, checkTasks } from "./checker/tasks.ts";
import type { Evidence } from "./history.ts";

export type { CheckOptions, Violation } from "./checker/call-index.ts";

const checks: readonly Check[] = [
  checkStreams,
  checkAcknowledged,
  checkResponses,
  checkErrors,
  checkResults,
  checkStarts,
  checkInputRequests,
  checkCancellation,
  checkDelays,
  checkPrincipals,
  checkTasks,
  checkSteps,
  checkNotifications,
  checkLevels,
  checkReplays,
  checkDegraded,
  checkRemains,
];

/** Finds what a history and the effects of tools show to be broken. It knows nothing of the product but its protocol. */
export function findViolations(evidence: Evidence, options: Partial<CheckOptions> = {}): readonly Violation[] {
  const indexed = indexEvidence(evidence);
  const settings: CheckOptions = { slack: 0, permanentKeys: /^$/, ...options };
  return checks.flatMap((check) => check(indexed, settings));
}

/** Text of violations for the failure of a test: the first of each invariant, and their number. */
export function describeViolations(violations: readonly Violation[]): string {
  return [...groupBy(violations, ({ invariant }) => invariant)]
    .map(([invariant, found]) => {
      const examples = found.slice(0, 5).map(({ subject, problem }) => `  ${subject}: ${problem}`);
      return [`${invariant}: ${found.length}`, ...examples].join("\n");
    })
    .join("\n");
}
