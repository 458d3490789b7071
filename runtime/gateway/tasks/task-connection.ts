import type { Listener, Upstream } from "../upstream/upstream.ts";

/** Connection on which the server notifies of the tasks of some clients. */
export interface TaskConnection {
  /** Key of all clients with the same connection. */
  readonly key: string;
  /** True if the connection stays open without subscribers: the next one need not wait for another. */
  readonly isKept: boolean;
  open(listener: Listener): Promise<TaskUpstream>;
}

/** Open connection on which the server notifies of tasks. */
export type TaskUpstream = Pick<Upstream, "revision" | "connection" | "request" | "close">;
