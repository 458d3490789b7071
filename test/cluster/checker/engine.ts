import { hasFault, linesOf, type Check, type Violation } from "./call-index.ts";

/** Milliseconds within which a request is rejected that needs an engine that is lost. */
const rejectionTime = 1_100;

/** I14: without its engine a node rejects requests in time, with a status that says so, and no promise is forgotten. */
export const checkDegraded: Check = (evidence, { slack }) => {
  const begins = new Map(linesOf(evidence.history, "call", "call").map(({ id, t }) => [id, t]));
  const rejected = linesOf(evidence.history, "call", "return").filter(
    ({ outcome, status = 0 }) => outcome === "fail" && status >= 500,
  );
  const late = rejected.flatMap(({ id, t, status, value = "" }): readonly Violation[] => {
    const from = begins.get(id) ?? t;
    const isLost = hasFault(evidence, [from, t], ({ target }) => target === "engine");
    const hasOther = hasFault(evidence, [from, t], ({ target }) => target !== "engine");
    if (!isLost || hasOther || value.includes("No node accepts connections")) return [];
    const found: Violation[] = [];
    if (status !== 503) found.push(violation(id, `the status is ${status}, not 503`));
    if (t - from > rejectionTime + slack) found.push(violation(id, `the rejection took ${t - from} ms`));
    return found;
  });
  const unhandled = evidence.effects.filter(({ kind }) => kind === "unhandled");
  return [
    ...late,
    ...unhandled.map(({ node, value = "" }) => violation(node, `a rejection was not handled: ${value}`)),
  ];
};

function violation(subject: string, problem: string): Violation {
  return { invariant: "I14", subject, problem };
}

/** I15: at the end there are leases of living nodes only, no keys without an expiry, and no session that its client has ended. */
export const checkRemains: Check = ({ history, calls, engineState }, { permanentKeys }) => {
  const endedAt = new Map(
    linesOf(history, "end", "return")
      .filter(({ outcome }) => outcome === "ok")
      .map(({ id, t }) => [id, t]),
  );
  const served = calls.filter(
    ({ calls: [first], returns }) =>
      first !== undefined &&
      first.t > (endedAt.get(first.session ?? "") ?? Number.POSITIVE_INFINITY) &&
      returns.some(({ outcome }) => outcome === "ok"),
  );
  const remains = (subject: string, problem: string): Violation => ({ invariant: "I15", subject, problem });
  const { keysWithoutExpiry = [], leases = 0, livingNodes = leases, keysOfEnded = [] } = engineState ?? {};
  return [
    ...served.map(({ key }) => remains(key, "the session was served after its end")),
    ...keysWithoutExpiry.filter((key) => !permanentKeys.test(key)).map((key) => remains(key, "the key has no expiry")),
    ...keysOfEnded.map((key) => remains(key, "the key has outlived its session")),
    ...(leases > livingNodes ? [remains("leases", `there are ${leases} leases of ${livingNodes} living nodes`)] : []),
  ];
};
