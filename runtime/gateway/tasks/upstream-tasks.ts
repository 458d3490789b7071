import { isObject, type RequestRow, type Progress, type Revision } from "../../../generated/support.ts";
import type { CallContext, RequestOptions } from "../../protocol/peer/incoming-call.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { RequestedTask } from "./client-tasks.ts";
import { RelayedTask } from "./relayed-task.ts";
import { coreTasks, extensionTasks } from "../../client/tasks/task-protocol.ts";
import { toPollInterval } from "../../tasks/task-handle.ts";
import { isMissingCapabilityError } from "../../jsonrpc/errors.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import { gatewayPrincipal, type Principal } from "../principal.ts";
import { systemClock } from "../../internal/timers.ts";

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

/** Tasks of the core, which the gateway requests of the server. */
export const coreUpstreamTasks: UpstreamTasks = {
  callTool(given) {
    if (given.requested) return startCoreTask(given, given.requested);
    return given.isTaskRequired ? awaitCoreTask(given) : given.complete();
  },
  showTools: (result) => result,
};

/** Starts a task on the server, and a task of the gateway to represent it. If the server responds with a result instead, returns this result. */
export async function startCoreTask(given: UpstreamToolCall, requested: RequestedTask): Promise<unknown> {
  const { row, call, signal, onStarted } = given;
  const { response, task } = await begin(given, requested.ttl);
  if (!task) return response;
  const { ttl, pollInterval } = task.started;
  onStarted?.(task);
  try {
    signal.throwIfAborted();
    return await requested.begin(call(), {
      row,
      ttl: ttl ?? Infinity,
      taskOptions: pollInterval === undefined ? {} : { pollInterval: toPollInterval(pollInterval) },
      run: (during) => task.run(during),
      spared: () => void task.abandon(),
    });
  } catch (error) {
    await task.abandon();
    throw error;
  }
}

/** Runs a call as a task on the server, and waits for its result. */
async function awaitCoreTask(given: UpstreamToolCall): Promise<unknown> {
  const { response, task } = await begin(given, undefined);
  return task ? task.run(given.call()) : response;
}

/** Requests a task of the server. The server may respond with a result instead. */
async function begin(
  { upstream, request, call, signal }: UpstreamToolCall,
  ttl: number | undefined,
): Promise<{ readonly response: unknown; readonly task?: RelayedTask }> {
  const ended = new AbortController();
  let task: RelayedTask | undefined;
  const onProgress = (progress: Progress): void => {
    if (task) task.report(progress);
    else void call().progress(progress);
  };
  const { params, options } = coreTasks.toRequest(ttl === undefined ? true : { ttl }, ended.signal);
  const response = await request(params, { ...options, signal: withGrace(signal), onProgress });
  const started = coreTasks.readCreated(response);
  if (!started) return { response };
  task = new RelayedTask(upstream, started, ended);
  return { response, task };
}

/**
 * Tasks of the tasks extension. The server decides which calls become tasks. It may do so if the client requests a task, or if the tool only runs
 * as one.
 */
export const extensionUpstreamTasks: UpstreamTasks = {
  async callTool(given) {
    const { row, requested, call, upstream } = given;
    const run = (during: CallContext): Promise<unknown> => follow(given, during);
    if (requested) return requested.begin(call(), { row, ttl: requested.ttl, taskOptions: {}, run });
    try {
      return await given.complete();
    } catch (error) {
      if (!needsTasks(error, upstream.revision)) throw error;
      return run(call());
    }
  },
  showTools(result) {
    if (!isObject(result) || !Array.isArray(result.tools)) return result;
    const execution = { taskSupport: "optional" };
    return { ...result, tools: result.tools.filter(isObject).map((tool) => ({ ...tool, execution })) };
  },
};

/** Returns a principal with a declaration of tasks: the gateway follows tasks for its clients, even if they do not know tasks. */
export function declareTasks({ info, capabilities }: Principal, revision: Revision): Principal {
  const id = extensionOf(revision);
  const { extensions } = capabilities;
  if (id === undefined) return { info, capabilities };
  return { info, capabilities: { ...capabilities, extensions: { ...(isObject(extensions) && extensions), [id]: {} } } };
}

/** Returns the principal of the gateway's own subscriptions to tasks. */
export function toTaskSubscriber(revisions: readonly Revision[]): Principal {
  const revision = revisions.find(({ lifecycle }) => lifecycle === "per-request");
  return revision ? declareTasks(gatewayPrincipal, revision) : gatewayPrincipal;
}

/** Sends a call to which the server may respond with a task, and waits for the result of the task. */
async function follow({ completeWithTasks }: SessionToolCall, during: CallContext): Promise<unknown> {
  const { upstream, result } = await completeWithTasks(during);
  const started = extensionTasks.readContinued(result);
  return started ? new RelayedTask(upstream, started).run(during) : result;
}

/** True if a server rejects a call because it only runs as a task, and the client has not declared tasks. */
function needsTasks(error: unknown, revision: Revision): boolean {
  if (!isMissingCapabilityError(error)) return false;
  const { extensions } = error.requiredCapabilities;
  const id = extensionOf(revision);
  return id !== undefined && isObject(extensions) && Object.hasOwn(extensions, id);
}

/** Returns the id of the extension by which a revision has tasks. */
function extensionOf({ clientRequests }: Revision): string | undefined {
  return findRow(clientRequests, "getTask")?.needs?.path.at(-1);
}

/**
 * Returns a signal which follows another one after a grace period. While a server is starting a task, its response has to arrive: without it the task
 * is not known, and cannot be cancelled.
 */
export function withGrace(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const wait = (): void => {
    systemClock.after(grace, () => controller.abort(signal.reason));
  };
  if (signal.aborted) wait();
  else signal.addEventListener("abort", wait, { once: true });
  return controller.signal;
}

/** Milliseconds of the grace period. */
const grace = 2_000;
