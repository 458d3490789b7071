import type { Awaitable, Revision } from "../../../generated/support.ts";
import { chain } from "../../internal/maybe-async.ts";
import { findBatchProblem } from "../../jsonrpc/batch.ts";
import type { RequestId } from "../../jsonrpc/message.ts";
import { alreadyInitialized } from "../../protocol/session/session.ts";
import { validateStateless, type StatelessOutcome, type StatelessContext } from "./validate-stateless.ts";
import type { CancellationOrder } from "./exchange/cancellation-order.ts";
import type { Exchange, RequestHead } from "./exchange/exchange.ts";
import { authenticate, checkScopes } from "./authenticate.ts";
import { accepts, isJson, type MediaType } from "./media-types.ts";
import type { Identity } from "./identity.ts";
import { bodyTooLarge, idOf, idsOf, isInitialize, readPostBody, type PostBody } from "./post-body.ts";
import { rejectHttp, shuttingDown, unknownSession, type RejectedRequest } from "./rejection.ts";
import type { FoundSession, IdentifiedPost, SessionDirectory } from "./session/session-directory.ts";
import type { HttpService, HttpSettings } from "./settings.ts";

/** Context of the checks. */
export interface HttpServerContext extends StatelessContext {
  readonly service: Pick<HttpService, "readParamHeaders" | "readScopes">;
  readonly settings: HttpSettings;
  readonly directory: SessionDirectory;
  readonly cancellations: CancellationOrder;
  readonly isClosing: boolean;
}

/** Outcome of the checks of a request. */
export type ValidationOutcome =
  | StatelessOutcome
  | { readonly kind: "preflight" }
  /** `initialize` without a session: opens one. */
  | { readonly kind: "open"; readonly identity: Identity | undefined; readonly postBody: PostBody }
  /** Stateless POST, because sessions are disabled. */
  | {
      readonly kind: "without-session";
      readonly identity: Identity | undefined;
      readonly postBody: PostBody;
      readonly revision: Revision | undefined;
    }
  | {
      readonly kind: "message";
      readonly identity: Identity | undefined;
      readonly postBody: PostBody;
      readonly session: FoundSession;
    }
  | { readonly kind: "listen"; readonly session: FoundSession; readonly cursor: string | undefined }
  | { readonly kind: "leave"; readonly session: FoundSession };

/**
 * Runs the checks for a request to the endpoint, in this order on every platform. The first failure determines the response. A body is read only
 * after the checks of its sender, and handlers receive only requests without a failed check.
 */
export function validateRequest(exchange: Exchange, serverContext: HttpServerContext): Awaitable<ValidationOutcome> {
  const early =
    (isSessionPost(exchange) ? undefined : checkOpen(serverContext)) ??
    checkMethod(exchange, serverContext) ??
    checkLines(exchange) ??
    checkHost(exchange, serverContext) ??
    checkOrigin(exchange, serverContext);
  if (early) return early;
  if (exchange.method === "OPTIONS") return { kind: "preflight" };
  const { settings } = serverContext;
  const { guard } = settings;
  if (!guard) return validateContent(exchange, serverContext, undefined);
  return authenticate(exchange, guard, settings).then((identity) => {
    if (isRejection(identity)) return identity;
    // A client that has disconnected during the authentication may send the request again.
    if (exchange.method === "POST" && exchange.isGone) return rejectHttp(400, "The client has disconnected");
    return validateContent(exchange, serverContext, identity);
  });
}

/** Validates a request after the checks of its sender. */
function validateContent(
  exchange: Exchange,
  serverContext: HttpServerContext,
  identity: Identity | undefined,
): Awaitable<ValidationOutcome> {
  if (exchange.method !== "POST") return validateWithoutBody(exchange, serverContext, identity);
  const unread = checkAccept(exchange, bothTypes) ?? checkBodyHeaders(exchange, serverContext);
  if (unread) return unread;
  const { settings } = serverContext;
  return chain(exchange.readBody(settings.bodyLimits), (body) => {
    const postBody = readPostBody(body, settings.limits);
    return postBody.kind === "refused" ? postBody : validatePost(exchange, serverContext, { identity, postBody });
  });
}

function validatePost(
  exchange: Exchange,
  serverContext: HttpServerContext,
  post: IdentifiedPost,
): Awaitable<ValidationOutcome> {
  const { identity, postBody } = post;
  const closing = isForRunningCalls(postBody) ? undefined : checkOpen(serverContext);
  if (closing) return closing;
  const stateless = validateStateless(exchange, serverContext, post);
  if (stateless?.kind === "stateless") return checkScopes(exchange, serverContext, post) ?? stateless;
  if (stateless) return stateless;
  if (!serverContext.settings.sessions) return validateStatelessRequest(exchange, serverContext, post);
  if (isInitialize(postBody) && exchange.header(sessionHeader) === undefined)
    return { kind: "open", identity, postBody };
  return validateSessionMessage(exchange, serverContext, post);
}

