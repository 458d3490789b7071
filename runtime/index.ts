export { revisions } from "../generated/revisions.ts";
export {
  type Awaitable,
  type CallOptions,
  type Caller,
  type Check,
  type Implementation,
  type Issue,
  type NotificationRow,
  type Progress,
  type RequestRow,
  type Revision,
  type Role,
} from "../generated/support.ts";

export { connect, type ClientConnection, type ConnectOptions } from "./client/client.ts";
export { listAll, readItems, readPages, type Page, type PageLimits, type PageParams } from "./client/pages.ts";

export { createAcceptor, serve as serveHandlers, type ServeOptions } from "./lifecycle/handshake.ts";
export { type PerRevision } from "./lifecycle/opening.ts";

export { type CallContext, type RequestOptions } from "./rpc/call.ts";
export { type Channel, type Problem, type Receiver } from "./rpc/channel.ts";
export { type Handlers, type NotificationHandler, type RequestHandler } from "./rpc/dispatch.ts";
export {
  CapabilityError,
  ClosedError,
  InvalidMessageError,
  PeerError,
  RpcError,
  TimeoutError,
  VersionError,
  errorCodes,
  isCapabilityError,
  isClosedError,
  isPeerError,
  isRpcError,
  isTimeoutError,
} from "./rpc/errors.ts";
export { defaultLimits, defaultTimeouts, type Limits, type Timeouts } from "./rpc/limits.ts";
export { StaticResult, type Message, type Outgoing, type RequestId } from "./rpc/message.ts";
export { type Connection, type PeerOptions, type State } from "./rpc/peer.ts";
export { type OnError, type Report } from "./rpc/report.ts";
export { type Capabilities, type Party, type ProgramInfo, type Session } from "./rpc/session.ts";

export { createDefiners, type Definers } from "./server/definers.ts";
export {
  type ArgumentFlags,
  type ArgumentValues,
  type NoFlags,
  type PromptArgumentDefinition,
  type PromptContent,
  type PromptDefinition,
  type ResourceContent,
  type ResourceDefinition,
  type ResourceTemplateDefinition,
  type Run,
  type ServerDefinition,
  type ServerOptions,
  type TemplateVariables,
  type ToolDefinition,
} from "./server/definitions.ts";
export { ToolError, isToolError } from "./server/errors.ts";
export { fromJsonSchema, type FromJsonSchema, type JsonSchemaOptions } from "./server/json-schema.ts";
export {
  type Answer,
  type ClientQuestions,
  type Complete,
  type Completion,
  type CompletionContext,
  type HandlerContext,
  type ProtocolTypes,
  type RequestFacts,
} from "./server/protocol.ts";
export { resourceNotFound } from "./server/resources.ts";
export {
  type NoArguments,
  type ObjectSchema,
  type Schema,
  type SchemaIssue,
  type SchemaResult,
} from "./server/schema.ts";
export { createServerAcceptor, serve, type ServerConnectionOptions } from "./server/serve.ts";
export { createServer, type Server, type ServerImplementation } from "./server/server.ts";
export { type ServerSource } from "./server/source.ts";
export { serveStdio } from "./server/stdio.ts";
export { parseUriTemplate, type ExpandValue, type MatchedValue, type UriTemplate } from "./server/uri-template.ts";

export {
  createChildProcessTransport,
  type ChildProcessOptions,
  type ChildProcessTransport,
} from "./transport/child-process.ts";
export { createMemoryPair } from "./transport/memory.ts";
export { createStdioTransport, type ServeStdioOptions, type StdioOptions } from "./transport/stdio.ts";
export { type Transport } from "./transport/transport.ts";
