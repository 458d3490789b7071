import type { Revision } from "../../../generated/support.ts";
import { errorCodes } from "../../jsonrpc/errors.ts";
import { validateStateless, type StatelessOutcome, type StatelessContext } from "./validate-stateless.ts";
import type { Exchange, RequestHead } from "./exchange/exchange.ts";
import { authenticate, checkScopes } from "./authenticate.ts";
import { accepts, isJson } from "./media-types.ts";
import type { Identity } from "./identity.ts";
import { idOf, isInitialize, readPostBody, type PostBody } from "./post-body.ts";
import { refuse, type Refusal } from "./rejection.ts";
import type { HttpSession } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import type { HttpService, HttpSettings } from "./settings.ts";

/** What the checks need to know. */
export interface HttpServerContext extends StatelessContext {
  readonly service: Pick<HttpService, "readParamHeaders" | "readScopes">;
  readonly settings: HttpSettings;
  readonly sessions: Sessions;
  readonly isClosing: boolean;
}

/** What a request turned out to be, once every check has passed. */
export type ValidationOutcome =
  | StatelessOutcome
  | { readonly kind: "preflight" }
  /** `initialize` without a session. */
  | { readonly kind: "open"; readonly identity: Identity | undefined; readonly parcel: PostBody }
  /** A POST that stands alone, because sessions are off. */
  | {
      readonly kind: "alone";
      readonly identity: Identity | undefined;
      readonly parcel: PostBody;
      readonly revision: Revision | undefined;
    }
  | {
      readonly kind: "message";
      readonly identity: Identity | undefined;
      readonly parcel: PostBody;
      readonly session: HttpSession;
    }
  | { readonly kind: "listen"; readonly session: HttpSession; readonly cursor: string | undefined }
  | { readonly kind: "leave"; readonly session: HttpSession };

/**
 * The checks that every request to the endpoint passes, in this order, whatever the platform. The first that fails is what the client is
 * told; nothing of a body is read before its sender may send one, and no handler sees a request that failed any.
 */
export async function validateRequest(exchange: Exchange, house: HttpServerContext): Promise<ValidationOutcome> {
  const early =
    checkOpen(house) ??
    checkMethod(exchange, house) ??
    checkLines(exchange) ??
    checkHost(exchange, house) ??
    checkOrigin(exchange, house);
  if (early) return early;
  if (exchange.method === "OPTIONS") return { kind: "preflight" };
  const identity = await authenticate(exchange, house);
  if (isRefusal(identity)) return identity;
  if (exchange.method !== "POST") return climbWithoutBody(exchange, house, identity);
  const unread = checkAccept(exchange, bothTypes) ?? checkContent(exchange, house);
  if (unread) return unread;
  const parcel = await readBody(exchange, house);
  if (isRefusal(parcel)) return parcel;
  const claimed = validateStateless(exchange, house, { identity, parcel });
  if (claimed) return checkClaimScopes(exchange, house, { claimed, parcel }) ?? claimed;
  if (!house.settings.sessions) return climbAlone(exchange, house, { identity, parcel });
  if (isInitialize(parcel) && exchange.header(sessionHeader) === undefined) return { kind: "open", identity, parcel };
  const session = await findSession(exchange, house, identity);
  if (isRefusal(session)) return session;
  const unfit =
    checkSecond(parcel) ??
    checkVersion(exchange, house, session) ??
    checkBatch(parcel, session.revision, house) ??
    checkScopes(exchange, house, { identity, parcel });
  return unfit ?? { kind: "message", identity, parcel, session };
}

/** A server that is closing says so at once, so that balancers look elsewhere; it may have begun to close while others were asked. */
export function checkOpen({ isClosing }: HttpServerContext): Refusal | undefined {
  if (!isClosing) return undefined;
  const headers = { "retry-after": "5", connection: "close" };
  return refuse(503, "The server is shutting down", { code: errorCodes.internalError, headers });
}

/** Name of the header that carries the id of a session. */
export const sessionHeader = "mcp-session-id";

