import { ChangeSignal } from "../internal/change-signal.ts";
import type { Clock } from "../internal/timers.ts";
import type { TaskRecord } from "../stores/task-store.ts";

/** Dependencies of a call waiting for a task of another process. */
export interface TaskFollowerHost {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds after which the record is read even though no message has come; absent where processes send no messages. */
  readonly longestWait: number | undefined;
  /** Requests messages about changes from the node of the task. This node sends one at once. */
  register(record: TaskRecord): void;
  /** Adds a receiver of these messages. Returns a function to remove it. */
  receive(changed: () => void): () => void;
}

/** Call waiting for a task of another process. It reads the record after messages from the node of the task, instead of all the time. */
export class TaskFollower {
  readonly #host: TaskFollowerHost;
  readonly #changes = new ChangeSignal();
  readonly #leave: () => void;
  /** Node and attempt from which messages were requested. */
  #registered: string | undefined;

  constructor(host: TaskFollowerHost) {
    this.#host = host;
    this.#leave = host.receive(this.#changes.set);
    host.signal.addEventListener("abort", this.#changes.set);
  }

  /** Waits until the record may have changed since the last `clear`. */
  async wait(record: TaskRecord): Promise<void> {
    const { clock, signal, longestWait = record.pollInterval } = this.#host;
    signal.throwIfAborted();
    const attempt = `${record.node} ${record.attempt}`;
    if (this.#registered !== attempt) this.#host.register(record);
    this.#registered = attempt;
    // Without a message for so long, the node may be gone, or a message was lost.
    if (!(await this.#changes.wait(clock, longestWait))) this.#registered = undefined;
    signal.throwIfAborted();
  }

  /** Called before the record is read: later changes count. */
  clear(): void {
    this.#changes.clear();
  }

  end(): void {
    this.#leave();
    this.#host.signal.removeEventListener("abort", this.#changes.set);
  }
}
