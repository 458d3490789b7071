import type { Revision } from "../../generated/support.ts";
import { toCaching, type CacheHint } from "../protocol/cache-hint.ts";

/** What results of a revision carry besides their content. */
export interface Envelope {
  readonly result: { readonly resultType?: string };
  // @part caching
  /** For lists and reads, which clients may keep for as long as the hint says. */
  cacheable(hint?: CacheHint): object;
}

/**
 * Where each request stands alone, results say that they are complete and how long they may be kept: not at all, unless the
 * definition or the handler says otherwise.
 */
export function createEnvelope(revision: Revision): Envelope {
  const result = revision.resultTypes ? { resultType: revision.resultTypes.absentMeans } : {};
  return {
    result,
    // @part caching
    cacheable: (hint) => (revision.lifecycle === "per-request" ? { ...result, ...toCaching(hint) } : result),
  };
}