/** Validates a POST of a session. */
function validateSessionMessage(
  exchange: Exchange,
  serverContext: HttpServerContext,
  post: IdentifiedPost,
): Awaitable<ValidationOutcome> {
  const { identity, postBody } = post;
  return chain(findSession(exchange, serverContext, { identity, reserve: idsOf(postBody) }), (session) =>
    isRejection(session) ? session : checkSessionMessage(exchange, serverContext, { identity, postBody, session }),
  );
}

/** Checks a POST of a known session. The requests of a rejected one may be sent again with the same ids. */
function checkSessionMessage(
  exchange: Exchange,
  serverContext: HttpServerContext,
  { identity, postBody, session }: IdentifiedPost & { readonly session: FoundSession },
): ValidationOutcome {
  const unfit =
    checkSecond(postBody) ??
    checkVersion(exchange, serverContext, session) ??
    checkBatch(postBody, session.revision, serverContext) ??
    checkScopes(exchange, serverContext, { identity, postBody });
  if (!unfit) return { kind: "message", identity, postBody, session };
  session.release?.();
  return unfit;
}

/** Rejects requests to a closing server immediately. Checked again after the other checks, because the server may have begun to close during them. */
export function checkOpen({ isClosing }: HttpServerContext): RejectedRequest | undefined {
  return isClosing ? shuttingDown() : undefined;
}

/** True for messages of interest to running calls of a closing server: notifications, and responses to its requests. */
export function isForRunningCalls(postBody: PostBody): boolean {
  return idsOf(postBody).length === 0;
}

/** True for a POST whose body has to be read before it is known whether a closing server rejects it. */
function isSessionPost(exchange: Exchange): boolean {
  return exchange.method === "POST" && exchange.header(sessionHeader) !== undefined;
}

/** Name of the header with the session id, in lower case. */
export const sessionHeader = "mcp-session-id";

/**
 * Rejects truncated heads, and repeated header fields which determine the handling of a request. Fields with copies of the message are checked with
 * it.
 */
export function checkLines(exchange: Exchange): RejectedRequest | undefined {
  if (exchange.isCut) return rejectHttp(431, "Too many header fields", { headers: { connection: "close" } });
  for (const [field, name] of singleFields)
    if (exchange.isRepeated(field)) return rejectHttp(400, `The header ${name} must be sent once`);
  return undefined;
}

const singleFields: readonly (readonly [field: string, name: string])[] = [
  ["content-type", "Content-Type"],
  [sessionHeader, "Mcp-Session-Id"],
  ["last-event-id", "Last-Event-ID"],
];

/**
 * Rejects a request for a host outside of `allowedHosts`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-7.2
 */
export function checkHost({ hosts }: Exchange, { settings }: HttpServerContext): RejectedRequest | undefined {
  if (hosts.length === 0) return rejectHttp(400, "The request must have exactly one host");
  for (const host of hosts)
    if (!settings.hosts.isHost(host))
      return rejectHttp(403, "Host not allowed; add it to ALLOWED_HOSTS or the option allowedHosts");
  return undefined;
}

/**
 * Rejects a request from a page whose origin is not allowed.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 */
export function checkOrigin(exchange: Exchange, { settings }: HttpServerContext): RejectedRequest | undefined {
  const origin = exchange.header("origin");
  if (origin === undefined || settings.hosts.isOrigin(origin, exchange.hosts)) return undefined;
  return rejectHttp(403, "Origin not allowed; add it to the option allowedOrigins");
}

/** Rejects a request unless its `Accept` header admits every one of these types. */
export function checkAccept(head: RequestHead, types: readonly MediaType[]): RejectedRequest | undefined {
  const header = head.header("accept");
  if (accepts(header, types)) return undefined;
  return rejectHttp(406, `Not acceptable; the Accept header must list ${types.join(" and ")}`);
}

/** Rejects content other than uncompressed JSON within the size limit. */
export function checkBodyHeaders(head: RequestHead, { settings }: HttpServerContext): RejectedRequest | undefined {
  if (!isJson(head.header("content-type")))
    return rejectHttp(415, "Unsupported media type; use Content-Type application/json");
  const encoding = head.header("content-encoding");
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    return rejectHttp(415, "Unsupported Content-Encoding; send the body without one");
  }
  const length = Number(head.header("content-length") ?? 0);
  return length > settings.limits.maxMessageBytes ? bodyTooLarge(settings.limits) : undefined;
}

/** True if a value is a rejection: a check failed. */
export function isRejection<Value extends object>(value: Value | RejectedRequest): value is RejectedRequest {
  return "kind" in value && value.kind === "refused";
}

