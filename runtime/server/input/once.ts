/** Creates a function that runs each step once, however often it is called with the key of the step, and returns the same result each time. */
export function createOnce(): (key: string, work: () => unknown) => Promise<unknown> {
  const done = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const known = done.get(key) ?? Promise.resolve().then(work);
    done.set(key, known);
    // Callers that await the step receive the failure; this prevents an unhandled rejection.
    known.catch(() => {});
    return known;
  };
}
