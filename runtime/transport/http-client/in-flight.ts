import { LostError } from "./errors.ts";

/** What can be ended from outside. */
export interface Abortable {
  abort(reason: unknown): void;
}

/** What is under way, so that it can be ended together. */
export class Operations {
  readonly #running = new Set<Abortable>();
  #end: Error | undefined;

  /** Whether nothing may be begun any more. */
  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Runs something that can be aborted. */
  async run<Result>(operation: Abortable, task: () => Promise<Result>): Promise<Result> {
    if (this.#end) throw this.#end;
    this.#running.add(operation);
    try {
      return await task();
    } finally {
      this.#running.delete(operation);
    }
  }

  /** Runs something that the server has to accept in time. */
  async runWithin<Result>(milliseconds: number, task: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const controller = new AbortController();
    const expire = (): void => controller.abort(new LostError(`The server accepted nothing for ${milliseconds} ms`));
    const timer = setTimeout(expire, milliseconds);
    try {
      return await this.run(controller, () => task(controller.signal));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Aborts everything; what is begun later fails with the same reason. */
  end(reason: Error): void {
    this.#end ??= reason;
    for (const operation of this.#running) operation.abort(reason);
  }
}

/** Waits for something that may fail, but not for longer than that. */
export async function within(milliseconds: number, task: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), milliseconds);
  const late = new Promise<void>((resolve) => controller.signal.addEventListener("abort", () => resolve()));
  await Promise.race([task(controller.signal).catch(() => {}), late]);
  clearTimeout(timer);
}
