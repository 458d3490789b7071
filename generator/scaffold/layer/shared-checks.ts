import type { CheckFunction } from "../../emit/check-text.ts";

/** Checks of one revision. */
export interface RevisionChecks<Check extends CheckFunction = CheckFunction> {
  readonly revision: string;
  readonly functions: readonly Check[];
}

/** Checks of one revision, some of them shared with newer revisions. */
export interface SharedChecks<Check extends CheckFunction = CheckFunction> extends RevisionChecks<Check> {
  /** Names of the checks taken from newer revisions, by the id of the revision. */
  readonly shared: ReadonlyMap<string, readonly string[]>;
}

/**
 * Removes a check if it and all checks called by it equal the ones of a newer revision. The revisions are sorted newest first, and each check stays
 * in the newest revision that has it.
 */
export function shareChecks<Check extends CheckFunction>(
  revisions: readonly RevisionChecks<Check>[],
): readonly SharedChecks<Check>[] {
  const owners: Owner[] = [];
  return revisions.map(({ revision, functions }) => {
    const checks = new Map(functions.map((check) => [check.name, check]));
    const shared = new Map<string, readonly string[]>();
    const own = new Set(checks.keys());
    for (const owner of owners) {
      const equal = [...own].filter((name) => owner.own.has(name) && isEqual(name, [checks, owner.checks]));
      if (equal.length > 0) shared.set(owner.revision, equal);
      for (const name of equal) own.delete(name);
    }
    owners.push({ revision, checks, own });
    return { revision, functions: functions.filter(({ name }) => own.has(name)), shared };
  });
}

type Checks = ReadonlyMap<string, CheckFunction>;

/** Revision older ones may take checks from. */
interface Owner {
  readonly revision: string;
  /** Every check of the revision. */
  readonly checks: Checks;
  /** Names of the checks it does not take from newer revisions. */
  readonly own: ReadonlySet<string>;
}

/** Compares recursively. A check already being compared counts as equal; otherwise recursive checks would never end. */
function isEqual(
  name: string,
  [own, other]: readonly [Checks, Checks],
  open: ReadonlySet<string> = new Set(),
): boolean {
  if (open.has(name)) return true;
  const check = own.get(name);
  if (!check || check.text !== other.get(name)?.text) return false;
  return check.calls.every((called) => isEqual(called, [own, other], new Set([...open, name])));
}
