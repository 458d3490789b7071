export { revisions } from "../generated/revisions.ts";

export type { Awaitable, CallOptions, Caller, Check, Implementation, Issue } from "../generated/support.ts";
export type { Extension, NotificationRow, Progress, RequestRow, Revision, Role } from "../generated/support.ts";

export { connect } from "./client/client.ts";
export type { ClientConnection, ConnectOptions } from "./client/client.ts";

export { connectProcess } from "./client/connect-process.ts";

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

export type { ClientEvent, Restored } from "./client/events.ts";

export type { ConnectionSource, Opener, ConnectServerOptions, OpenerOptions } from "./client/opener.ts";

export type { ClientOptions, ClientSettings, KeepAliveOptions, ReconnectOptions, Retry } from "./client/options.ts";

export { listAll, readItems, readPages } from "./client/pages.ts";
export type { Page, PageLimits, PageParams } from "./client/pages.ts";

export type {
  AnswerContext,
  ClientTypes,
  ElicitationOption,
  FormAnswer,
  FormContext,
  ListName,
  RootsOption,
  SamplingOption,
  UrlAnswer,
} from "./client/protocol.ts";

export type { CacheOptions } from "./client/result-cache.ts";

export type { Roots } from "./client/roots.ts";

export type { ClientSession, ListCallOptions, ReadCallOptions, SessionCallOptions } from "./client/session.ts";

export { createSkillReader } from "./client/skill-reader.ts";
export type { LoadedSkill, SkillReader, SkillReaderOptions, SkillServer } from "./client/skill-reader.ts";
export type { SkillContent } from "./client/skill-files.ts";

export type { ResourceListener } from "./client/subscriptions.ts";

export { communityProfile, communityReconnect, createCommunityProfile, guideKey } from "./community/profile.ts";
export type { CommunityOptions } from "./community/profile.ts";

export { categoryOf, errorRanges, toErrorCategory } from "./community/error-categories.ts";
export type { ErrorCategory, ErrorRange } from "./community/error-categories.ts";

export { createRefusal, readRefusal, refusals } from "./community/refusals.ts";
export type { Refusal, RefusalCategory, RefusalName, RefusalOptions } from "./community/refusals.ts";

export type { Answer } from "./common/answer.ts";

export type { Common } from "./common/lacks.ts";

export type { ListKind } from "./common/lists.ts";

export type { JsonSchemaValidator, ObjectSchema, SchemaIssue } from "./common/schema-issue.ts";

export { createAcceptor, serve as serveHandlers } from "./lifecycle/handshake.ts";
export type { ServeOptions } from "./lifecycle/handshake.ts";

export type { PerRevision } from "./lifecycle/opening.ts";

export type { CallContext, RequestOptions } from "./rpc/call.ts";

export type { Channel, Problem, Receiver } from "./rpc/channel.ts";

export type { Handlers, NotificationHandler, RequestHandler } from "./rpc/dispatch.ts";

export { Counters } from "./rpc/counters.ts";
export type { Figures, LoopDelay } from "./rpc/counters.ts";
export type { Counting, Dropped } from "./rpc/counting.ts";

export type { CacheHint } from "./rpc/cache-hint.ts";

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
} from "./rpc/errors.ts";

export { defaultLimits, defaultTimeouts } from "./rpc/limits.ts";
export type { Limits, Timeouts } from "./rpc/limits.ts";

export { StaticResult } from "./rpc/message.ts";
export type { Message, Outgoing, RequestId } from "./rpc/message.ts";

export type { Connection, State } from "./rpc/peer.ts";
export type { PeerOptions } from "./rpc/peer-options.ts";

export type { HttpRefusal, HttpRefusalReason, Profile } from "./rpc/profile.ts";

export type { OnError, Report } from "./rpc/report.ts";

export type { Capabilities, Party, ProgramInfo, Session } from "./rpc/session.ts";

export { auditRequests } from "./server/audit-log.ts";
export type { AuditEntry, AuditOptions } from "./server/audit-log.ts";

export { authorize } from "./server/authorize.ts";

export type { Catalogue } from "./server/catalogue.ts";

export { completeFrom } from "./server/complete-from.ts";

export { createDefiners } from "./server/definers.ts";
export type { Definers } from "./server/definers.ts";

export type { ArgumentFlags, ArgumentValues, NoFlags, PromptArgumentDefinition } from "./server/definitions.ts";
export type { PromptContent, PromptDefinition, ResourceContent, ResourceDefinition } from "./server/definitions.ts";
export type { ResourcePage, ResourceTemplateDefinition, Run, ServerDefinition } from "./server/definitions.ts";
export type { CacheHints } from "./server/cache-hints.ts";
export type { ServerOptions, ToolDefinition, ToolTask, ToolTaskOptions } from "./server/definitions.ts";
export type { Visibility } from "./server/definitions.ts";

export { ToolError, isToolError } from "./server/errors.ts";
export { refusalCodes } from "./rpc/refusal-codes.ts";

export { serveHttp } from "./server/http.ts";

export { fromJsonSchema } from "./server/json-schema.ts";
export type { FromJsonSchema, JsonSchemaOptions } from "./server/json-schema.ts";

