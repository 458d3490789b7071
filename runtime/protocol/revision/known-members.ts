import { isObject, type Revision } from "../../../generated/support.ts";

/** Members the runtime acts on, but missing at some revisions, as a declaration and a path from it. */
export type KnownMember =
  | "Result.resultType"
  | "CacheableResult.ttlMs"
  | "CacheableResult.cacheScope"
  | "CompleteRequest.params.context"
  | "Tool.annotations"
  | "Tool.execution"
  | "Tool.outputSchema";

/** Returns a member of a value from the peer, where the peer's revision has it. Elsewhere it has no meaning. */
export function readKnownMember(value: unknown, member: KnownMember, { knownMembers }: Revision): unknown {
  return isObject(value) && knownMembers.includes(member) ? value[nameOf(member)] : undefined;
}

/**
 * Returns a result without the envelope members missing at the revision: another revision would act on them.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#resulttype
 */
export function withoutUnknownMembers(result: unknown, { knownMembers }: Revision): unknown {
  if (!isObject(result)) return result;
  let known = result;
  // Every result passes: a loop creates no list where nothing has to be removed.
  for (const { member, name } of envelope)
    if (result[name] !== undefined && !knownMembers.includes(member)) known = omit(known, name);
  return known;
}

/** Returns an object without some of its members. */
export function omit(value: Readonly<Record<string, unknown>>, ...names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

const envelope = (["Result.resultType", "CacheableResult.ttlMs", "CacheableResult.cacheScope"] as const).map(
  (member) => ({ member, name: nameOf(member) }),
);

function nameOf(member: KnownMember): string {
  return member.slice(member.lastIndexOf(".") + 1);
}
