import type { Revision } from "../../../generated/support.ts";
import { toCacheMembers, type CacheHint } from "../methods/cache-hint.ts";

/** Members of a revision's results in addition to their content. */
export interface Envelope {
  readonly result: { readonly resultType?: string };
  /** Returns the members for results of lists and reads, which clients may keep for as long as the hint says. */
  cacheable(hint?: CacheHint): object;
}

/**
 * Creates the envelope of a revision. Results of stateless requests say that they are complete and how long clients may keep them:
 * not at all, unless the definition or the handler sets another time.
 */
export function createEnvelope(revision: Revision): Envelope {
  const result = revision.resultTypes ? { resultType: revision.resultTypes.absentMeans } : {};
  return {
    result,
    cacheable: (hint) => (revision.lifecycle === "per-request" ? { ...result, ...toCacheMembers(hint) } : result),
  };
}
