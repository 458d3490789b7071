import type { Progress } from "../../../generated/support.ts";
import { coreTasks } from "../../client/tasks/core-tasks.ts";
import { toPollInterval } from "../../tasks/task-handle.ts";
import type { TaskState } from "../../tasks/task.ts";
import { withGrace } from "./grace-period.ts";
import type { RequestedTask } from "./client-tasks.ts";
import { RelayedTask } from "./relayed-task.ts";
import type { UpstreamTasks, UpstreamToolCall } from "./upstream-tasks.ts";

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
  const { response, begun } = await begin(given, requested.ttl);
  if (!begun) return response;
  const { task, started } = begun;
  onStarted?.(task);
  try {
    signal.throwIfAborted();
    return await requested.begin(call(), {
      row,
      ttl: started.ttl ?? Infinity,
      taskOptions: started.pollInterval === undefined ? {} : { pollInterval: toPollInterval(started.pollInterval) },
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
  const { response, begun } = await begin(given, undefined);
  return begun ? begun.task.run(given.call()) : response;
}

interface Begun {
  readonly response: unknown;
  readonly begun?: { readonly task: RelayedTask; readonly started: TaskState };
}

async function begin({ upstream, request, call, signal }: UpstreamToolCall, ttl: number | undefined): Promise<Begun> {
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
  return { response, begun: { task, started } };
}
