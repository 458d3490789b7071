import type { Unavailable } from "../protocol/revision/missing.ts";

/* Types that only make compile errors short and helpful. */

declare const remedy: unique symbol;

/**
 * Values that a handler may return, at once or as a promise. Compile errors about the promise of another value name `Shown` as the expected value, and
 * the remedy.
 */
// `PromiseLike` accepts promises. Compilers compare those that do not fit with `PromiseOf`, whose missing member ends the explanation.
export type ReturnValue<T, Shown, Remedy> = T | PromiseLike<T> | PromiseOf<Shown, Remedy>;

/** Type without values, which compile errors name for the promise of a value that a handler may not return. */
export interface PromiseOf<T, _Remedy> extends Promise<T> {
  readonly [remedy]: never;
}

/*
 * Names that members of definitions have in other libraries. Compile errors quote the name in this one. The names are patterns, because editors
 * propose names only: `Lowercase<string>` stands for nothing, or for small letters that no member continues with.
 */

/** Names that members of a tool have in other libraries. */
export interface OtherToolNames {
  readonly [name: Pattern<"handler" | "run" | "callback" | "cb">]: Unavailable<"the member is named execute">;
  readonly [name: Pattern<"parameters" | "input" | "schema">]: Unavailable<"the member is named inputSchema">;
  readonly [name: Pattern<"output">]: Unavailable<"the member is named outputSchema">;
}

/** Names that members of a resource or a template have in other libraries. */
export interface OtherResourceNames {
  readonly [name: Pattern<"handler" | "load" | "callback" | "cb">]: Unavailable<"the member is named read">;
  readonly [name: Pattern<"url">]: Unavailable<"the member is named uri">;
}

/** Names that members of a prompt have in other libraries. */
export interface OtherPromptNames {
  readonly [name: Pattern<"handler" | "load" | "callback" | "cb">]: Unavailable<"the member is named get">;
  readonly [name: Pattern<"args" | "argsSchema" | "parameters">]: Unavailable<"the member is named arguments">;
}

/** Names that members of an argument of a prompt have in lists of arguments, as the protocol has them. */
export interface OtherArgumentNames {
  readonly [name: Pattern<"name">]: Unavailable<"arguments are an object, as in { city: { required: true } }">;
}

type Pattern<Name extends string> = `${Name}${Lowercase<string>}`;
