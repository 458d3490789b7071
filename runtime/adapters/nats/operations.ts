import { EngineError } from "../../stores/engine.ts";
import type { Health } from "../redis/health.ts";
import { withDeadline } from "./deadline.ts";

/** Performs operations, each with a deadline. A failure is an `EngineError`. */
export class Operations {
  readonly #health: Health;
  readonly #timeout: number;

  constructor(health: Health, timeout: number) {
    this.#health = health;
    this.#timeout = timeout;
  }

  /** @throws {EngineError} when the operation fails or takes too long */
  async perform<Reply>(operation: string, work: () => Promise<Reply>): Promise<Reply> {
    this.#health.admit();
    const start = performance.now();
    try {
      const reply = await withDeadline(work(), this.#timeout);
      this.#health.succeeded(performance.now() - start);
      return reply;
    } catch (error) {
      const problem = describe(error);
      this.#health.failed(operation, problem);
      throw new EngineError(`NATS could not perform ${operation} (${problem}); try again later`, { cause: error });
    }
  }
}

/** Returns the text of an error in one line of limited length. */
function describe(error: unknown): string {
  const text = error instanceof Error ? error.message : "unknown problem";
  const [line = ""] = text.split(/[\r\n]/, 1);
  return line.slice(0, 200);
}
