import { groupBy, linesOf, type Check, type Violation } from "./call-index.ts";

/** I8: no principal reads what belongs to another, or does anything with the ids of another. */
export const checkPrincipals: Check = ({ history }) => {
  const received = history.filter(({ phase }) => phase !== "call");
  const leaks = received.flatMap(({ principal, id, value = "" }): readonly Violation[] =>
    [...value.matchAll(/canary:(\w*):/g)]
      .filter(([, owner]) => owner !== principal)
      .map(([, owner = ""]) => violation(id, `${principal} has read a text of ${owner}`)),
  );
  const successes = linesOf(history, "stranger", "return").filter(({ outcome }) => outcome === "ok");
  return [...leaks, ...successes.map(({ id, principal }) => violation(id, `${principal} has used an id of another`))];
};

function violation(subject: string, problem: string): Violation {
  return { invariant: "I8", subject, problem };
}

/** I13: a `jti` is accepted once. */
export const checkReplays: Check = ({ history }) =>
  [
    ...groupBy(
      linesOf(history, "jti", "return").filter(({ outcome }) => outcome === "ok"),
      ({ id }) => id,
    ),
  ].flatMap(([id, uses]): readonly Violation[] =>
    uses.length === 1 ? [] : [{ invariant: "I13", subject: id, problem: `it was accepted ${uses.length} times` }],
  );
