import type { Awaitable } from "../../../generated/support.ts";
import type {
  FallbackRequest,
  HandledName,
  NotificationName,
  ParamsOf,
  RequestName,
  ResultName,
} from "../../protocol/revision/method-types.ts";
import type { InputOf, HandlerContext, Requester, ResultOf, ToolTypes } from "../protocol-types.ts";

/** Methods of the runtime itself, by handler name. */
export type ServedMethod = "initialize" | "ping" | "discover" | "setLevel";

/** Handlers of methods without another member of the definition. */
export interface ServerMethods<P extends ToolTypes> {
  /**
   * Handlers by name: `listTools` for `tools/list`, `rootsListChanged` for `notifications/roots/list_changed`. Each gets checked params, an empty
   * object if there are none. A handler of a request returns the result of the revision. The server adds `resultType` and cache hints, and declares the
   * capability of the method. A request served by another member, such as `tools`, is a `SetupError`.
   *
   * @example
   * ```ts
   * const server = defineServer({
   *   name: "search",
   *   version: "1.0.0",
   *   handlers: {
   *     listTools: () => ({ tools: [{ name: "find", inputSchema: { type: "object" } }] }),
   *     callTool: ({ name }) => ({ content: [{ type: "text", text: `Called ${name}` }] }),
   *   },
   * });
   * ```
   */
  readonly handlers?: MethodHandlers<P>;
  /** Handles requests of methods outside of the revision. Params and result are not checked. Default: "method not found". */
  fallback?(request: FallbackRequest, context: HandlerContext<P>): Awaitable<object>;
}

/** Handlers by name, for the requests and notifications of clients at a revision. */
export type MethodHandlers<P extends ToolTypes> = {
  readonly [Name in NotificationName<P> as HandledName<P, Name, "ClientNotification">]?: NotificationHandler<P, Name>;
} & {
  readonly [Name in RequestName<P> as Exclude<HandledName<P, Name, "ClientRequest">, ServedMethod>]?: MethodHandler<
    P,
    Name
  >;
};

// The types of methods instead of functions: a handler may declare fewer members of its params.
type MethodHandler<P extends ToolTypes, Name extends keyof P> = {
  handle(params: NonNullable<ParamsOf<P[Name]>>, context: HandlerContext<P>): Awaitable<MethodResult<P, Name>>;
}["handle"];

type NotificationHandler<P extends ToolTypes, Name extends keyof P> = {
  handle(
    params: NonNullable<ParamsOf<P[Name]>>,
    context: Pick<Requester<P>, "auth" | "client" | "session" | "revision">,
  ): unknown;
}["handle"];

type MethodResult<P extends ToolTypes, Name extends keyof P> = [ResultName<P, Name>] extends [never]
  ? object | void
  : ResultOf<P, ResultName<P, Name>> | InputOf<P>;
