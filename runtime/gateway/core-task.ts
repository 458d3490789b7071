import { isObject, type Progress, type RequestRow } from "../../generated/support.ts";
import type { CallContext, RequestOptions } from "../protocol/incoming-call.ts";
import { isTaskState, type TaskState } from "../tasks/task.ts";
import { withGrace } from "./grace-period.ts";
import { RelayedTask } from "./relayed-task.ts";
import type { TaskBridge } from "./task-bridge.ts";
import type { Upstream } from "./upstream.ts";

/** A call of a tool that a server of core tasks shall run as one. */
export interface CoreTaskCall {
  readonly row: RequestRow;
  readonly upstream: Upstream;
  /** What the server shall know of the task. */
  readonly task: object;
  /** Aborted when nobody wants the answer. */
  readonly signal: AbortSignal;
  /** The request that is to be answered, as it is now. */
  call(): CallContext;
  /** Sends the call, with these params besides its own. */
  request(params: object, options: RequestOptions): Promise<unknown>;
  /** The server has begun a task. */
  onStarted?(task: RelayedTask): void;
}

/** Lets the server begin a task, and a task of the gateway stand for it. What is answered at once is the answer. */
export async function startCoreTask(bridge: TaskBridge, given: CoreTaskCall): Promise<unknown> {
  const { row, call, signal, onStarted } = given;
  const { answer, begun } = await begin(given);
  if (!begun) return answer;
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

/** Lets the server run a call as a task, and waits for what it comes to. */
export async function playCoreTask(given: CoreTaskCall): Promise<unknown> {
  const { answer, begun } = await begin(given);
  return begun ? begun.task.run(given.call()) : answer;
}

interface Begun {
  readonly answer: unknown;
  readonly begun?: { readonly task: RelayedTask; readonly started: TaskState };
}

async function begin({ upstream, task: params, request, call, signal }: CoreTaskCall): Promise<Begun> {
  const ended = new AbortController();
  let task: RelayedTask | undefined;
  const onProgress = (progress: Progress): void => {
    if (task) task.report(progress);
    else void call().progress(progress);
  };
  const answer = await request({ task: params }, { signal: withGrace(signal), taskEnded: ended.signal, onProgress });
  const started = isObject(answer) ? answer.task : undefined;
  if (!isTaskState(started)) return { answer };
  task = new RelayedTask(upstream, started, ended);
  return { answer, begun: { task, started } };
}
