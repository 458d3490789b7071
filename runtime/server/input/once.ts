/** Step of a handler, as its function receives it. */
export interface Step {
  /**
   * Idempotency key for other systems. In a retryable task it is the same at every attempt: a payment service can recognize a payment it has made
   * already.
   */
  readonly token: string;
}

/** Creates a step for one attempt only. */
export function createStep(): Step {
  let token: string | undefined;
  return {
    get token() {
      return (token ??= crypto.randomUUID());
    },
  };
}

/** Creates a function to run each step once, however often it is called with the key of the step, and returns the same result each time. */
export function createOnce(): (key: string, work: (step: Step) => unknown) => Promise<unknown> {
  const done = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const known = done.get(key) ?? Promise.resolve(createStep()).then(work);
    done.set(key, known);
    // Callers that await the step receive the failure; this prevents an unhandled rejection.
    known.catch(() => {});
    return known;
  };
}
