import { fail, isObject, under, type Issue, type RequestRow, type Revision } from "../../generated/support.ts";

/** Checks that the kind of a result is allowed for this request: others cannot be understood. A result without a kind is complete. */
export function checkKind(revision: Revision | undefined, row: RequestRow, result: unknown): Issue | undefined {
  const always = revision?.resultTypes?.known;
  const kind = isObject(result) ? result.resultType : undefined;
  if (!always || kind === undefined) return undefined;
  const known = row.kinds ? [...always, ...row.kinds] : always;
  if (typeof kind === "string" && known.includes(kind)) return undefined;
  return under("resultType", fail(known.map((name) => JSON.stringify(name)).join(" or ")));
}
