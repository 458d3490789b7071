import { startTimer } from "../../internal/timers.ts";
import { LostError } from "./errors.ts";

/** Operation that can be aborted from outside. */
export interface Abortable {
  abort(reason: unknown): void;
}

/** Running operations, to be aborted together. */
export class InFlight {
  readonly #running = new Set<Abortable>();
  #end: Error | undefined;

  /** True if no more operations may begin. */
  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Runs an operation. Rejects with the reason of `end` after the end. */
  async run<Result>(operation: Abortable, task: () => Promise<Result>): Promise<Result> {
    if (this.#end) throw this.#end;
    this.#running.add(operation);
    try {
      return await task();
    } finally {
      this.#running.delete(operation);
    }
  }

  /** Runs a task. It is aborted unless the server accepts it within the given milliseconds. */
  async runWithin<Result>(milliseconds: number, task: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const controller = new AbortController();
    const expire = (): void =>
      controller.abort(new LostError(`The server did not accept a message for ${milliseconds} ms`));
    const cancel = startTimer(milliseconds, expire);
    try {
      return await this.run(controller, () => task(controller.signal));
    } finally {
      cancel();
    }
  }

  /** Aborts all operations; later ones fail with the same reason. */
  end(reason: Error): void {
    this.#end ??= reason;
    for (const operation of this.#running) operation.abort(reason);
  }
}

/** Waits for a task at most the given milliseconds, then aborts its signal. Ignores failures of the task. */
export async function within(milliseconds: number, task: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const cancel = startTimer(milliseconds, () => controller.abort());
  const late = new Promise<void>((resolve) => controller.signal.addEventListener("abort", () => resolve()));
  await Promise.race([task(controller.signal).catch(() => {}), late]);
  cancel();
}
