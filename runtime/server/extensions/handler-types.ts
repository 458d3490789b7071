import type { Awaitable, ExtensionTables, NotificationRow, RequestRow } from "../../../generated/support.ts";
import type { HandlerResult } from "../../protocol/revision/result-members.ts";
import type { AnyContext } from "../protocol-types.ts";

/** Handlers of the requests of an extension, by method. A server handles the requests of clients, and a client the requests of servers. */
export type ExtensionRequestHandlers<T extends ExtensionTables> = {
  readonly [Method in keyof T["clientRequests"] | keyof T["serverRequests"]]?: Method extends keyof T["clientRequests"]
    ? RequestHandler<T["clientRequests"][Method], ExtensionContext<T>>
    : RequestHandler<T["serverRequests"][Method & keyof T["serverRequests"]], ExtensionClientContext>;
};

/** Handlers of the notifications of an extension, by method: of those that the other side sends. */
export type ExtensionNotificationHandlers<T extends ExtensionTables> = {
  readonly [
    Method in keyof T["clientNotifications"] | keyof T["serverNotifications"]
  ]?: Method extends keyof T["clientNotifications"]
    ? NotificationHandler<T["clientNotifications"][Method], NotifyingClient>
    : NotificationHandler<T["serverNotifications"][Method & keyof T["serverNotifications"]], NotifyingServer>;
};

/** Sender of a notification at a server. Without a session, only its principal is known. */
type NotifyingClient = Pick<AnyContext, "auth" | "client" | "revision"> & Partial<Pick<AnyContext, "session">>;

type NotifyingServer = Pick<ExtensionClientContext, "server" | "revision">;

/** Context of a handler of a server: of any revision, with the messages of the extension. */
export interface ExtensionContext<T extends ExtensionTables> extends Omit<AnyContext, "notify" | "request"> {
  /**
   * Sends a notification of the extension, which belongs to the request.
   *
   * @throws {Error} when the revision of the client has no such notification
   */
  notify<Method extends keyof T["serverNotifications"] & string>(
    method: Method,
    params: ParamsOf<T["serverNotifications"][Method]>,
  ): Promise<void>;
  /**
   * Returns the page of a list to which the `cursor` in the params leads, by the page size of the server: the first one without a cursor. Rejects a
   * cursor of another list.
   */
  page<Item>(items: readonly Item[]): Promise<{ readonly items: readonly Item[]; readonly nextCursor?: string }>;
  /**
   * Sends a request of the extension to the client. Only revisions with sessions have such requests.
   *
   * @throws {Error} when the revision of the client has no such request
   */
  request<Method extends keyof T["serverRequests"] & string>(
    method: Method,
    params: ParamsOf<T["serverRequests"][Method]>,
  ): Promise<ResultOf<T["serverRequests"][Method]>>;
}

/** Context of a handler of a client, for a request of a server. */
export interface ExtensionClientContext {
  /** Server that sent the request, as it describes itself. */
  readonly server: { readonly info: object; readonly capabilities: object };
  /** The revision of this server. */
  readonly revision: string;
  /** JSON-RPC `id` of the request. */
  readonly requestId: string | number;
  /** Metadata of the request (`_meta`); empty when there is none. */
  readonly meta: { readonly [key: string]: unknown };
  /** Aborted when the server cancels the request or disconnects. */
  readonly signal: AbortSignal;
  /** Reports progress; does nothing if the server did not request it. Each report must be greater than the last. */
  progress(progress: number, total?: number, message?: string): Promise<void>;
}

type ParamsOf<Row> = Row extends RequestRow<infer Params> | NotificationRow<infer Params> ? Params : never;

type ResultOf<Row> = Row extends RequestRow<infer _Params, infer Result> ? Result : never;

// The types of methods instead of functions: a handler may declare fewer members of its params.
type RequestHandler<Row, Context> = {
  handle(params: ParamsOf<Row>, context: Context): Awaitable<HandlerResult<ResultOf<Row>>>;
}["handle"];

type NotificationHandler<Row, Context> = { handle(params: ParamsOf<Row>, context: Context): unknown }["handle"];
