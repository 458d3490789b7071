import type { KnownKeys, Without } from "./result-members.ts";

/** Names of the request types of a revision. */
export type RequestName<P> = KnownKeys<P> & `${string}Request`;

/** Methods of the requests of one side: those of the union `ClientRequest` or `ServerRequest`. */
export type MethodsOf<P, Union extends "ClientRequest" | "ServerRequest"> = P extends {
  readonly [Name in Union]: { readonly method: infer Method extends string };
}
  ? Method
  : never;

/** Name of the handler of a request type: `readResource` for `ReadResourceRequest`. */
export type HandlerOf<Name> = Name extends `${infer Base}Request` ? Uncapitalize<Base> : never;

/** Params of a request type, with `undefined` if they may be absent. */
export type ParamsOf<Request> = Request extends { readonly params: infer Params }
  ? Params
  : Request extends { readonly params?: infer Params }
    ? Params | undefined
    : undefined;

/** Name of the type of the result, if the revision has one for the request. Others are empty. */
export type ResultName<P, Name> = Name extends `${infer Base}Request` ? `${Base}Result` & keyof P & string : never;

/** Name of the request type with a method. */
export type NameOfMethod<P, Method> = {
  [Name in RequestName<P>]: P[Name & keyof P] extends { readonly method: Method } ? Name : never;
}[RequestName<P>];

/** Params from a client for a method. The session adds the metadata of the revision; tasks have calls of their own. */
export type SentParamsOf<P, Method> = Sent<NonNullable<ParamsByMethod<P, Method>>>;

type ParamsByMethod<P, Method> = ParamsOf<P[NameOfMethod<P, Method> & keyof P]>;

type Sent<Params> = Without<Params, "_meta" | "task"> & { readonly _meta?: { readonly [key: string]: unknown } };

/** Result for a client: the result of the method, or a request for input where its params may carry responses. */
export type ReceivedResultOf<P, Method> =
  | ([ResultName<P, NameOfMethod<P, Method>>] extends [never]
      ? object
      : P[ResultName<P, NameOfMethod<P, Method>> & keyof P])
  | (P extends { InputRequiredResult: infer Result }
      ? "inputResponses" extends KnownKeys<ParamsByMethod<P, Method>>
        ? Result
        : never
      : never);
