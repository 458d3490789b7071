import type { RequestRow } from "../../../generated/support.ts";
import type { CallContext, RequestOptions } from "../../protocol/peer/incoming-call.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { RequestedTask } from "./client-tasks.ts";
import type { RelayedTask } from "./relayed-task.ts";

/** Call of a tool, which the server may run as a task. */
export interface UpstreamToolCall {
  readonly row: RequestRow;
  readonly upstream: Upstream;
  /** Aborted when the result is no longer wanted. */
  readonly signal: AbortSignal;
  /** Returns the request of the client which currently waits for the result. */
  call(): CallContext;
  /** Sends the call with these params in addition to its own. */
  request(params: object, options: RequestOptions): Promise<unknown>;
  /** Called when the server has started a task. */
  onStarted?(task: RelayedTask): void;
}

/** Call of a tool for a client with a session. */
export interface SessionToolCall extends UpstreamToolCall {
  /** Task requested by the client, if any. */
  readonly requested: RequestedTask | undefined;
  /** True if the tool only runs as a task, which the client cannot request. */
  readonly isTaskRequired: boolean;
  /** Sends the call until its result is complete. */
  complete(): Promise<unknown>;
  /** Does the same for a request of the client, on a connection on which the server may respond with a task. */
  completeWithTasks(during: CallContext): Promise<{ readonly upstream: Upstream; readonly result: unknown }>;
}

/** Tasks of the server behind the gateway: those of the core, those of the tasks extension, or none. */
export interface UpstreamTasks {
  /** Calls a tool. Returns the result of the tool, or one that names a task of the gateway if the client has requested it. */
  callTool(call: SessionToolCall): Promise<unknown>;
  /** Adds the task support of tools to a list of tools, where the server does not declare it of each. */
  showTools(result: unknown): unknown;
}

/** Calls of a server without tasks. */
export const noUpstreamTasks: UpstreamTasks = {
  callTool: (call) => call.complete(),
  showTools: (result) => result,
};
