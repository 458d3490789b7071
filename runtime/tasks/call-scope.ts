import type { CallContext } from "../protocol/peer/incoming-call.ts";
import { asHandled } from "../internal/as-handled.ts";
import { readTask, type TaskControl } from "./task-control.ts";

/**
 * Context of handlers on either side: a view of the request they handle. Its functions can be destructured: they are created on access, since most
 * handlers need none.
 */
export class CallScope {
  readonly #call: CallContext;

  constructor(call: CallContext) {
    this.#call = call;
  }

  /** Signal of the request, created on first access. */
  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get revision(): string {
    return this.#call.revision.id;
  }

  get requestId(): string | number {
    return this.#call.requestId;
  }

  get meta(): { readonly [key: string]: unknown } {
    return this.#call.meta;
  }

  get task(): TaskControl | undefined {
    return readTask(this.#call);
  }

  get progress(): (progress: number, total?: number, message?: string) => Promise<void> {
    return (progress, total, message) =>
      asHandled(
        this.#call.progress({
          progress,
          ...(total !== undefined && { total }),
          ...(message !== undefined && { message }),
        }),
      );
  }
}
