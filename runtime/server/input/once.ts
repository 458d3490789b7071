/** Does each thing once, however often it is asked for under its key, and gives the same every time. */
export function createOnce(): (key: string, work: () => unknown) => Promise<unknown> {
  const done = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const known = done.get(key) ?? Promise.resolve().then(work);
    done.set(key, known);
    // Whoever waits for it learns of the failure.
    known.catch(() => {});
    return known;
  };
}
