export { revisions } from "../generated/revisions.ts";

export type { Awaitable } from "../generated/support.ts";
export type { CallOptions } from "../generated/support.ts";
export type { Caller } from "../generated/support.ts";
export type { Check } from "../generated/support.ts";
export type { Implementation } from "../generated/support.ts";
export type { Issue } from "../generated/support.ts";
export type { NotificationRow } from "../generated/support.ts";
export type { Progress } from "../generated/support.ts";
export type { RequestRow } from "../generated/support.ts";
export type { Revision } from "../generated/support.ts";
export type { Role } from "../generated/support.ts";

export { connect } from "./client/client.ts";
export type { ClientConnection } from "./client/client.ts";
export type { ConnectOptions } from "./client/client.ts";

export { connectHttp } from "./client/connect-http.ts";
export type { ConnectHttpOptions } from "./client/connect-http.ts";

export { connectClient } from "./client/create-client.ts";
export { createClient } from "./client/create-client.ts";
export type { Client } from "./client/create-client.ts";

export { FormError } from "./client/errors.ts";
export { ToolOutputError } from "./client/errors.ts";
export { isFormError } from "./client/errors.ts";
export { isToolOutputError } from "./client/errors.ts";
export { rejectedByUser } from "./client/errors.ts";

export type { ClientEvent } from "./client/events.ts";
export type { Restored } from "./client/events.ts";

export type { ConnectionSource } from "./client/opener.ts";
export type { Opener } from "./client/opener.ts";
export type { OpenerOptions } from "./client/opener.ts";

export type { ClientOptions } from "./client/options.ts";
export type { ClientSettings } from "./client/options.ts";
export type { KeepAliveOptions } from "./client/options.ts";
export type { ReconnectOptions } from "./client/options.ts";
export type { Retry } from "./client/options.ts";

export { listAll } from "./client/pages.ts";
export { readItems } from "./client/pages.ts";
export { readPages } from "./client/pages.ts";
export type { Page } from "./client/pages.ts";
export type { PageLimits } from "./client/pages.ts";
export type { PageParams } from "./client/pages.ts";

export type { AnswerContext } from "./client/protocol.ts";
export type { ClientTypes } from "./client/protocol.ts";
export type { ElicitationOption } from "./client/protocol.ts";
export type { FormAnswer } from "./client/protocol.ts";
export type { FormContext } from "./client/protocol.ts";
export type { ListName } from "./client/protocol.ts";
export type { RootsOption } from "./client/protocol.ts";
export type { SamplingOption } from "./client/protocol.ts";
export type { UrlAnswer } from "./client/protocol.ts";

export type { Roots } from "./client/roots.ts";

export type { ClientSession } from "./client/session.ts";
export type { ListCallOptions } from "./client/session.ts";
export type { SessionCallOptions } from "./client/session.ts";

export type { ResourceListener } from "./client/subscriptions.ts";

export type { Answer } from "./common/answer.ts";

export type { ListKind } from "./common/lists.ts";

export type { JsonSchemaValidator } from "./common/schema-issue.ts";
export type { ObjectSchema } from "./common/schema-issue.ts";
export type { SchemaIssue } from "./common/schema-issue.ts";

export { createAcceptor } from "./lifecycle/handshake.ts";
export { serve as serveHandlers } from "./lifecycle/handshake.ts";
export type { ServeOptions } from "./lifecycle/handshake.ts";

export type { PerRevision } from "./lifecycle/opening.ts";

export type { CallContext } from "./rpc/call.ts";
export type { RequestOptions } from "./rpc/call.ts";

export type { Channel } from "./rpc/channel.ts";
export type { Problem } from "./rpc/channel.ts";
export type { Receiver } from "./rpc/channel.ts";

export type { Handlers } from "./rpc/dispatch.ts";
export type { NotificationHandler } from "./rpc/dispatch.ts";
export type { RequestHandler } from "./rpc/dispatch.ts";

