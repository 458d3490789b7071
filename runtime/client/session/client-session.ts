import type { RequestRow } from "../../../generated/support.ts";
import type { RequestOptions } from "../../protocol/peer/incoming-call.ts";
import type {
  MethodsOf,
  ParamsArgument,
  ReceivedResultOf,
  SentParamsOf,
} from "../../protocol/revision/method-types.ts";
import type { Capabilities } from "../../protocol/session/session.ts";
import type { Without } from "../../protocol/revision/result-members.ts";
import type { MissingMethod, Unavailable } from "../../protocol/revision/missing.ts";
import type { ClientConnection } from "../connect.ts";
import type { Retry } from "../options.ts";
import type { PageLimits } from "../lists/pages.ts";
import type { ClientTypes, ListItems, ListName, ListPages, RootsOf } from "../protocol-types.ts";
import type { ReadOptions } from "../resources/read-cache.ts";
import type { TaskHandle, TaskRequestOptions } from "../../tasks/task-handle.ts";
import type { TaskState } from "../../tasks/task.ts";
import type { ResourceListener } from "../subscriptions/resource-subscriptions.ts";

/**
 * Session with a server, typed by the declarations of a revision. It survives its connections when the client reconnects. The calls of a generated
 * revision can be made over it as well: `new ClientCalls(session)`.
 */
export type ClientSession<P extends ClientTypes> = (P extends { CreateTaskResult: object }
  ? TaskCalls<P>
  : NoTaskCalls<P>) &
  (P extends { ListTasksRequest: object }
    ? TaskListing
    : { readonly listTasks: Unavailable<MissingMethod<P, "ListTasksRequest">> }) &
  SessionCalls<P> &
  (P extends { PingRequest: object } ? Pinging : { readonly ping: Unavailable<MissingMethod<P, "PingRequest">> }) &
  (P extends { SubscribeRequest: object } | { SubscriptionsListenRequest: object } ? Subscribing : unknown) &
  (P extends { SetLevelRequest: object }
    ? Logging<P["LoggingLevel"]>
    : { readonly setLogLevel: Unavailable<MissingMethod<P, "SetLevelRequest">> });

/** Members of a session at every revision. */
export interface SessionCalls<P extends ClientTypes> extends ClientConnection, AsyncDisposable {
  readonly serverCapabilities: Capabilities & P["ServerCapabilities"];
  request<Params, Result>(
    row: RequestRow<Params, Result>,
    params: Params,
    options?: SessionCallOptions,
  ): Promise<Result>;
  /** Sends a request of an extension, or of another revision. Params and result are checked, but their types are not known. */
  request<Method extends string>(
    method: Method extends MethodsOf<P, "ClientRequest"> ? never : Method,
    params?: unknown,
    options?: SessionCallOptions,
  ): Promise<unknown>;
  // The compiler reports a mistake in the params with the last overload.
  /** Sends a request of the revision by its method name. The session adds the metadata of the revision. */
  request<Method extends MethodsOf<P, "ClientRequest">>(
    method: Method,
    ...given: [...ParamsArgument<SentParamsOf<P, Method>>, options?: SessionCallOptions]
  ): Promise<ReceivedResultOf<P, Method>>;
  /** Roots of the client, shared by its sessions. */
  readonly roots: RootsOf<P>;
  /** Returns the whole list, read from the server or taken from the cache: treat it as read-only. */
  listTools(options?: ListCallOptions): Promise<readonly P["Tool"][]>;
  listResources(options?: ListCallOptions): Promise<readonly P["Resource"][]>;
  listResourceTemplates(options?: ListCallOptions): Promise<readonly P["ResourceTemplate"][]>;
  listPrompts(options?: ListCallOptions): Promise<readonly P["Prompt"][]>;
  /** Yields the items of a list, and reads its pages as they are needed. */
  items<Name extends ListName>(list: Name, options?: RequestOptions & PageLimits): AsyncGenerator<ListItems<P>[Name]>;
  /** Yields the pages of a list, and reads them as they are needed. */
  pages<Name extends ListName>(list: Name, options?: RequestOptions & PageLimits): AsyncGenerator<ListPages<P>[Name]>;
  /**
   * Calls a tool. A failure of the tool is a result with `isError`.
   *
   * @throws {ToolOutputError} when structured content does not fit the output schema, if the client has a `validator`
   */
  callTool(name: string, args?: object, options?: SessionCallOptions): Promise<P["CallToolResult"]>;
  /** Reads a resource, or takes it from the cache where the server allows caching: treat it as read-only. */
  readResource(uri: string, options?: ReadCallOptions): Promise<P["ReadResourceResult"]>;
  getPrompt(
    name: string,
    args?: { readonly [name: string]: string },
    options?: SessionCallOptions,
  ): Promise<P["GetPromptResult"]>;
  /** Requests completions of an argument. Debounce it: servers may limit the rate. */
  complete(
    params: Without<P["CompleteRequest"]["params"], "_meta">,
    options?: SessionCallOptions,
  ): Promise<P["CompleteResult"]["completion"]>;
}

/** Calls at a revision with tasks. */
export interface TaskCalls<P extends ClientTypes> {
  /**
   * Starts a tool as a task, and resolves when the task has started. Rejects immediately if the server or the tool does not allow it.
   *
   * @throws {NoTaskError} when the server decides to respond with a result instead, which the error carries
   */
  callTool(
    name: string,
    args: object | undefined,
    options: SessionCallOptions & TaskRequestOptions,
  ): Promise<TaskHandle<P["CallToolResult"]>>;
  /** Returns the handle of a task by its id, for an earlier tool call, perhaps in another session. */
  toolTask(taskId: string): TaskHandle<P["CallToolResult"]>;
}

/** Calls at a revision whose clients can list their tasks. */
export interface TaskListing {
  /** Reads all tasks the server keeps for this client. */
  listTasks(options?: SessionCallOptions): Promise<readonly TaskState[]>;
}

/** Members at a revision without tasks: it has none yet, or none any more. */
export interface NoTaskCalls<P> {
  readonly toolTask: Unavailable<MissingMethod<P, "GetTaskRequest">>;
}

/** Calls at a revision with `ping`. */
export interface Pinging {
  /** Resolves when the server responds. */
  ping(options?: SessionCallOptions): Promise<void>;
}

/** Calls at a revision with subscriptions to single resources. */
export interface Subscribing {
  /**
   * Subscribes to changes of a resource and of the resources below it. Returns a function to end the subscription. Survives reconnection. One change
   * may be reported twice.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
   */
  subscribe(uri: string, listener: ResourceListener, options?: RequestOptions): Promise<() => Promise<void>>;
}

/** Calls at a revision with a log level for the session. */
export interface Logging<Level extends string> {
  /** Sets the least severe level for the server to log. Survives reconnection. */
  setLogLevel(level: Level, options?: SessionCallOptions): Promise<void>;
}

/** Options of one call: timeouts, progress, retries and metadata. */
export interface SessionCallOptions extends RequestOptions {
  /** Retry policy for when the call is cut off; a tool call is retried only if the tool declares itself repeatable. Default: the client's. */
  readonly retry?: Retry;
  /** Metadata of the request (`_meta`). */
  readonly meta?: { readonly [key: string]: unknown };
}

/** Options for reading a resource. */
export interface ReadCallOptions extends SessionCallOptions, ReadOptions {}

/** Options for reading a whole list. */
export interface ListCallOptions extends SessionCallOptions, PageLimits {
  /** True to send the request even if the list is cached. Default `false`. */
  readonly refresh?: boolean;
}
