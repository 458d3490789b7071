import type { RequestOptions } from "../../protocol/incoming-call.ts";
import { findRow } from "../../protocol/method-rows.ts";
import type { ClientConnection } from "../connect.ts";
import type { SessionCallOptions } from "./session.ts";

/** How a request is made, in one round or more. */
export interface CoreCallOptions extends SessionCallOptions {
  /** Makes the request of each round. Default: just so. */
  readonly around?: (send: () => Promise<unknown>) => Promise<unknown>;
}

/** As it is made by default. */
export const sendOnce: NonNullable<CoreCallOptions["around"]> = (send) => send();

/** Sends the request with this handler name, at whatever revision the connection has. */
export function requestOf(
  connection: ClientConnection,
  handler: string,
  params: unknown,
  options?: RequestOptions,
): Promise<unknown> {
  const { revision } = connection;
  const row = findRow(revision.clientRequests, handler);
  if (row) return connection.request(row, params, options);
  return Promise.reject(new Error(`Revision ${revision.id}, which this server speaks, has no ${handler} requests.`));
}

/** Handlers of requests that change nothing: answering them twice is as good as once. */
export const safeHandlers: ReadonlySet<string> = new Set([
  "ping",
  "complete",
  "getPrompt",
  "listPrompts",
  "listResources",
  "listResourceTemplates",
  "readResource",
  "listTools",
  "getTask",
  "getTaskPayload",
  "listTasks",
]);