export { CapabilityError } from "./rpc/errors.ts";
export { ClosedError } from "./rpc/errors.ts";
export { InvalidMessageError } from "./rpc/errors.ts";
export { PeerError } from "./rpc/errors.ts";
export { RpcError } from "./rpc/errors.ts";
export { TimeoutError } from "./rpc/errors.ts";
export { VersionError } from "./rpc/errors.ts";
export { errorCodes } from "./rpc/errors.ts";
export { isCapabilityError } from "./rpc/errors.ts";
export { isClosedError } from "./rpc/errors.ts";
export { isPeerError } from "./rpc/errors.ts";
export { isRpcError } from "./rpc/errors.ts";
export { isTimeoutError } from "./rpc/errors.ts";

export { defaultLimits } from "./rpc/limits.ts";
export { defaultTimeouts } from "./rpc/limits.ts";
export type { Limits } from "./rpc/limits.ts";
export type { Timeouts } from "./rpc/limits.ts";

export { StaticResult } from "./rpc/message.ts";
export type { Message } from "./rpc/message.ts";
export type { Outgoing } from "./rpc/message.ts";
export type { RequestId } from "./rpc/message.ts";

export type { Connection } from "./rpc/peer.ts";
export type { PeerOptions } from "./rpc/peer.ts";
export type { State } from "./rpc/peer.ts";

export type { OnError } from "./rpc/report.ts";
export type { Report } from "./rpc/report.ts";

export type { Capabilities } from "./rpc/session.ts";
export type { Party } from "./rpc/session.ts";
export type { ProgramInfo } from "./rpc/session.ts";
export type { Session } from "./rpc/session.ts";

export { auditRequests } from "./server/audit-log.ts";
export type { AuditEntry } from "./server/audit-log.ts";
export type { AuditOptions } from "./server/audit-log.ts";

export { authorize } from "./server/authorize.ts";

export type { Catalogue } from "./server/catalogue.ts";

export { completeFrom } from "./server/complete-from.ts";

export { createDefiners } from "./server/definers.ts";
export type { Definers } from "./server/definers.ts";

export type { ArgumentFlags } from "./server/definitions.ts";
export type { ArgumentValues } from "./server/definitions.ts";
export type { NoFlags } from "./server/definitions.ts";
export type { PromptArgumentDefinition } from "./server/definitions.ts";
export type { PromptContent } from "./server/definitions.ts";
export type { PromptDefinition } from "./server/definitions.ts";
export type { ResourceContent } from "./server/definitions.ts";
export type { ResourceDefinition } from "./server/definitions.ts";
export type { ResourcePage } from "./server/definitions.ts";
export type { ResourceTemplateDefinition } from "./server/definitions.ts";
export type { Run } from "./server/definitions.ts";
export type { ServerDefinition } from "./server/definitions.ts";
export type { ServerOptions } from "./server/definitions.ts";
export type { TemplateVariables } from "./server/definitions.ts";
export type { ToolDefinition } from "./server/definitions.ts";
export type { ToolTask } from "./server/definitions.ts";
export type { ToolTaskOptions } from "./server/definitions.ts";
export type { Visibility } from "./server/definitions.ts";

export { ToolError } from "./server/errors.ts";
export { isToolError } from "./server/errors.ts";
export { refusalCodes } from "./server/errors.ts";

export { serveHttp } from "./server/http.ts";

export { fromJsonSchema } from "./server/json-schema.ts";
export type { FromJsonSchema } from "./server/json-schema.ts";
export type { JsonSchemaOptions } from "./server/json-schema.ts";

export type { Middleware } from "./server/middleware.ts";
export type { ServerRequest } from "./server/middleware.ts";

export type { Authenticated } from "./server/protocol.ts";
export type { ClientQuestions } from "./server/protocol.ts";
export type { Complete } from "./server/protocol.ts";
export type { Completion } from "./server/protocol.ts";
export type { CompletionContext } from "./server/protocol.ts";
export type { HandlerContext } from "./server/protocol.ts";
export type { ProtocolTypes } from "./server/protocol.ts";
export type { RequestFacts } from "./server/protocol.ts";
export type { Requester } from "./server/protocol.ts";