/** Rejects repeated header fields that decide about a request, and heads that were cut. Fields that repeat the message are checked with it. */
export function checkLines(exchange: Exchange): Refusal | undefined {
  if (exchange.isCut)
    return refuse(431, "The request has too many header fields", { headers: { connection: "close" } });
  const repeated = singleFields.find(([field]) => exchange.isRepeated(field));
  return repeated && refuse(400, `The header ${repeated[1]} must be sent once`);
}

const singleFields: readonly (readonly [field: string, name: string])[] = [
  ["content-type", "Content-Type"],
  [sessionHeader, "Mcp-Session-Id"],
  ["last-event-id", "Last-Event-ID"],
];

/** @see https://www.rfc-editor.org/rfc/rfc9110#section-7.2 */
export function checkHost({ hosts }: Exchange, { settings }: HttpServerContext): Refusal | undefined {
  if (hosts.length === 0) return refuse(400, "The request must name exactly one host");
  if (hosts.every((host) => settings.hosts.isHost(host))) return undefined;
  return refuse(403, "This host is not served here: the server's allowedHosts does not list it");
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning */
export function checkOrigin(exchange: Exchange, { settings }: HttpServerContext): Refusal | undefined {
  const origin = exchange.header("origin");
  if (origin === undefined || settings.hosts.isOrigin(origin, exchange.hosts)) return undefined;
  return refuse(403, "Pages of this origin are not served: the server's allowedOrigins does not list it");
}

/** Every one of these types must be acceptable. */
export function checkAccept(head: RequestHead, types: readonly string[]): Refusal | undefined {
  const header = head.header("accept");
  if (types.every((type) => accepts(header, type))) return undefined;
  return refuse(406, `The Accept header must list ${types.join(" and ")}`);
}

/** Only JSON, uncompressed, and not too much of it. */
export function checkContent(head: RequestHead, { settings }: HttpServerContext): Refusal | undefined {
  if (!isJson(head.header("content-type"))) return refuse(415, "The Content-Type must be application/json");
  const encoding = head.header("content-encoding");
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    return refuse(415, "A body must not have a Content-Encoding");
  }
  const length = Number(head.header("content-length") ?? 0);
  return length > settings.limits.maxMessageBytes ? tooLarge(settings) : undefined;
}

/** The body as a message or a batch. */
export async function readBody(exchange: Exchange, { settings }: HttpServerContext): Promise<PostBody | Refusal> {
  const { limits, bodyTimeout } = settings;
  const body = await exchange.readBody({ maxBytes: limits.maxMessageBytes, timeout: bodyTimeout });
  switch (body.kind) {
    case "text":
      return readPostBody(body.text, settings.limits);
    case "too-large":
      return tooLarge(settings);
    case "not-text":
      return refuse(400, "The message is not valid UTF-8", { code: errorCodes.parseError });
    case "lost":
      return refuse(400, "The body is not complete");
    case "late":
      return refuse(408, "The body did not arrive in time", { headers: { connection: "close" } });
    default:
      return body satisfies never;
  }
}

/** Whether a check failed. */
export function isRefusal<Value extends object>(value: Value | Refusal | undefined): value is Refusal {
  return value !== undefined && "kind" in value && value.kind === "refused";
}

function checkMethod({ method, path }: RequestHead, { settings, revisions }: HttpServerContext): Refusal | undefined {
  if (settings.path !== undefined && path !== settings.path) return refuse(404, "There is nothing at this path");
  const allowed = settings.sessions && revisions.hasSessions ? sessionMethods : aloneMethods;
  if (allowed.includes(method) || (method === "OPTIONS" && settings.cors)) return undefined;
  return refuse(405, `The endpoint takes ${allowed.join(", ")}`, { headers: { allow: allowed.join(", ") } });
}

/** An answer may be JSON or a stream, so both must be acceptable. */
const bothTypes: readonly string[] = ["application/json", "text/event-stream"];

const aloneMethods: readonly string[] = ["POST"];

const sessionMethods: readonly string[] = ["POST", "GET", "DELETE"];

