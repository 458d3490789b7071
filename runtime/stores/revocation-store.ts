import type { Awaitable } from "../../generated/support.ts";

/** Revocations that the nodes of a cluster share. */
export interface RevocationStore {
  /** Keeps a revocation. A repeated one is kept until the later of both times. */
  add(revocation: StoredRevocation): Awaitable<void>;
  /** Returns the revocations that have not expired. */
  list(): Awaitable<readonly StoredRevocation[]>;
}

/** Revocation as a store keeps it. */
export interface StoredRevocation {
  /** Text that names the principal or token. */
  readonly key: string;
  /** Milliseconds since 1970 after which the revocation may be forgotten. */
  readonly until: number;
}
