import { fail, isObject, under, type Issue, type Revision } from "../../generated/support.ts";

/** Whether the kind of a result is one that the revision knows: others cannot be understood. Without a kind, a result is complete. */
export function checkKind(revision: Revision | undefined, result: unknown): Issue | undefined {
  const known = revision?.resultTypes?.known;
  const kind = isObject(result) ? result.resultType : undefined;
  if (!known || kind === undefined || (typeof kind === "string" && known.includes(kind))) return undefined;
  return under("resultType", fail(known.map((name) => JSON.stringify(name)).join(" or ")));
}
