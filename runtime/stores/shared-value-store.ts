import type { Awaitable } from "../../generated/support.ts";

/** Secret texts shared by the nodes of a cluster, such as credentials. The store encrypts them. */
export interface SharedValueStore {
  get(key: string): Awaitable<string | undefined>;
  /** @param milliseconds - time after which the value may be forgotten */
  set(key: string, value: string, milliseconds: number): Awaitable<void>;
  delete(key: string): Awaitable<void>;
  /** Begins or extends the exclusive use of a key by a holder. Returns `false` while another holder has it. */
  lock(key: string, lease: ValueLease): Awaitable<boolean>;
  /** Ends the exclusive use of a key, if this holder has it. */
  unlock(key: string, holder: string): Awaitable<void>;
}

/** Exclusive use of a key for a time. */
export interface ValueLease {
  /** Text unique to the holder. */
  readonly holder: string;
  readonly milliseconds: number;
}
