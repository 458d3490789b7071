import type { Awaitable } from "../../generated/support.ts";

/** Revocations shared by the nodes of a cluster. */
export interface RevocationStore {
  /** Keeps a revocation. A repeated one is kept until the later of both times. */
  add(revocation: StoredRevocation): Awaitable<void>;
  /** Returns the unexpired revocations. */
  list(): Awaitable<readonly StoredRevocation[]>;
}

/** Revocation as a store keeps it. */
export interface StoredRevocation {
  /** Name of the principal or token, as text. */
  readonly key: string;
  /** Milliseconds since 1970 after which the revocation may be forgotten. */
  readonly until: number;
}
