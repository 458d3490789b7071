import type { ListKind } from "../protocol/list-kinds.ts";

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
  /** Changes are not told for now, although the connection is there: lists and resources that were kept are forgotten. */
  | { readonly kind: "deaf"; readonly reason: Error | undefined }
  /** Changes are told again. What changed meanwhile is not: read again what matters. */
  | { readonly kind: "hearing" }
  /** Something that the server was asked for could not be had, or not again. */
  | { readonly kind: "restoreFailed"; readonly what: RestoredState; readonly error: Error }
  /** The server did not answer a ping, so many times in a row. */
  | { readonly kind: "pingFailed"; readonly failures: number; readonly error: Error }
  /** There will be no further connection; `reason` is absent after an orderly end. */
  | { readonly kind: "closed"; readonly reason: Error | undefined };

/** What a server is asked for, and asked again by a new session. */
export type RestoredState =
  | { readonly kind: "logLevel"; readonly level: string }
  | { readonly kind: "subscription"; readonly uri: string }
  | { readonly kind: "listChanges"; readonly list: ListKind };
