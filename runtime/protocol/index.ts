/** Parts below servers and clients: channels, connections, handlers, messages and their limits. */
export { createAcceptor, serveHandlers } from "../lifecycle/acceptor.ts";
export type { Acceptor, ServeOptions } from "../lifecycle/acceptor.ts";

export type { PerRevision } from "../lifecycle/serve-options.ts";

export type {
  AnyPrompt,
  AnyPromptArgument,
  AnyResource,
  AnyResourceTemplate,
  AnyServerDefinition,
  AnyTool,
} from "../server/any-definition.ts";

export type { ServerMiddleware } from "../server/middleware/middleware.ts";

export type { ServerImplementation } from "../server/server.ts";

export type {
  AnyContext,
  AnyRequester,
  PromptTypes,
  ProtocolTypes,
  Requester,
  ResourceTypes,
  ToolTypes,
} from "../server/protocol-types.ts";

export { parseUriTemplate } from "../server/resources/uri-template/uri-template.ts";
export type { ExpandValue, MatchedValue, UriTemplate } from "../server/resources/uri-template/uri-template.ts";

export { watchLoopDelay } from "../transport/loop-delay.ts";
export type { LoopWatch, LoopWatchOptions } from "../transport/loop-delay.ts";

export type { Channel, FramingProblem, NetworkDetails, Receiver, TransportSession } from "../jsonrpc/channel.ts";

export type { ConnectionMetrics, DropReason } from "../jsonrpc/counted-channel.ts";

export { InvalidMessageError } from "../jsonrpc/errors.ts";

export { defaultLimits, defaultTimeouts } from "../jsonrpc/limits.ts";
export type { Limits, Timeouts } from "../jsonrpc/limits.ts";

export { StaticResult } from "../jsonrpc/message.ts";
export type { Message, Outgoing, RequestId } from "../jsonrpc/message.ts";

export type { LoopDelay } from "../jsonrpc/metrics.ts";

export { rejectionCodes } from "../jsonrpc/rejection-codes.ts";

export type { CallContext, RequestOptions } from "./peer/incoming-call.ts";

export type { MiddlewareMessage, Next } from "./peer/message-middleware.ts";

export type { ListKind } from "./methods/list-kinds.ts";

export type { Connection, State } from "./peer/peer.ts";
export type { PeerOptions } from "./peer/peer-options.ts";

export type { HandlerResult } from "./revision/result-members.ts";

export type { Handlers, NotificationHandler, RequestHandler } from "./peer/routes.ts";

export type { Capabilities, PeerInfo, ImplementationInfo, Session } from "./session/session.ts";

export type { ObservedConnection, Telemetry } from "./session/telemetry.ts";
