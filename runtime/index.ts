/** Everyday functions for authors of servers and clients; the other entries of the package have the rest. */
export type { Extension, Issue, Progress, Revision } from "../generated/support.ts";

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

export type { ConnectionFactory } from "./client/connection-factory.ts";

export type { ClientOptions, ClientSettings } from "./client/options.ts";

export { listAll, readItems, readPages } from "./client/lists/pages.ts";

export type { ClientSession } from "./client/session/client-session.ts";

export { defineExtension } from "./server/extensions/define-extension.ts";

export type { CommonDeclarations } from "./protocol/revision/missing.ts";

export type { JsonSchemaValidator, ObjectSchema, SchemaIssue } from "./protocol/methods/schema-issue.ts";

export { Metrics } from "./jsonrpc/metrics.ts";
export type { MetricsSnapshot } from "./jsonrpc/metrics.ts";

export type { CacheHint } from "./protocol/methods/cache-hint.ts";

export {
  CapabilityError,
  ClosedError,
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

export type { OnError, ErrorReport } from "./jsonrpc/error-report.ts";

export { auditLog } from "./server/middleware/audit-log.ts";
export type { AuditEntry, AuditOptions } from "./server/middleware/audit-log.ts";

export { authorize } from "./server/middleware/authorize.ts";

export type { Catalogue } from "./server/list/catalogue.ts";

export { completeFrom } from "./server/completions/complete-from.ts";

export { forRevisions } from "./server/for-revisions.ts";
export type { RevisionDefiners } from "./server/for-revisions.ts";

export type { ArgumentFlags, ArgumentValues, NoFlags, PromptArgumentDefinition } from "./server/definition.ts";
export type { PromptContent, PromptDefinition, ResourceContent, ResourceDefinition } from "./server/definition.ts";
export type {
  ResourcePage,
  ResourceTemplateDefinition,
  Execute as Run,
  ServerDefinition,
} from "./server/definition.ts";
export type { CacheHints } from "./server/list/cache-hints.ts";
export type { ServerOptions, ToolDefinition } from "./server/definition.ts";
export type { Visibility } from "./server/definition.ts";

export { ToolError, isToolError } from "./server/errors.ts";

export { serveHttp } from "./server/run/serve-http.ts";

export { fromJsonSchema } from "./server/json-schema.ts";
export type { FromJsonSchema, JsonSchemaOptions } from "./server/json-schema.ts";

export { inputRequired } from "./server/input/input-required.ts";
export type { InputRequiredFields, InputRequired } from "./server/input/input-required.ts";

export type { MessageMiddleware } from "./protocol/peer/message-middleware.ts";

export type { Middleware, ServerRequest } from "./server/middleware/middleware.ts";

export type { ClientRequests, FormResponse, InputRequestOptions } from "./server/input/request-types.ts";
export type { Authenticated, Complete, Completion, CompletionContext } from "./server/protocol-types.ts";
export type { ResultOf, HandlerContext, RequestFacts, RequestSession } from "./server/protocol-types.ts";

export { rateLimit } from "./server/middleware/rate-limit.ts";
export type { RateLimitOptions } from "./server/middleware/rate-limit.ts";

export { redact, redactText } from "./server/middleware/redact.ts";

export { requestLogger } from "./server/middleware/request-logger.ts";
export type { RequestLogOptions } from "./server/middleware/request-logger.ts";

export type { ResourceCatalogue } from "./server/resources/catalogue.ts";

export { resolveInside } from "./server/resources/resolve-inside.ts";

export { resourceNotFound } from "./server/resources/registry.ts";

export type { RequestStateOptions } from "./server/input/request-state-options.ts";

export type { NoArguments, Schema, SchemaResult } from "./server/standard-schema.ts";

export { createHttpHandler } from "./server/run/http-handler.ts";
export type { ServeHttpOptions } from "./server/run/http-handler.ts";

export { readHttpPort, runServer, runHttp, runStdio } from "./server/run/run-server.ts";
export type { CommandLineOptions, RunOptions } from "./server/run/run-server.ts";

export { serve } from "./server/run/acceptor.ts";

export { createServer } from "./server/create-server.ts";
export type { Server } from "./server/create-server.ts";

export { createSessionState } from "./server/session-state.ts";
export type { TypedSessionState } from "./server/session-state.ts";

export { StepError } from "./server/input/steps.ts";

export { serveStdio } from "./server/run/serve-stdio.ts";
export type { StdioService } from "./server/run/serve-stdio.ts";

export type { TemplateVariables } from "./server/resources/uri-template/template-variables.ts";

export type { Rate } from "./jsonrpc/token-bucket.ts";

export type { ToolUi } from "./server/apps/tool-ui.ts";

export { createUiResource, uiMimeType } from "./server/apps/ui-resource.ts";
export type { UiCsp, UiPermissions, UiResource, UiResourceOptions } from "./server/apps/ui-resource.ts";

export { createSkill } from "./skills/create-skill.ts";
export type { SkillOptions } from "./skills/create-skill.ts";

export { readSkills } from "./skills/folder.ts";
export type { ReadSkillsOptions } from "./skills/folder.ts";

export type { Skill } from "./skills/skill.ts";

export type { AuthProvider } from "./transport/http-client/auth-provider.ts";

export type { HttpHandler } from "./transport/http-server/handler.ts";

export type { HttpListener, ListenOptions } from "./transport/http-server/listen.ts";

export type { ResponseMode } from "./transport/http-server/session/session-response.ts";

export { createInMemoryTransports } from "./transport/memory.ts";
