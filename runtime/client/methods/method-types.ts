import type { Awaitable } from "../../../generated/support.ts";
import type {
  FallbackRequest,
  HandledName,
  NotificationName,
  ParamsOf,
  RequestName,
  RequestsOfServers,
  ResultName,
} from "../../protocol/revision/method-types.ts";
import type { HandlerResult } from "../../protocol/revision/result-members.ts";
import type { ClientRequestContext, ClientTypes } from "../protocol-types.ts";

/** Handlers of methods without another option. */
export interface ClientMethods<P extends ClientTypes> {
  /**
   * Handlers by name: `createMessage` for `sampling/createMessage`, `resourceUpdated` for `notifications/resources/updated`. Each gets checked params,
   * an empty object if there are none. A handler of a request returns the result of the revision, and the client declares the capability of the method.
   * A request handled by another option, such as `sampling`, is a `SetupError`. A notification also has its effect on lists and subscriptions.
   *
   * @example
   * ```ts
   * import { createClient } from "mcp-server-runtime";
   * import { revisions } from "mcp-server-runtime/revisions";
   *
   * const client = createClient<Declarations>({
   *   info: { name: "my-client", version: "1.0.0" },
   *   revisions,
   *   handlers: {
   *     listRoots: () => ({ roots: [{ uri: "file:///project" }] }),
   *     resourceUpdated: ({ uri }) => console.error(`${uri} has changed`),
   *   },
   * });
   * ```
   */
  readonly handlers?: ClientMethodHandlers<P>;
  /** Handles requests of methods outside of the revision. Params and result are not checked. Default: "method not found". */
  fallback?(request: FallbackRequest, context: ClientRequestContext<P>): Awaitable<object>;
}

/** Handlers by name, for the requests and notifications of servers at a revision. */
export type ClientMethodHandlers<P extends ClientTypes> = {
  readonly [Name in RequestName<P> as Exclude<HandledName<P, Name, RequestsOfServers>, "ping">]?: RequestHandler<
    P,
    Name
  >;
} & {
  readonly [Name in NotificationName<P> as HandledName<P, Name, "ServerNotification">]?: NotificationHandler<P, Name>;
};

// The types of methods instead of functions: a handler may declare fewer members of its params.
type RequestHandler<P extends ClientTypes, Name extends keyof P> = {
  handle(
    params: NonNullable<ParamsOf<P[Name]>>,
    context: ClientRequestContext<P>,
  ): Awaitable<[ResultName<P, Name>] extends [never] ? object | void : HandlerResult<P[ResultName<P, Name>]>>;
}["handle"];

type NotificationHandler<P extends ClientTypes, Name extends keyof P> = {
  handle(
    params: NonNullable<ParamsOf<P[Name]>>,
    context: Pick<ClientRequestContext<P>, "server" | "revision">,
  ): unknown;
}["handle"];
