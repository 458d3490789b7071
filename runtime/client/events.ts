import type { ListKind } from "../protocol/methods/list-kinds.ts";

/** Events of a client's connection. */
export type ClientEvent =
  /** Loss of the connection; `reason` is absent if it closed without an error. */
  | { readonly kind: "disconnected"; readonly reason: Error | undefined }
  /** Announcement of another attempt after `delay` milliseconds; the first is attempt 1. */
  | { readonly kind: "reconnecting"; readonly attempt: number; readonly delay: number }
  /** Failure of the attempt with this number. */
  | { readonly kind: "reconnectFailed"; readonly attempt: number; readonly error: Error }
  /** Opening of a new session. The server lost the state of the old one, and the client requested it again. */
  | { readonly kind: "reconnected" }
  /** Interruption of notifications of changes, although the connection is open. Cached lists and resources are dropped. */
  | { readonly kind: "notificationsLost"; readonly reason: Error | undefined }
  /** Resumption of notifications of changes. Changes in between are not reported: read again what matters. */
  | { readonly kind: "hearing" }
  /** Failure to obtain or restore a subscription, the log level or list notifications. */
  | { readonly kind: "restoreFailed"; readonly what: RestoredState; readonly error: Error }
  /** Missing response to a ping; `failures` counts missing responses in a row. */
  | { readonly kind: "pingFailed"; readonly failures: number; readonly error: Error }
  /** End of the session: no further connection follows. `reason` is absent after an orderly end. */
  | { readonly kind: "closed"; readonly reason: Error | undefined };

/** State a client requests from a server, and requests again in a new session. */
export type RestoredState =
  | { readonly kind: "logLevel"; readonly level: string }
  | { readonly kind: "subscription"; readonly uri: string }
  | { readonly kind: "listChanges"; readonly list: ListKind };
