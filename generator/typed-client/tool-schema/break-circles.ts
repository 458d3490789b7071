import { note, type Reading } from "./reading.ts";
import type { SafeSchema } from "./safe-schema.ts";

/**
 * Removes references by which a definition refers to itself directly. Such a schema restricts nothing, and following it would never end. Recursion
 * through properties and items stays.
 */
export function breakCircles(reading: Reading): Map<string, SafeSchema> {
  const { definitions } = reading;
  const direct = new Map([...definitions].map(([name, schema]) => [name, sameValueReferences(schema)]));
  const circular = new Map([...definitions.keys()].map((name) => [name, leadingTo(name, direct)]));
  return new Map(
    [...definitions].map(([name, schema]): [string, SafeSchema] => {
      const bad = circular.get(name) ?? new Set();
      if (bad.size > 0)
        note(reading, "removed", `#${name}`, "the definition refers to itself; the reference is ignored");
      return [name, bad.size === 0 ? schema : withoutReferences(schema, bad)];
    }),
  );
}

/** Definitions that apply to the same value. */
function sameValueReferences({ reference, anyOf, oneOf, allOf }: SafeSchema): string[] {
  const inner = [...anyOf, ...oneOf, ...allOf].flatMap(sameValueReferences);
  return reference === undefined ? inner : [reference, ...inner];
}

/** Returns the definitions one refers to, as far as they lead back to it. */
function leadingTo(name: string, direct: ReadonlyMap<string, readonly string[]>): Set<string> {
  return new Set((direct.get(name) ?? []).filter((next) => reaches(next, name, direct)));
}

function reaches(start: string, goal: string, direct: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set([start]);
  for (const name of seen) {
    if (name === goal) return true;
    for (const next of direct.get(name) ?? []) seen.add(next);
  }
  return false;
}

function withoutReferences(schema: SafeSchema, bad: ReadonlySet<string>): SafeSchema {
  const { reference, ...rest } = schema;
  const clean = (list: readonly SafeSchema[]): SafeSchema[] => list.map((one) => withoutReferences(one, bad));
  return {
    ...rest,
    ...(reference !== undefined && !bad.has(reference) && { reference }),
    anyOf: clean(schema.anyOf),
    oneOf: clean(schema.oneOf),
    allOf: clean(schema.allOf),
  };
}
