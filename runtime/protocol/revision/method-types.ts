import type { KnownKeys, Without } from "./result-members.ts";

/** Unions of the requests of servers. At revisions without such requests, a server sends the same methods inside of its results. */
export type RequestsOfServers = "ServerRequest" | "InputRequest";

/** Unions of the requests and notifications of a revision. */
export type MessageUnion = "ClientRequest" | RequestsOfServers | "ClientNotification" | "ServerNotification";

/** Names of the request types of a revision. */
export type RequestName<P> = Exclude<KnownKeys<P> & `${string}Request`, MessageUnion>;

/** Names of the notification types of a revision. */
export type NotificationName<P> = Exclude<KnownKeys<P> & `${string}Notification`, MessageUnion>;

/** Methods of the messages of a union. */
export type MethodsOf<P, Union extends MessageUnion> = Union extends keyof P
  ? P[Union] extends { readonly method: infer Method extends string }
    ? Method
    : never
  : never;

/** Name of the handler of a message type: `readResource` for `ReadResourceRequest`. `never` if the message is not in the union. */
export type HandledName<P, Name extends keyof P, Union extends MessageUnion> = P[Name] extends {
  readonly method: MethodsOf<P, Union>;
}
  ? Name extends `${infer Base}Request` | `${infer Base}Notification`
    ? Uncapitalize<Base>
    : never
  : never;

/** Request of a method outside of the revision. */
export interface FallbackRequest {
  readonly method: string;
  /** Params as the peer sent them. */
  readonly params: unknown;
}

/** Params of a message type, with `undefined` if they may be absent. */
export type ParamsOf<Message> = Message extends { readonly params: infer Params }
  ? Params
  : Message extends { readonly params?: infer Params }
    ? Params | undefined
    : undefined;

/** Name of the type of the result, if the revision has one for the request. Others are empty. */
export type ResultName<P, Name> = Name extends `${infer Base}Request` ? `${Base}Result` & keyof P : never;

/** Name of the request or notification type with a method. */
export type NameOfMethod<P, Method> = {
  [Name in MessageName<P>]: P[Name & keyof P] extends { readonly method: Method } ? Name : never;
}[MessageName<P>];

type MessageName<P> = RequestName<P> | NotificationName<P>;

/** Params as they are sent for a method. The session adds the metadata of the revision; tasks have calls of their own. */
export type SentParamsOf<P, Method> = Sent<NonNullable<ParamsByMethod<P, Method>>>;

type ParamsByMethod<P, Method> = ParamsOf<P[NameOfMethod<P, Method> & keyof P]>;

type Sent<Params> = Without<Params, "_meta" | "task"> & { readonly _meta?: { readonly [key: string]: unknown } };

/** Params as the second argument of a call: they may be left out if no member is required. */
export type ParamsArgument<Params> = object extends Params ? [params?: Params] : [params: Params];

/** Result for a client: the result of the method, or a request for input where its params may carry responses. */
export type ReceivedResultOf<P, Method> =
  | ResponseOf<P, Method>
  | (P extends { InputRequiredResult: infer Result }
      ? "inputResponses" extends KnownKeys<ParamsByMethod<P, Method>>
        ? Result
        : never
      : never);

/** Result of a server's request. */
export type ResponseOf<P, Method> = [ResultName<P, NameOfMethod<P, Method>>] extends [never]
  ? object
  : P[ResultName<P, NameOfMethod<P, Method>> & keyof P];
