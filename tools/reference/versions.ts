import type { Declaration, Method } from "../../generator/model.ts";

/** Revision, or the only version of an extension, as the pages compare it. */
export interface Version {
  /** Date of the revision; empty for an extension. */
  readonly id: string;
  readonly declarations: readonly Declaration[];
  readonly methods: readonly Method[];
}

/** A value at one version. */
export interface Versioned<Value> {
  readonly version: Version;
  readonly value: Value;
}

/** Consecutive versions with equal values. */
export interface Run<Value> {
  /** Value at the newest of the versions. */
  readonly value: Value;
  readonly versions: readonly Version[];
}

/** Groups consecutive versions whose values have the same text. Returns the newest first. `all` lists every version, oldest first. */
export function runsOf<Value>(
  values: readonly Versioned<Value>[],
  all: readonly Version[],
  toText: (value: Value) => string,
): Run<Value>[] {
  const runs: Run<Value>[] = [];
  for (const { version, value } of values) {
    const last = runs.at(-1);
    const follows = last && all.indexOf(version) === all.indexOf(last.versions.at(-1) ?? version) + 1;
    if (follows && toText(last.value) === toText(value))
      runs.splice(-1, 1, { value, versions: [...last.versions, version] });
    else runs.push({ value, versions: [version] });
  }
  return runs.reverse();
}

/** Returns some of all versions as a text: `all`, `since …`, `… to …`. It is empty if there is only one version. */
export function spanText(versions: readonly Version[], all: readonly Version[]): string {
  if (all.length < 2) return "";
  if (versions.length === all.length) return "all";
  const spans = runsOf(
    versions.map((version) => ({ version, value: "" })),
    all,
    String,
  ).reverse();
  return spans.map((run) => oneSpan(run.versions, all)).join(", ");
}

function oneSpan(versions: readonly Version[], all: readonly Version[]): string {
  const [first, last] = [versions[0]?.id ?? "", versions.at(-1)?.id ?? ""];
  if (first === last) return first;
  return last === all.at(-1)?.id ? `since ${first}` : `${first} to ${last}`;
}
