import type { RequestRow, Revision } from "../../../generated/support.ts";
import type { RequestOptions } from "../../protocol/peer/incoming-call.ts";
import type { ListenFilter } from "../../protocol/methods/subscription-filter.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import type { TaskParams } from "../../tasks/task-handlers.ts";
import type { ClientConnection } from "../connect.ts";
import type { PageParams } from "../lists/pages.ts";
import type { SessionCallOptions } from "./client-session.ts";

/**
 * Params of the client's requests, by handler name. Sessions add the metadata. No revision is imported here, because the client speaks all of them:
 * `handlers.test-d.ts` compares each name and each member with the `ClientCalls` of every revision. A member of type `object` comes from the user,
 * whose calls are typed by the revision.
 */
export interface ClientRequestParams {
  readonly ping: undefined;
  readonly listTools: PageParams;
  readonly callTool: { readonly name: string; readonly arguments?: object; readonly task?: { readonly ttl?: number } };
  readonly listResources: PageParams;
  readonly listResourceTemplates: PageParams;
  readonly readResource: UriParams;
  readonly subscribe: UriParams;
  readonly unsubscribe: UriParams;
  readonly listPrompts: PageParams;
  readonly getPrompt: { readonly name: string; readonly arguments?: { readonly [name: string]: string } };
  readonly complete: object;
  readonly setLevel: { readonly level: string };
  readonly subscriptionsListen: { readonly notifications: ListenFilter };
  readonly getTask: TaskParams;
  readonly getTaskPayload: TaskParams;
  readonly cancelTask: TaskParams;
  readonly listTasks: PageParams;
  readonly updateTask: TaskParams & { readonly inputResponses: Readonly<Record<string, unknown>> };
}

/** Handler name of a request of the client. */
export type ClientRequestName = keyof ClientRequestParams;

/** Handler name of a request for a page of a list. */
export type ListRequestName = ClientRequestName & `list${string}`;

interface UriParams {
  readonly uri: string;
}

/** Options of a request in one round or more. */
export interface CoreCallOptions extends SessionCallOptions {
  /** Wraps the sending of each round. Default: `sendOnce`. */
  readonly around?: (send: () => Promise<unknown>) => Promise<unknown>;
}

/** Sends a round once: the default of `around`. */
export const sendOnce: NonNullable<CoreCallOptions["around"]> = (send) => send();

/** Sends the request with this handler name. */
export type SendRequest = <Name extends ClientRequestName>(
  handler: Name,
  params: ClientRequestParams[Name],
  options?: CoreCallOptions,
) => Promise<Record<string, unknown>>;

/** Returns the row of a request of the client, if the revision has it. */
export function findRequestRow({ clientRequests }: Revision, handler: ClientRequestName): RequestRow | undefined {
  return findRow(clientRequests, handler);
}

/** Sends the request with this handler name at the revision of the connection. Rejects if the revision has no such request. */
export function requestOf<Name extends ClientRequestName>(
  connection: ClientConnection,
  handler: Name,
  params: ClientRequestParams[Name],
  options?: RequestOptions,
): Promise<unknown> {
  const { revision } = connection;
  const row = findRequestRow(revision, handler);
  if (row) return connection.request(row, params, options);
  return Promise.reject(new Error(`Revision ${revision.id} of the session has no ${handler} requests`));
}
