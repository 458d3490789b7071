import type { Unavailable } from "../protocol/revision/missing.ts";

/* Types that only make compile errors short and helpful. */

declare const remedy: unique symbol;

/**
 * Values a handler may return, at once or as a promise. Compile errors about the promise of another value name `Shown` as the expected value, and the
 * remedy.
 */
// `PromiseLike` accepts promises. Compilers compare those that do not fit with `PromiseOf`, whose missing member ends the explanation.
export type ReturnValue<T, Shown, Remedy> = T | PromiseLike<T> | PromiseOf<Shown, Remedy>;

/** Type without values. Compile errors name it when a handler returns the promise of a wrong value. */
export interface PromiseOf<T, _Remedy> extends Promise<T> {
  readonly [remedy]: never;
}

/**
 * Members of a definition with other names in other libraries: compile errors quote the name in this one. `Used` is inferred from the definition. So
 * the type has only the names written there, and editors propose none.
 */
export type OtherNames<Names, Used extends PropertyKey> = {
  readonly [Name in Used & keyof Names]?: Unavailable<`the member is named ${Names[Name] & string}`>;
};

/**
 * A definition; if it has some of `OtherNames`, these instead. The compiler infers from both branches, and takes 6 % less time for a server with many
 * tools if one of them has only names to infer from.
 */
export type WithOtherNames<T, Names, Used extends PropertyKey> = [Used & keyof Names] extends [never]
  ? T
  : { readonly [Name in Used]?: unknown } & OtherNames<Names, NoInfer<Used>>;

/** URI of a resource. Compile errors about one with variables quote the remedy. */
export type FixedUri<U extends string> = U extends `${string}{${string}}${string}`
  ? Unavailable<"URIs with variables are for defineResourceTemplate">
  : U;

/** Names of the members of a tool in other libraries, with the names here. */
export interface ToolNames {
  readonly handler: "execute";
  readonly run: "execute";
  readonly callback: "execute";
  readonly cb: "execute";
  readonly parameters: "inputSchema";
  readonly input: "inputSchema";
  readonly schema: "inputSchema";
  readonly output: "outputSchema";
}

/** Names of the members of a resource or a template in other libraries, with the names here. */
export interface ResourceNames {
  readonly handler: "read";
  readonly load: "read";
  readonly callback: "read";
  readonly cb: "read";
  readonly url: "uri";
}

/** Names of the members of a prompt in other libraries, with the names here. */
export interface PromptNames {
  readonly handler: "get";
  readonly load: "get";
  readonly callback: "get";
  readonly cb: "get";
  readonly args: "arguments";
  readonly argsSchema: "arguments";
  readonly parameters: "arguments";
}

/** Name of an argument in a list of arguments, as in the protocol. It is a pattern, because editors propose plain names. */
export interface OtherArgumentNames {
  readonly [
    name: `name${Lowercase<string>}`
  ]: Unavailable<"arguments are an object, as in { city: { required: true } }">;
}
