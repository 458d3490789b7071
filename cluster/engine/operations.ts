import { EngineError } from "../../runtime/stores/engine-error.ts";
import { withDeadline } from "./deadline.ts";
import { describeProblem } from "./describe-problem.ts";
import type { Health } from "./health.ts";

/** Engine to perform operations on, and their deadline. */
export interface OperationsOptions {
  /** Name of the engine in messages. */
  readonly product: string;
  readonly health: Health;
  /** Milliseconds until an operation fails. */
  readonly timeout: number;
  /** True for the problem of an operation that an engine has rejected while it works. Default: none. */
  readonly isRejection?: (problem: string) => boolean;
}

/** Performs operations of an engine, each with a deadline. A failure is an `EngineError`. */
export class Operations {
  readonly #options: OperationsOptions;

  constructor(options: OperationsOptions) {
    this.#options = options;
  }

  /** @throws {EngineError} when the operation fails or takes too long */
  async perform<Reply>(operation: string, work: () => Promise<Reply>): Promise<Reply> {
    const { product, health, timeout, isRejection } = this.#options;
    health.admit();
    const start = performance.now();
    try {
      const reply = await withDeadline(work(), timeout);
      health.succeeded(performance.now() - start);
      return reply;
    } catch (error) {
      const problem = describeProblem(error);
      if (isRejection?.(problem)) health.rejected(operation, problem);
      else health.failed(operation, problem);
      throw new EngineError(`${product} could not perform ${operation} (${problem}); try again later`, {
        cause: error,
      });
    }
  }
}
