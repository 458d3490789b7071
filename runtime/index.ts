export { revisions } from "../generated/revisions.ts";

export type { Awaitable, CallOptions, Caller, Check, Implementation, Issue } from "../generated/support.ts";
export type { Extension, NotificationRow, Progress, RequestRow, Revision, Role } from "../generated/support.ts";

export { connect } from "./client/connect.ts";
export type { ClientConnection, ConnectOptions } from "./client/connect.ts";

export { connectStdio } from "./client/connect-stdio.ts";

export { connectHttp } from "./client/connect-http.ts";
export type { ConnectHttpOptions } from "./client/connect-http.ts";

export { connectClient, createClient } from "./client/create-client.ts";
export type { Client } from "./client/create-client.ts";

export { FormError, InputRequiredError, SubscriptionError, ToolOutputError } from "./client/errors.ts";
export {
  isFormError,
  isIncompleteListError,
  isInputRequiredError,
  isSubscriptionError,
  isToolOutputError,
} from "./client/errors.ts";
export { rejectedByUser } from "./client/errors.ts";

export type { ClientEvent, RestoredState } from "./client/events.ts";

export type {
  Connectable,
  ConnectionFactory,
  ConnectServerOptions,
  ConnectionFactoryOptions,
} from "./client/connection-factory.ts";

export type { ClientOptions, ClientSettings, KeepAliveOptions, ReconnectOptions, Retry } from "./client/options.ts";

export { listAll, readItems, readPages } from "./client/lists/pages.ts";
export type { Page, PageLimits, PageParams } from "./client/lists/pages.ts";

export type {
  ClientRequestContext,
  ClientTypes,
  ElicitationOption,
  FormAnswer,
  FormContext,
  ListName,
  RootsOption,
  SamplingOption,
  UrlAnswer,
} from "./client/protocol-types.ts";

export type { CacheOptions } from "./client/lists/result-cache.ts";

export type { Roots } from "./client/input/roots.ts";

export type { ClientSession, ListCallOptions, ReadCallOptions, SessionCallOptions } from "./client/session/session.ts";

export { createSkillReader } from "./client/skills/skill-reader.ts";
export type { LoadedSkill, SkillReader, SkillReaderOptions, SkillServer } from "./client/skills/skill-reader.ts";
export type { SkillContent } from "./client/skills/skill-files.ts";

export type { ResourceListener } from "./client/subscriptions/resource-subscriptions.ts";

export { communityProfile, communityReconnect, createCommunityProfile, guideKey } from "./compatibility/profile.ts";
export type { CommunityOptions } from "./compatibility/profile.ts";

export { categoryOf, errorRanges, toErrorCategory } from "./compatibility/error-categories.ts";
export type { ErrorCategory, ErrorRange } from "./compatibility/error-categories.ts";

export { createRefusal, readRefusal, refusals } from "./compatibility/rejections.ts";
export type { Refusal, RefusalCategory, RefusalName, RefusalOptions } from "./compatibility/rejections.ts";

export type { Answer } from "./protocol/result-members.ts";

export type { CommonDeclarations } from "./protocol/missing.ts";

export type { ListKind } from "./protocol/list-kinds.ts";

export type { JsonSchemaValidator, ObjectSchema, SchemaIssue } from "./protocol/schema-issue.ts";

export { createAcceptor, serve as serveHandlers } from "./lifecycle/acceptor.ts";
export type { ServeOptions } from "./lifecycle/acceptor.ts";

export type { PerRevision } from "./lifecycle/serve-options.ts";

export type { CallContext, RequestOptions } from "./protocol/incoming-call.ts";

export type { Channel, Problem, Receiver } from "./jsonrpc/channel.ts";

export type { Handlers, NotificationHandler, RequestHandler } from "./protocol/routes.ts";

export { Metrics } from "./jsonrpc/metrics.ts";
export type { MetricsSnapshot, LoopDelay } from "./jsonrpc/metrics.ts";
export type { Counting, DropReason } from "./jsonrpc/counted-channel.ts";

export type { CacheHint } from "./protocol/cache-hint.ts";

