import { isObject, type Revision } from "../../generated/support.ts";

/** Members that a runtime acts upon and that not every revision has: a declaration, and the way from it. */
export type KnownMember =
  | "Result.resultType"
  | "CacheableResult.ttlMs"
  | "CacheableResult.cacheScope"
  | "CompleteRequest.params.context"
  | "Tool.annotations"
  | "Tool.execution"
  | "Tool.outputSchema";

/** A member of a value from the peer, where the revision that the peer speaks has it. Elsewhere it means nothing. */
export function readKnownMember(value: unknown, member: KnownMember, { knownMembers }: Revision): unknown {
  return isObject(value) && knownMembers.includes(member) ? value[nameOf(member)] : undefined;
}

/**
 * A result without the members of its envelope that the revision does not have: another revision would act upon them.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/index#resulttype
 */
export function withoutUnknownMembers(result: unknown, { knownMembers }: Revision): unknown {
  if (!isObject(result) || !envelope.some(({ name }) => name in result)) return result;
  const unknown = envelope.filter(({ member, name }) => name in result && !knownMembers.includes(member));
  return unknown.length === 0 ? result : omit(result, ...unknown.map(({ name }) => name));
}

/** An object without some of its members. */
export function omit(value: Readonly<Record<string, unknown>>, ...names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

const envelope = (["Result.resultType", "CacheableResult.ttlMs", "CacheableResult.cacheScope"] as const).map(
  (member) => ({ member, name: nameOf(member) }),
);

function nameOf(member: KnownMember): string {
  return member.slice(member.lastIndexOf(".") + 1);
}
