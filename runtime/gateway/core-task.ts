import { isObject, type Progress, type RequestRow } from "../../generated/support.ts";
import type { CallContext, RequestOptions } from "../protocol/incoming-call.ts";
import { isTaskState, type TaskState } from "../tasks/task.ts";
import { withGrace } from "./grace-period.ts";
import { RelayedTask } from "./relayed-task.ts";
import type { TaskBridge } from "./task-bridge.ts";
import type { Upstream } from "./upstream.ts";

/** Call of a tool that a server with core tasks is to run as a task. */
export interface CoreTaskCall {
  readonly row: RequestRow;
  readonly upstream: Upstream;
  /** Task parameters that the server receives. */
  readonly task: object;
  /** Aborted when the result is no longer wanted. */
  readonly signal: AbortSignal;
  /** Returns the request of the client that currently waits for the result. */
  call(): CallContext;
  /** Sends the call with these params in addition to its own. */
  request(params: object, options: RequestOptions): Promise<unknown>;
  /** Called when the server has started a task. */
  onStarted?(task: RelayedTask): void;
}

/** Starts a task on the server, and a task of the gateway that represents it. If the server responds with a result instead, returns that result. */
export async function startCoreTask(bridge: TaskBridge, given: CoreTaskCall): Promise<unknown> {
  const { row, call, signal, onStarted } = given;
  const { response, begun } = await begin(given);
  if (!begun) return response;
  const { task, started } = begun;
  onStarted?.(task);
  try {
    signal.throwIfAborted();
    return await bridge.begin(call(), {
      row,
      ttl: started.ttl ?? Infinity,
      terms: { pollInterval: started.pollInterval },
      run: (during) => task.run(during),
      spared: () => void task.abandon(),
    });
  } catch (error) {
    await task.abandon();
    throw error;
  }
}

/** Runs a call as a task on the server, and waits for its result. */
export async function playCoreTask(given: CoreTaskCall): Promise<unknown> {
  const { response, begun } = await begin(given);
  return begun ? begun.task.run(given.call()) : response;
}

interface Begun {
  readonly response: unknown;
  readonly begun?: { readonly task: RelayedTask; readonly started: TaskState };
}

async function begin({ upstream, task: params, request, call, signal }: CoreTaskCall): Promise<Begun> {
  const ended = new AbortController();
  let task: RelayedTask | undefined;
  const onProgress = (progress: Progress): void => {
    if (task) task.report(progress);
    else void call().progress(progress);
  };
  const response = await request({ task: params }, { signal: withGrace(signal), taskEnded: ended.signal, onProgress });
  const started = isObject(response) ? response.task : undefined;
  if (!isTaskState(started)) return { response };
  task = new RelayedTask(upstream, started, ended);
  return { response, begun: { task, started } };
}
