import type { RequestOptions } from "../../protocol/peer/incoming-call.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import type { ClientConnection } from "../connect.ts";
import type { SessionCallOptions } from "./client-session.ts";

/** Options of a request in one round or more. */
export interface CoreCallOptions extends SessionCallOptions {
  /** Wraps the sending of each round. Default: `sendOnce`. */
  readonly around?: (send: () => Promise<unknown>) => Promise<unknown>;
}

/** Sends a round once: the default of `around`. */
export const sendOnce: NonNullable<CoreCallOptions["around"]> = (send) => send();

/** Sends the request with this handler name at the revision of the connection. Rejects if the revision has no such request. */
export function requestOf(
  connection: ClientConnection,
  handler: string,
  params: unknown,
  options?: RequestOptions,
): Promise<unknown> {
  const { revision } = connection;
  const row = findRow(revision.clientRequests, handler);
  if (row) return connection.request(row, params, options);
  return Promise.reject(new Error(`Revision ${revision.id} of the session has no ${handler} requests`));
}