export { limitRate } from "./server/rate-limit.ts";
export type { RateLimitOptions } from "./server/rate-limit.ts";

export { redact } from "./server/redact.ts";
export { redactText } from "./server/redact.ts";

export { logRequests } from "./server/request-log.ts";
export type { RequestLogOptions } from "./server/request-log.ts";

export type { ResourceCatalogue } from "./server/resource-catalogue.ts";

export { resourceNotFound } from "./server/resources.ts";

export type { NoArguments } from "./server/schema.ts";
export type { Schema } from "./server/schema.ts";
export type { SchemaResult } from "./server/schema.ts";

export { createHttpHandler } from "./server/serve-http.ts";
export type { ServeHttpOptions } from "./server/serve-http.ts";

export { createServerAcceptor } from "./server/serve.ts";
export { serve } from "./server/serve.ts";
export type { ServerConnectionOptions } from "./server/serve.ts";

export { createServer } from "./server/server.ts";
export type { Server } from "./server/server.ts";
export type { ServerImplementation } from "./server/server.ts";

export type { ServerSource } from "./server/source.ts";

export { serveStdio } from "./server/stdio.ts";
export type { StdioService } from "./server/stdio.ts";

export type { Rate } from "./server/token-bucket.ts";

export { parseUriTemplate } from "./server/uri-template.ts";
export type { ExpandValue } from "./server/uri-template.ts";
export type { MatchedValue } from "./server/uri-template.ts";
export type { UriTemplate } from "./server/uri-template.ts";

export { MemoryTaskStore } from "./store/memory-task-store.ts";
export type { MemoryTaskStoreOptions } from "./store/memory-task-store.ts";

export type { TaskChange } from "./store/task-store.ts";
export type { TaskKey } from "./store/task-store.ts";
export type { TaskOutcome } from "./store/task-store.ts";
export type { TaskPage } from "./store/task-store.ts";
export type { TaskRange } from "./store/task-store.ts";
export type { TaskRecord } from "./store/task-store.ts";
export type { TaskStatus } from "./store/task-store.ts";
export type { TaskStore } from "./store/task-store.ts";

export type { TaskControl } from "./tasks/task-call.ts";

export { NoTaskError } from "./tasks/task-handle.ts";
export { isNoTaskError } from "./tasks/task-handle.ts";
export type { TaskCallOptions } from "./tasks/task-handle.ts";
export type { TaskHandle } from "./tasks/task-handle.ts";
export type { TaskRequestOptions } from "./tasks/task-handle.ts";

export type { TaskOptions } from "./tasks/task-options.ts";

export type { TaskState } from "./tasks/task.ts";

export { createChildProcessTransport } from "./transport/child-process.ts";
export type { ChildProcessOptions } from "./transport/child-process.ts";
export type { ChildProcessTransport } from "./transport/child-process.ts";

export type { HttpHandler } from "./transport/http/handler.ts";

export type { HttpListener } from "./transport/http/listen.ts";
export type { ListenOptions } from "./transport/http/listen.ts";

export type { AnswerStyle } from "./transport/http/post.ts";

export { createMemoryPair } from "./transport/memory.ts";

export { createStdioTransport } from "./transport/stdio.ts";
export type { ServeStdioOptions } from "./transport/stdio.ts";
export type { StdioOptions } from "./transport/stdio.ts";

export type { Transport } from "./transport/transport.ts";

export { createSocketTransport } from "./transport/tcp.ts";
export { createTcpTransport } from "./transport/tcp.ts";
export { listenTcp } from "./transport/tcp.ts";
export type { TcpClientOptions } from "./transport/tcp.ts";
export type { TcpServer } from "./transport/tcp.ts";
export type { TcpServerOptions } from "./transport/tcp.ts";

export { createWebSocketTransport } from "./transport/websocket-client.ts";
export type { WebSocketClientOptions } from "./transport/websocket-client.ts";