function checkMethod(
  { method, path }: RequestHead,
  { settings, revisions }: HttpServerContext,
): RejectedRequest | undefined {
  if (settings.path !== undefined && path !== settings.path)
    return rejectHttp(404, `Not found; the path of the server is ${settings.path}`);
  const allowed = settings.sessions && revisions.hasSessions ? sessionMethods : statelessMethods;
  if (allowed.includes(method) || (method === "OPTIONS" && settings.cors)) return undefined;
  return rejectHttp(405, `Method not allowed; use ${allowed.join(", ")}`, { headers: { allow: allowed.join(", ") } });
}

/** A response may be JSON or a stream, so both must be acceptable. */
const bothTypes: readonly MediaType[] = ["application/json", "text/event-stream"];

const statelessMethods: readonly string[] = ["POST"];

const sessionMethods: readonly string[] = ["POST", "GET", "DELETE"];

/** Validates GET, which opens a stream, and DELETE, which ends a session. */
async function validateWithoutBody(
  exchange: Exchange,
  serverContext: HttpServerContext,
  identity: Identity | undefined,
): Promise<ValidationOutcome> {
  const isListening = exchange.method === "GET";
  const unacceptable = isListening ? checkAccept(exchange, ["text/event-stream"]) : undefined;
  if (unacceptable) return unacceptable;
  const found = await findSession(exchange, serverContext, { identity, reserve: [] });
  if (isRejection(found)) {
    const id = exchange.header(sessionHeader);
    if (!isListening && id !== undefined)
      await serverContext.directory.endUnknown?.({ id, owner: identity?.principal });
    return found;
  }
  const unfit = checkVersion(exchange, serverContext, found);
  if (unfit) return unfit;
  return isListening
    ? { kind: "listen", session: found, cursor: exchange.header("last-event-id") }
    : { kind: "leave", session: found };
}

/** Validates a POST without sessions. The header names the revision. Without the header, the client is of a revision which does not know it. */
function validateStatelessRequest(
  exchange: Exchange,
  serverContext: HttpServerContext,
  { identity, postBody }: { readonly identity: Identity | undefined; readonly postBody: PostBody },
): ValidationOutcome {
  if (isInitialize(postBody)) return { kind: "without-session", identity, postBody, revision: undefined };
  const unknown = checkVersion(exchange, serverContext, undefined);
  if (unknown) return unknown;
  const name = exchange.header(versionHeader)?.trim();
  const revision = name === undefined ? serverContext.revisions.assumed : serverContext.revisions.find(name);
  if (!revision)
    return rejectHttp(400, `The header MCP-Protocol-Version is required; supported: ${serverContext.revisions.names}`);
  const unfit =
    checkBatch(postBody, revision, serverContext) ?? checkScopes(exchange, serverContext, { identity, postBody });
  return unfit ?? { kind: "without-session", identity, postBody, revision };
}

function findSession(
  exchange: Exchange,
  { directory }: HttpServerContext,
  { identity, reserve }: { readonly identity: Identity | undefined; readonly reserve: readonly RequestId[] },
): Awaitable<FoundSession | RejectedRequest> {
  const id = exchange.header(sessionHeader);
  if (id === undefined)
    return rejectHttp(400, "The header Mcp-Session-Id is required; send initialize first", {
      reason: "not-initialized",
    });
  const access = directory.access({ id, owner: identity?.principal }, reserve);
  return chain(access, (found) => found ?? unknownSession());
}

function checkSecond(postBody: PostBody): RejectedRequest | undefined {
  return isInitialize(postBody) ? rejectHttp(400, alreadyInitialized, { id: idOf(postBody) }) : undefined;
}

/**
 * Rejects a version header with a revision which is not served, or with `strictVersion` one other than the session's.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header
 */
function checkVersion(
  head: RequestHead,
  serverContext: HttpServerContext,
  session: Pick<FoundSession, "revision"> | undefined,
): RejectedRequest | undefined {
  const name = head.header(versionHeader)?.trim();
  if (name === undefined) return undefined;
  const { revisions, settings } = serverContext;
  if (!revisions.find(name)) return rejectHttp(400, `Unsupported protocol version; supported: ${revisions.names}`);
  if (!settings.strictVersion || !session || session.revision?.id === name) return undefined;
  return rejectHttp(400, `The protocol version does not match the session; use ${session.revision?.id}`);
}

function checkBatch(
  postBody: PostBody,
  revision: Revision | undefined,
  { settings }: HttpServerContext,
): RejectedRequest | undefined {
  if (postBody.kind === "single") return undefined;
  const rules = { batching: revision?.batching ?? false, maxBatch: settings.limits.maxBatch };
  const problem = findBatchProblem(postBody.values, rules);
  return problem === undefined ? undefined : rejectHttp(400, problem);
}

const versionHeader = "mcp-protocol-version";