export { inputRequired } from "./server/input-required.ts";
export type { InputQuestions, InputRequired } from "./server/input-required.ts";

export type { Middleware, ServerRequest } from "./server/middleware.ts";

export type { Authenticated, ClientQuestions, Complete, Completion, CompletionContext } from "./server/protocol.ts";
export type {
  AnswerOf,
  HandlerContext,
  ProtocolTypes,
  QuestionOptions,
  RequestFacts,
  Requester,
} from "./server/protocol.ts";

export { limitRate } from "./server/rate-limit.ts";
export type { RateLimitOptions } from "./server/rate-limit.ts";

export { redact, redactText } from "./server/redact.ts";

export { logRequests } from "./server/request-log.ts";
export type { RequestLogOptions } from "./server/request-log.ts";

export type { ResourceCatalogue } from "./server/resource-catalogue.ts";

export { resolveInside } from "./server/resolve-inside.ts";

export { resourceNotFound } from "./server/resources.ts";

export type { RoundOptions } from "./server/round-options.ts";

export type { NoArguments, Schema, SchemaResult } from "./server/schema.ts";

export { createFurtherTransports } from "./server/further-transports.ts";
export type { AccessOptions, Listen, PortListener, PortService } from "./server/further-transports.ts";

export { createHttpHandler } from "./server/serve-http.ts";
export type { ServeHttpOptions } from "./server/serve-http.ts";

export { readHttpPort, runEither, runHttp, runStdio } from "./server/run.ts";
export type { CommandLineOptions, FurtherTransports, RunOptions } from "./server/run.ts";

export { createServerAcceptor, serve } from "./server/serve.ts";
export type { ServerConnectionOptions } from "./server/serve.ts";

export { createServer } from "./server/server.ts";
export type { Server, ServerImplementation } from "./server/server.ts";

export type { ServerSource } from "./server/source.ts";

export { StepError } from "./server/steps.ts";

export { serveStdio } from "./server/stdio.ts";
export type { StdioService } from "./server/stdio.ts";

export type { TemplateVariables } from "./server/template-variables.ts";

export type { Rate } from "./rpc/token-bucket.ts";

export type { ToolUi } from "./server/tool-ui.ts";

export { createUiResource, uiMimeType } from "./server/ui-resource.ts";
export type { UiCsp, UiPermissions, UiResource, UiResourceOptions } from "./server/ui-resource.ts";

export { parseUriTemplate } from "./server/uri-template.ts";
export type { ExpandValue, MatchedValue, UriTemplate } from "./server/uri-template.ts";

export { createSkill } from "./skills/create-skill.ts";
export type { SkillOptions } from "./skills/create-skill.ts";

export { SkillError, isSkillError } from "./skills/errors.ts";
export type { SkillProblem } from "./skills/errors.ts";

export { readSkills } from "./skills/folder.ts";
export type { ReadSkillsOptions } from "./skills/folder.ts";

export type { ParseYaml } from "./skills/frontmatter.ts";

export type { Skill, SkillEntry, SkillFile, SkillFrontmatter, SkillResource } from "./skills/skill.ts";

export { MemoryTaskStore } from "./store/memory-task-store.ts";
export type { MemoryTaskStoreOptions } from "./store/memory-task-store.ts";

export { MemoryReplayStore } from "./store/replay-store.ts";
export type { ReplayStore } from "./store/replay-store.ts";

export type { TaskChange, TaskKey, TaskOutcome, TaskPage, TaskRange, TaskRecord } from "./store/task-store.ts";
export type { TaskStatus, TaskStore } from "./store/task-store.ts";

export type { TaskControl } from "./tasks/task-control.ts";

export { NoTaskError, isNoTaskError } from "./tasks/task-handle.ts";
export type { TaskCallOptions, TaskHandle, TaskRequestOptions } from "./tasks/task-handle.ts";

export type { TaskOptions } from "./tasks/task-options.ts";

export type { TaskState } from "./tasks/task.ts";

export { createChildProcessTransport } from "./transport/child-process.ts";
export type { ChildProcessOptions, ChildProcessTransport } from "./transport/child-process.ts";

export type { AuthAnswer, AuthProvider, AuthRequest } from "./transport/http-client/auth-provider.ts";

export type { HttpHandler } from "./transport/http/handler.ts";

export type { HttpListener, ListenOptions } from "./transport/http/listen.ts";

export type { AnswerStyle } from "./transport/http/post.ts";

export { watchLoopDelay } from "./transport/loop-delay.ts";
export type { LoopWatch, LoopWatchOptions } from "./transport/loop-delay.ts";

export { createMemoryPair } from "./transport/memory.ts";

export { createStdioTransport } from "./transport/stdio.ts";
export type { ServeStdioOptions, StdioOptions } from "./transport/stdio.ts";

export type { Transport } from "./transport/transport.ts";

export { createSocketTransport, createTcpTransport, listenTcp } from "./transport/tcp.ts";
export type { TcpClientOptions, TcpServer, TcpServerOptions } from "./transport/tcp.ts";

export { createWebSocketTransport } from "./transport/websocket-client.ts";
export type { WebSocketClientOptions } from "./transport/websocket-client.ts";