export {
  CapabilityError,
  ClosedError,
  InvalidMessageError,
  MissingCapabilityError,
  PeerError,
  RpcError,
  SetupError,
  TimeoutError,
  UnsupportedVersionError,
  VersionError,
  errorCodes,
  isCapabilityError,
  isClosedError,
  isMissingCapabilityError,
  isUnsupportedVersionError,
  isPeerError,
  isRpcError,
  isTimeoutError,
} from "./jsonrpc/errors.ts";

export { defaultLimits, defaultTimeouts } from "./jsonrpc/limits.ts";
export type { Limits, Timeouts } from "./jsonrpc/limits.ts";

export { StaticResult } from "./jsonrpc/message.ts";
export type { Message, Outgoing, RequestId } from "./jsonrpc/message.ts";

export type { Connection, State } from "./protocol/peer.ts";
export type { PeerOptions } from "./protocol/peer-options.ts";

export type { HttpRefusal, HttpRefusalReason, Profile } from "./protocol/profile.ts";

export type { OnError, ErrorReport } from "./jsonrpc/error-report.ts";

export type { Capabilities, PeerInfo, ImplementationInfo, Session } from "./protocol/session.ts";

export { auditLog } from "./server/middleware/audit-log.ts";
export type { AuditEntry, AuditOptions } from "./server/middleware/audit-log.ts";

export { authorize } from "./server/middleware/authorize.ts";

export type { Catalogue } from "./server/list/catalogue.ts";

export { completeFrom } from "./server/completions/complete-from.ts";

export { forRevisions } from "./server/for-revisions.ts";
export type { RevisionDefiners } from "./server/for-revisions.ts";

export type { ArgumentFlags, ArgumentValues, NoFlags, PromptArgumentDefinition } from "./server/definition.ts";
export type { PromptContent, PromptDefinition, ResourceContent, ResourceDefinition } from "./server/definition.ts";
export type { ResourcePage, ResourceTemplateDefinition, Run, ServerDefinition } from "./server/definition.ts";
export type { CacheHints } from "./server/list/cache-hints.ts";
export type { ServerOptions, ToolDefinition, ToolTask, ToolTaskOptions } from "./server/definition.ts";
export type { Visibility } from "./server/definition.ts";

export { ToolError, isToolError } from "./server/errors.ts";
export { refusalCodes } from "./jsonrpc/rejection-codes.ts";

export { serveHttp } from "./server/run/serve-http.ts";

export { fromJsonSchema } from "./server/json-schema.ts";
export type { FromJsonSchema, JsonSchemaOptions } from "./server/json-schema.ts";

export { inputRequired } from "./server/input/input-required.ts";
export type { InputQuestions, InputRequired } from "./server/input/input-required.ts";

export type { Middleware, ServerRequest } from "./server/middleware/middleware.ts";

export type {
  Authenticated,
  ClientQuestions,
  Complete,
  Completion,
  CompletionContext,
} from "./server/protocol-types.ts";
export type {
  AnswerOf,
  HandlerContext,
  ProtocolTypes,
  QuestionOptions,
  RequestFacts,
  Requester,
} from "./server/protocol-types.ts";

export { rateLimit } from "./server/middleware/rate-limit.ts";
export type { RateLimitOptions } from "./server/middleware/rate-limit.ts";

export { redact, redactText } from "./server/middleware/redact.ts";

export { requestLogger } from "./server/middleware/request-logger.ts";
export type { RequestLogOptions } from "./server/middleware/request-logger.ts";

export type { ResourceCatalogue } from "./server/resources/catalogue.ts";

export { resolveInside } from "./server/resources/resolve-inside.ts";

export { resourceNotFound } from "./server/resources/registry.ts";

export type { RequestStateOptions } from "./server/input/request-state-options.ts";

export type { NoArguments, Schema, SchemaResult } from "./server/schema.ts";

export { createFurtherTransports } from "./server/run/further-transports.ts";
export type { AccessOptions, Listen, PortListener, PortService } from "./server/run/further-transports.ts";

export { createHttpHandler } from "./server/run/http-handler.ts";
export type { ServeHttpOptions } from "./server/run/http-handler.ts";

