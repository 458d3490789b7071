import type { Awaitable } from "../../generated/support.ts";

/**
 * Goes on with a value that is there, or when it comes. For hot paths, where each `await` costs as much as what it waits for: who has
 * nothing to wait for is answered at once.
 */
export function chain<Value, Next>(
  value: Value | PromiseLike<Value>,
  next: (value: Value) => Awaitable<Next>,
): Awaitable<Next> {
  return isThenable(value) ? Promise.resolve(value).then(next) : next(value);
}

/** Does work that may fail at once or later; what `recover` returns stands in for the outcome. */
export function attempt<Value>(
  work: () => Value | PromiseLike<Value>,
  recover: (error: unknown) => Value,
): Awaitable<Value> {
  try {
    const value = work();
    return isThenable(value) ? Promise.resolve(value).catch(recover) : value;
  } catch (error) {
    return recover(error);
  }
}

/** Whether a value has to be waited for. Throws when it cannot even be looked at. */
export function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  if (typeof value !== "function" && (typeof value !== "object" || value === null)) return false;
  // Asking with `in` first would cost as much again.
  const { then }: { readonly then?: unknown } = value;
  return typeof then === "function";
}
