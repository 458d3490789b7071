import type { RequestOptions } from "../../protocol/incoming-call.ts";
import type { Capabilities } from "../../protocol/session.ts";
import type { Without } from "../../protocol/result-members.ts";
import type { MissingMethod, Unavailable } from "../../protocol/missing.ts";
import type { ClientConnection } from "../connect.ts";
import type { Retry } from "../options.ts";
import type { PageLimits } from "../lists/pages.ts";
import type { ClientTypes, ListItems, ListName, ListPages, RootsOf } from "../protocol-types.ts";
import type { ReadOptions } from "../resources/read-cache.ts";
import type { TaskHandle, TaskRequestOptions } from "../../tasks/task-handle.ts";
import type { TaskState } from "../../tasks/task.ts";
import type { ResourceListener } from "../subscriptions/resource-subscriptions.ts";

/**
 * A session with a server, typed by the declarations of a revision. It survives its connections when the client reconnects. The
 * calls of a generated revision can be made over it as well: `new ClientCalls(session)`.
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

/** What every revision can. */
export interface SessionCalls<P extends ClientTypes> extends ClientConnection, AsyncDisposable {
  readonly serverCapabilities: Capabilities & P["ServerCapabilities"];
  /** The roots of the client, shared by its sessions. */
  readonly roots: RootsOf<P>;
  /** Reads the whole list, or gives it as it was kept: treat it as read-only. */
  listTools(options?: ListCallOptions): Promise<readonly P["Tool"][]>;
  listResources(options?: ListCallOptions): Promise<readonly P["Resource"][]>;
  listResourceTemplates(options?: ListCallOptions): Promise<readonly P["ResourceTemplate"][]>;
  listPrompts(options?: ListCallOptions): Promise<readonly P["Prompt"][]>;
  /** Reads the items of a list as they are needed. */
  items<Name extends ListName>(list: Name, options?: RequestOptions & PageLimits): AsyncGenerator<ListItems<P>[Name]>;
  /** Reads the pages of a list as they are needed. */
  pages<Name extends ListName>(list: Name, options?: RequestOptions & PageLimits): AsyncGenerator<ListPages<P>[Name]>;
  /** Runs a tool. Its failures are results with `isError`. With a `validator`, structured content fits the output schema. */
  callTool(name: string, args?: object, options?: SessionCallOptions): Promise<P["CallToolResult"]>;
  /** Reads a resource, or gives what was kept of it where the server allows that: treat it as read-only. */
  readResource(uri: string, options?: ReadCallOptions): Promise<P["ReadResourceResult"]>;
  getPrompt(
    name: string,
    args?: { readonly [name: string]: string },
    options?: SessionCallOptions,
  ): Promise<P["GetPromptResult"]>;
  /** Asks for suggestions. Debounce it: servers may limit how often. */
  complete(
    params: Without<P["CompleteRequest"]["params"], "_meta">,
    options?: SessionCallOptions,
  ): Promise<P["CompleteResult"]["completion"]>;
}

/** The revision has tasks. */
export interface TaskCalls<P extends ClientTypes> {
  /**
   * Starts a tool as a task, and resolves when it has begun. Fails at once where server or tool do not allow it. Where the server decides, and
   * has answered instead, it fails with a `NoTaskError`, which has the answer.
   */
  callTool(
    name: string,
    args: object | undefined,
    options: SessionCallOptions & TaskRequestOptions,
  ): Promise<TaskHandle<P["CallToolResult"]>>;
  /** A task that a tool became earlier, perhaps in another session, by its id. */
  toolTask(taskId: string): TaskHandle<P["CallToolResult"]>;
}

/** The revision lets clients list their tasks. */
export interface TaskListing {
  /** Reads all tasks that the server keeps for us. */
  listTasks(options?: SessionCallOptions): Promise<readonly TaskState[]>;
}

/** The revision has no tasks, or has them no more. */
export interface NoTaskCalls<P> {
  readonly toolTask: Unavailable<MissingMethod<P, "GetTaskRequest">>;
}

/** The revision has `ping`. */
export interface Pinging {
  /** Resolves when the server answers. */
  ping(options?: SessionCallOptions): Promise<void>;
}

/** The revision has subscriptions to single resources. */
export interface Subscribing {
  /**
   * Listens to changes of a resource, and of those below it. Gives how to stop. Survives reconnection. One change may be told twice.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
   */
  subscribe(uri: string, listener: ResourceListener, options?: RequestOptions): Promise<() => Promise<void>>;
}

/** The revision has a log level for the session. */
export interface Logging<Level extends string> {
  /** Sets the least severe level that is logged. Survives reconnection. */
  setLogLevel(level: Level, options?: SessionCallOptions): Promise<void>;
}

/** Options of one call. */
export interface SessionCallOptions extends RequestOptions {
  /** Whether the call is sent once more when it is cut off; a tool only if it declares itself repeatable. Default: the client's. */
  readonly retry?: Retry;
  /** Metadata of the request (`_meta`). */
  readonly meta?: { readonly [key: string]: unknown };
}

/** Options of reading a resource. */
export interface ReadCallOptions extends SessionCallOptions, ReadOptions {}

/** Options of reading a whole list. */
export interface ListCallOptions extends SessionCallOptions, PageLimits {
  /** Ask the server even if the list has been kept. Default `false`. */
  readonly refresh?: boolean;
}
