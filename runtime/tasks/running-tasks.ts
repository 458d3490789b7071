import { DeadlineTimer, type Cancel, type Clock } from "../internal/timers.ts";
import type { TimerHost } from "../protocol/peer/progress.ts";
import type { TaskKey, TaskRecord } from "../stores/task-store.ts";
import type { RequestorChannel } from "./requestor-channel.ts";
import type { RunningTask, TaskCall } from "./running-task.ts";

/** Task running in this process. */
export interface RunningEntry {
  readonly key: TaskKey;
  /** Name of this node when the attempt began. */
  readonly node: string;
  /** Record of the task when the attempt began. */
  readonly record: TaskRecord;
  readonly task: RunningTask;
  readonly channel: RequestorChannel;
  readonly during: TaskCall;
}

/** Tasks running in this process: ends those whose time is up, and reads their records from time to time. */
export class RunningTasks {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Timed>();
  readonly #deadlines: DeadlineTimer;
  #isPolling = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#deadlines = new DeadlineTimer(clock, (now) => this.#sweep(now));
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Timer for the progress of tasks. */
  get timer(): TimerHost {
    return { now: () => this.#clock.now(), deadlineAfter: (wait) => this.#deadlineAfter(wait) };
  }

  get(id: string): RunningEntry | undefined {
    return this.#entries.get(id);
  }

  values(): readonly RunningEntry[] {
    return [...this.#entries.values()];
  }

  /** Adds a task until it has ended. `ended` is called then. */
  add(entry: RunningEntry, ended: () => void): void {
    const { key, record, task } = entry;
    const expiresAt = this.#deadlineAfter(record.ttl ?? Infinity);
    const pollPeriod = Math.min(record.pollInterval * pollFactor, longestPollPeriod);
    const timed = { ...entry, expiresAt, pollPeriod, pollsAt: this.#deadlineAfter(pollPeriod) };
    this.#entries.set(key.id, timed);
    void task.ended.then(() => {
      if (this.#entries.get(key.id) !== timed) return;
      this.#entries.delete(key.id);
      ended();
    });
  }

  /** Waits until no task runs, but no longer than this number of milliseconds. Keeps the process alive meanwhile. */
  async drain(milliseconds: number): Promise<void> {
    if (milliseconds <= 0 || this.size === 0) return;
    const ended = Promise.all(this.values().map(({ task }) => task.ended));
    let cancel: Cancel = () => {};
    const timedOut = new Promise<void>((resolve) => {
      cancel = this.#clock.after(milliseconds, resolve);
      cancel.hold?.();
    });
    await Promise.race([ended, timedOut]);
    cancel();
  }

  /** Stops the timer. */
  stop(): void {
    this.#deadlines.stop();
  }

  #sweep(now: number): number {
    let next = Infinity;
    const due: RunningTask[] = [];
    for (const timed of this.#entries.values()) {
      const { task, during, expiresAt } = timed;
      if (expiresAt <= now) {
        task.abandon("The task has expired");
        continue;
      }
      if (timed.pollsAt <= now) {
        timed.pollsAt = now + timed.pollPeriod;
        due.push(task);
      }
      next = Math.min(next, expiresAt, timed.pollsAt, during.sweepProgress(now));
    }
    void this.#poll(due);
    return next;
  }

  /** Reads the records of running tasks, as another process may have cancelled them. Tasks due during this reading wait for their next turn. */
  async #poll(due: readonly RunningTask[]): Promise<void> {
    if (this.#isPolling || due.length === 0) return;
    this.#isPolling = true;
    for (let index = 0; index < due.length; index += pollsAtOnce) {
      await Promise.all(due.slice(index, index + pollsAtOnce).map((task) => task.poll()));
    }
    this.#isPolling = false;
  }

  #deadlineAfter(milliseconds: number): number {
    const deadline = this.#clock.now() + milliseconds;
    this.#deadlines.watch(deadline);
    return deadline;
  }
}

interface Timed extends RunningEntry {
  readonly expiresAt: number;
  /** Milliseconds between two reads of the record. */
  readonly pollPeriod: number;
  /** Time of the clock at which the record is read next. */
  pollsAt: number;
}

/** Number of poll intervals of a task after which its own process reads its record. */
const pollFactor = 5;

/** Milliseconds after which the record of a task is read, however long its poll interval is. */
const longestPollPeriod = 30_000;

/** Number of records read at the same time. */
const pollsAtOnce = 20;