export { readHttpPort, runServer, runHttp, runStdio } from "./server/run/run-server.ts";
export type { CommandLineOptions, FurtherTransports, RunOptions } from "./server/run/run-server.ts";

export { createServerAcceptor, serve } from "./server/run/acceptor.ts";
export type { ServerConnectionOptions } from "./server/run/acceptor.ts";

export { createServer } from "./server/create-server.ts";
export type { Server, ServerImplementation } from "./server/create-server.ts";

export type { AnyServerDefinition } from "./server/any-definition.ts";

export { StepError } from "./server/input/steps.ts";

export { serveStdio } from "./server/run/serve-stdio.ts";
export type { StdioService } from "./server/run/serve-stdio.ts";

export type { TemplateVariables } from "./server/resources/template-variables.ts";

export type { Rate } from "./jsonrpc/token-bucket.ts";

export type { ToolUi } from "./server/apps/tool-ui.ts";

export { createUiResource, uiMimeType } from "./server/apps/ui-resource.ts";
export type { UiCsp, UiPermissions, UiResource, UiResourceOptions } from "./server/apps/ui-resource.ts";

export { parseUriTemplate } from "./server/resources/uri-template.ts";
export type { ExpandValue, MatchedValue, UriTemplate } from "./server/resources/uri-template.ts";

export { createSkill } from "./skills/create-skill.ts";
export type { SkillOptions } from "./skills/create-skill.ts";

export { SkillError, isSkillError } from "./skills/errors.ts";
export type { SkillProblem } from "./skills/errors.ts";

export { readSkills } from "./skills/folder.ts";
export type { ReadSkillsOptions } from "./skills/folder.ts";

export type { ParseYaml } from "./skills/frontmatter.ts";

export type { Skill, SkillEntry, SkillFile, SkillFrontmatter, SkillResource } from "./skills/skill.ts";

export { MemoryTaskStore } from "./stores/memory-task-store.ts";
export type { MemoryTaskStoreOptions } from "./stores/memory-task-store.ts";

export { MemoryReplayStore } from "./stores/replay-store.ts";
export type { ReplayStore } from "./stores/replay-store.ts";

export type { TaskChange, TaskKey, TaskOutcome, TaskPage, TaskRange, TaskRecord } from "./stores/task-store.ts";
export type { TaskStatus, TaskStore } from "./stores/task-store.ts";

export type { TaskControl } from "./tasks/task-control.ts";

export { NoTaskError, isNoTaskError } from "./tasks/task-handle.ts";
export type { TaskCallOptions, TaskHandle, TaskRequestOptions } from "./tasks/task-handle.ts";

export type { TaskOptions } from "./tasks/task-options.ts";

export type { TaskState } from "./tasks/task.ts";

export { createStdioClientTransport } from "./transport/stdio/stdio-client.ts";
export type { StdioClientOptions, StdioClientTransport } from "./transport/stdio/stdio-client.ts";

export type { AuthAnswer, AuthProvider, AuthRequest } from "./transport/http-client/auth-provider.ts";

export type { HttpHandler } from "./transport/http-server/handler.ts";

export type { HttpListener, ListenOptions } from "./transport/http-server/listen.ts";

export type { ResponseMode } from "./transport/http-server/session-response.ts";

export { watchLoopDelay } from "./transport/loop-delay.ts";
export type { LoopWatch, LoopWatchOptions } from "./transport/loop-delay.ts";

export { createInMemoryTransports } from "./transport/memory.ts";

export { createStdioTransport } from "./transport/stdio/stdio-server.ts";
export type { ServeStdioOptions, StdioOptions } from "./transport/stdio/stdio-server.ts";

export type { Transport } from "./transport/transport.ts";

export { createSocketTransport, createTcpTransport, listenTcp } from "./transport/tcp/tcp.ts";
export type { TcpClientOptions, TcpServer, TcpServerOptions } from "./transport/tcp/tcp.ts";

export { createWebSocketTransport } from "./transport/websocket/websocket-client.ts";
export type { WebSocketClientOptions } from "./transport/websocket/websocket-client.ts";