/** GET opens a stream, DELETE ends a session. */
async function climbWithoutBody(
  exchange: Exchange,
  house: HttpServerContext,
  identity: Identity | undefined,
): Promise<ValidationOutcome> {
  const isListening = exchange.method === "GET";
  const unacceptable = isListening ? checkAccept(exchange, ["text/event-stream"]) : undefined;
  if (unacceptable) return unacceptable;
  const session = await findSession(exchange, house, identity);
  if (isRefusal(session)) return session;
  const unfit = checkVersion(exchange, house, session);
  if (unfit) return unfit;
  return isListening
    ? { kind: "listen", session, cursor: exchange.header("last-event-id") }
    : { kind: "leave", session };
}

/** Without sessions the revision is what the header says, or what clients speak that do not know the header. */
function climbAlone(
  exchange: Exchange,
  house: HttpServerContext,
  { identity, parcel }: { readonly identity: Identity | undefined; readonly parcel: PostBody },
): ValidationOutcome {
  if (isInitialize(parcel)) return { kind: "alone", identity, parcel, revision: undefined };
  const unknown = checkVersion(exchange, house, undefined);
  if (unknown) return unknown;
  const name = exchange.header(versionHeader)?.trim();
  const revision = name === undefined ? house.revisions.assumed : house.revisions.find(name);
  if (!revision) return refuse(400, `The header MCP-Protocol-Version is missing. Served: ${house.revisions.names}`);
  const unfit = checkBatch(parcel, revision, house) ?? checkScopes(exchange, house, { identity, parcel });
  return unfit ?? { kind: "alone", identity, parcel, revision };
}

function checkClaimScopes(
  head: RequestHead,
  house: HttpServerContext,
  { claimed, parcel }: { readonly claimed: StatelessOutcome; readonly parcel: PostBody },
): Refusal | undefined {
  return claimed.kind === "claim" ? checkScopes(head, house, { identity: claimed.identity, parcel }) : undefined;
}

async function findSession(
  exchange: Exchange,
  { sessions }: HttpServerContext,
  identity: Identity | undefined,
): Promise<HttpSession | Refusal> {
  const id = exchange.header(sessionHeader);
  if (id === undefined)
    return refuse(400, "The header Mcp-Session-Id is missing: send initialize first", { reason: "not-initialized" });
  const session = await sessions.find({ id, owner: identity?.principal });
  const unknown = "There is no such session (any more): send initialize to begin a new one";
  return session ?? refuse(404, unknown, { reason: "unknown-session" });
}

function checkSecond(parcel: PostBody): Refusal | undefined {
  return isInitialize(parcel) ? refuse(400, "The session is already initialized", { id: idOf(parcel) }) : undefined;
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header */
function checkVersion(
  head: RequestHead,
  house: HttpServerContext,
  session: HttpSession | undefined,
): Refusal | undefined {
  const name = head.header(versionHeader)?.trim();
  if (name === undefined) return undefined;
  const { revisions, settings } = house;
  if (!revisions.find(name)) return refuse(400, `This protocol version is not served. Served: ${revisions.names}`);
  if (!settings.strictVersion || !session || session.revision?.id === name) return undefined;
  return refuse(400, `The session was opened at protocol version ${session.revision?.id}`);
}

function checkBatch(
  parcel: PostBody,
  revision: Revision | undefined,
  { settings }: HttpServerContext,
): Refusal | undefined {
  if (parcel.kind === "single") return undefined;
  const { maxBatch } = settings.limits;
  if (!revision?.batching) return refuse(400, "A message must be a JSON object: there are no batches here");
  if (parcel.values.length === 0) return refuse(400, "A batch must not be empty");
  if (parcel.values.length > maxBatch) return refuse(400, `A batch must not have more than ${maxBatch} members`);
  return undefined;
}

function tooLarge({ limits }: HttpSettings): Refusal {
  return refuse(413, `The message is longer than ${limits.maxMessageBytes} bytes`, {
    headers: { connection: "close" },
  });
}

const versionHeader = "mcp-protocol-version";
