import type { Awaitable } from "../../generated/support.ts";

/**
 * Continues with a value synchronously, or with a promise when it is fulfilled. For hot paths, where each `await` costs as much as what it waits for:
 * plain values need no `await`.
 */
export function chain<Value, Next>(
  value: Value | PromiseLike<Value>,
  next: (value: Value) => Awaitable<Next>,
): Awaitable<Next> {
  return isThenable(value) ? Promise.resolve(value).then(next) : next(value);
}

/** Runs work that may fail synchronously or later. The return value of `recover` replaces a failure. */
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

/**
 * True if a value is a promise or another thenable.
 *
 * @throws {unknown} when reading the member `then` of the value throws
 */
export function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  if (typeof value !== "function" && (typeof value !== "object" || value === null)) return false;
  // Checking with `in` first would double the cost.
  const { then }: { readonly then?: unknown } = value;
  return typeof then === "function";
}
