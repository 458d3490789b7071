/** What happens to the connection of a client. */
export type ClientEvent =
  /** The connection is lost. */
  | { readonly kind: "disconnected"; readonly reason: Error | undefined }
  /** Another attempt follows after `delay` milliseconds; the first is attempt 1. */
  | { readonly kind: "reconnecting"; readonly attempt: number; readonly delay: number }
  /** The attempt failed. */
  | { readonly kind: "reconnectFailed"; readonly attempt: number; readonly error: Error }
  /** A new session is open: what the server kept of the old one is gone, and has been asked for again. */
  | { readonly kind: "reconnected" }
  /** Something of the old session could not be had again. */
  | { readonly kind: "restoreFailed"; readonly what: Restored; readonly error: Error }
  /** The server did not answer a ping, so many times in a row. */
  | { readonly kind: "pingFailed"; readonly failures: number; readonly error: Error }
  /** There will be no further connection; `reason` is absent after an orderly end. */
  | { readonly kind: "closed"; readonly reason: Error | undefined };

/** What a new session is asked for again. */
export type Restored =
  { readonly kind: "logLevel"; readonly level: string } | { readonly kind: "subscription"; readonly uri: string };
