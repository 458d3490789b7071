declare const remedy: unique symbol;

/**
 * Values that a handler may return, at once or as a promise. Compile errors about the promise of another value name `Shown` as the expected value, and
 * the remedy.
 */
// `PromiseLike` accepts promises. Compilers compare those that do not fit with `PromiseOf`, whose missing member ends the explanation.
export type Returned<T, Shown, Remedy> = T | PromiseLike<T> | PromiseOf<Shown, Remedy>;

/** Type without values, which compile errors name for the promise of a value that a handler may not return. */
export interface PromiseOf<T, _Remedy> extends Promise<T> {
  readonly [remedy]: never;
}
