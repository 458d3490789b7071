/** Returns a promise as it is. Its rejection does not end the process when nothing awaits it. */
export function asHandled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}
