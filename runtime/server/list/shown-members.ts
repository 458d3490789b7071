import type { Revision } from "../../../generated/support.ts";

/** Members sent to clients, for each kind of definition. */
export type ShownMembers = Revision["descriptionMembers"];

/** Returns the members clients receive of the definitions of a server: the ones known to its newest revision, which comes first. */
export function readShown([newest]: readonly Revision[]): ShownMembers {
  return newest?.descriptionMembers ?? {};
}

/**
 * Returns the members of a definition for clients, in the order of the definition. Others are options of the server or fields of a class, which may
 * be secret. Members of a prototype, such as getters, count as well.
 */
export function pickShown(
  definition: object,
  kind: keyof ShownMembers,
  members: ShownMembers,
): Record<string, unknown> {
  const known = members[kind] ?? [];
  const names = [...new Set([...Object.keys(definition), ...known])].filter((name) => known.includes(name));
  const values = names.map((name): [string, unknown] => [name, Reflect.get(definition, name)]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
