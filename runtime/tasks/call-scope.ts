import type { CallContext } from "../protocol/peer/incoming-call.ts";
import { asHandled } from "../internal/as-handled.ts";
import type { StepRunner } from "./step-recorder.ts";

/** Access of a handler to the task that its request has become. */
export interface TaskControl {
  readonly id: string;
  /** Sets the status message, a text for people about the progress of the task. */
  status(message: string): Promise<void>;
}

/** Context of a call after it has become a task. */
export interface TaskContext extends CallContext {
  readonly task: TaskControl;
  /** Recorded steps; present if the task may be run again. */
  readonly steps?: StepRunner | undefined;
}

/** Returns the task that a call has become, if any. */
export function readTask(call: CallContext): TaskControl | undefined {
  return isTaskContext(call) ? call.task : undefined;
}

/** Returns the recorded steps of a call, if it has become a retryable task. */
export function readSteps(call: CallContext): StepRunner | undefined {
  return isTaskContext(call) ? call.steps : undefined;
}

function isTaskContext(call: CallContext): call is TaskContext {
  return "task" in call;
}

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
