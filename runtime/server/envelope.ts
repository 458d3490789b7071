import type { Revision } from "../../generated/support.ts";

/** What results of a revision carry besides their content. */
export interface Envelope {
  readonly result: object;
  /** For lists and reads, which clients may keep. */
  readonly cacheable: object;
}

/**
 * Where each request stands alone, results say that they are complete and how long they may be kept: not at all, unless the
 * handler says otherwise.
 */
export function createEnvelope(revision: Revision): Envelope {
  const result = revision.resultTypes ? { resultType: revision.resultTypes.absentMeans } : {};
  const caching = revision.lifecycle === "per-request" ? { ttlMs: 0, cacheScope: "private" } : {};
  return { result, cacheable: { ...result, ...caching } };
}
