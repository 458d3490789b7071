import type { Awaitable } from "../../../generated/support.ts";
import type { HandlerOf, MethodsOf, ParamsOf, RequestName, ResultName } from "../../protocol/revision/method-types.ts";
import type { InputOf } from "../definition.ts";
import type { HandlerContext, ResultOf, ToolTypes } from "../protocol-types.ts";
import type { ServedMethod } from "./method-handlers.ts";

/** Handlers of methods without another member of the definition. */
export interface ServerMethods<P extends ToolTypes> {
  /**
   * Handlers by name: `listTools` for `tools/list`. Each gets checked params, an empty object if there are none, and returns the result of the
   * revision. The server adds `resultType` and cache hints, and declares the capability of the method. A method of another member, such as `tools`, is
   * a `SetupError`.
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

/** Request of a method outside of the revision. */
export interface FallbackRequest {
  readonly method: string;
  /** Params as the client sent them. */
  readonly params: unknown;
}

/** Handlers by name, for the requests of clients at a revision. */
export type MethodHandlers<P extends ToolTypes> = {
  readonly [Name in RequestName<P> as HandledName<P, Name>]?: MethodHandler<P, Name>;
};

type HandledName<P, Name extends keyof P> = P[Name] extends { readonly method: MethodsOf<P, "ClientRequest"> }
  ? Exclude<HandlerOf<Name>, ServedMethod>
  : never;

// The type of a method instead of a function: a handler may declare fewer members of its params.
type MethodHandler<P extends ToolTypes, Name extends keyof P> = {
  handle(params: NonNullable<ParamsOf<P[Name]>>, context: HandlerContext<P>): Awaitable<MethodResult<P, Name>>;
}["handle"];

type MethodResult<P extends ToolTypes, Name extends keyof P> = [ResultName<P, Name>] extends [never]
  ? object | void
  : ResultOf<P, ResultName<P, Name>> | InputOf<P>;
