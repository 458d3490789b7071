import { isObject, type Revision } from "../../../generated/support.ts";
import { decodeField, isSameField, readParamValue } from "../../framing/param-headers.ts";
import { codeOf, missingMetadata, unsupportedVersion } from "../../protocol/request-metadata.ts";
import { RpcError, toErrorObject } from "../../jsonrpc/errors.ts";
import type { ErrorMessage, Incoming, RequestId } from "../../jsonrpc/message.ts";
import type { MetadataRules } from "./metadata-headers.ts";
import type { RequestHead } from "./exchange/exchange.ts";
import type { Identity } from "./identity.ts";
import type { PostBody } from "./post-body.ts";
import { jsonFields } from "./session-response.ts";
import { reject, type Rejection } from "./rejection.ts";
import type { SpokenRevisions } from "./revisions.ts";
import type { MetadataSender, HttpService } from "./settings.ts";

/** Context of the checks of stateless requests. */
export interface StatelessContext {
  /** Rules for stateless requests; absent where every revision has sessions. */
  readonly metadataRules: MetadataRules | undefined;
  readonly revisions: SpokenRevisions;
  readonly service: Pick<HttpService, "readParamHeaders">;
}

/** Outcome of the checks of a POST that belongs to no session. */
export type StatelessOutcome =
  | Rejection
  | { readonly kind: "stateless"; readonly identity: Identity | undefined; readonly stateless: StatelessMessage }
  /** A notification: it refers to nothing, so it is only acknowledged. */
  | { readonly kind: "noted" };

/** Stateless request whose headers and metadata agree. */
export interface StatelessMessage {
  readonly value: unknown;
  readonly id: RequestId;
  readonly method: string;
  readonly revision: Revision;
}

/**
 * Validates a stateless POST; returns `undefined` when the POST belongs to a session. The checks in order: the version in body and header, the
 * metadata and its revision, and the headers that repeat the body. The protocol layer reports all other errors.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export function validateStateless(
  head: RequestHead,
  serverContext: StatelessContext,
  { identity, postBody }: { readonly identity: Identity | undefined; readonly postBody: PostBody },
): StatelessOutcome | undefined {
  const { metadataRules } = serverContext;
  if (!metadataRules || isOfSession(head, postBody, { metadataRules, revisions: serverContext.revisions }))
    return undefined;
  if (postBody.kind === "batch") return reject(400, "A message must be a JSON object: there are no batches here");
  const { incoming, value } = postBody;
  if (incoming.kind === "notification") return validateNotification(head, incoming, metadataRules);
  if (incoming.kind !== "request") return reject(400, "Only requests and notifications may be sent here");
  const unlike = checkOpening(head, incoming, metadataRules) ?? checkVersions(head, incoming, metadataRules);
  if (unlike) return unlike;
  const metadata = metadataRules.read(incoming.params);
  if (metadata.kind === "refused") return rejectWith(metadata.error, incoming.id);
  if (metadata.kind === "none") return rejectWith(missingMetadata(metadataRules.revisions), incoming.id);
  const { revision, info, capabilities } = metadata;
  const sender: MetadataSender = { revision, identity, client: { info, capabilities } };
  const unequal =
    checkRules(head, incoming, { revision, metadataRules }) ??
    checkParamHeaders(head, incoming, { sender, serverContext });
  return (
    unequal ?? { kind: "stateless", identity, stateless: { value, id: incoming.id, method: incoming.method, revision } }
  );
}

type Request = Incoming & { readonly kind: "request" };

type Notification = Incoming & { readonly kind: "notification" };

/** Validates a notification. The protocol does not specify its metadata, but a version that it names must be served. */
function validateNotification(
  head: RequestHead,
  notification: Notification,
  metadataRules: MetadataRules,
): StatelessOutcome {
  const unlike = checkVersions(head, notification, metadataRules);
  if (unlike) return unlike;
  const version =
    metadataRules.readVersion(notification.params) ?? head.header(metadataRules.headers.version.field)?.trim();
  const isServed = version === undefined || metadataRules.revisions.some(({ id }) => id === version);
  return isServed ? { kind: "noted" } : rejectWith(unsupportedVersion(metadataRules.revisions, version), undefined);
}

interface Era {
  readonly metadataRules: MetadataRules;
  readonly revisions: SpokenRevisions;
}

/**
 * True if a POST belongs to a session. The body decides; without a version in it the header does, except for `initialize`, which always opens a
 * session.
 */
function isOfSession(head: RequestHead, postBody: PostBody, { metadataRules, revisions }: Era): boolean {
  if (!revisions.hasSessions) return false;
  if (postBody.kind === "batch") return !postBody.values.some((value) => hasMetadata(value, metadataRules));
  if (hasMetadata(postBody.value, metadataRules)) return false;
  const { incoming } = postBody;
  if (incoming.kind === "request" && incoming.method === "initialize") return true;
  const named = head.header(metadataRules.headers.version.field)?.trim();
  return !metadataRules.revisions.some(({ id }) => id === named);
}

/** True if a body, or part of it, names its revision, so that it belongs to no session. */
export function isStatelessBody(
  postBody: PostBody,
  { metadataRules }: Pick<StatelessContext, "metadataRules">,
): boolean {
  if (!metadataRules) return false;
  const values = postBody.kind === "single" ? [postBody.value] : postBody.values;
  return values.some((value) => hasMetadata(value, metadataRules));
}

function hasMetadata(value: unknown, metadataRules: MetadataRules): boolean {
  return isObject(value) && metadataRules.readVersion(value.params) !== undefined;
}

/** Rejects `initialize`, with the served revisions in the error, and a request that names its version only in the header. */
function checkOpening(head: RequestHead, request: Request, metadataRules: MetadataRules): Rejection | undefined {
  const { id, method, params } = request;
  if (metadataRules.readVersion(params) !== undefined) return undefined;
  if (method === "initialize" && isObject(params)) {
    return rejectWith(unsupportedVersion(metadataRules.revisions, params.protocolVersion), id);
  }
  const hasHeader = head.header(metadataRules.headers.version.field) !== undefined;
  return hasHeader ? rejectWith(missingMetadata(metadataRules.revisions), id) : undefined;
}

function checkVersions(
  head: RequestHead,
  incoming: Request | Notification,
  metadataRules: MetadataRules,
): Rejection | undefined {
  const { name, field: lower } = metadataRules.headers.version;
  const field = head.header(lower)?.trim();
  const version = metadataRules.readVersion(incoming.params);
  const isSaid = field !== undefined && version !== undefined;
  const isFine = isSaid ? field === version : incoming.kind === "notification";
  return isFine ? undefined : mismatch(head, name, { revisions: metadataRules.revisions, incoming });
}

function checkRules(
  head: RequestHead,
  request: Request,
  { revision, metadataRules }: { readonly revision: Revision; readonly metadataRules: MetadataRules },
): Rejection | undefined {
  const name = metadataRules.headers.findUnlike(head, request, revision);
  return name === undefined ? undefined : mismatch(head, name, { revisions: [revision], incoming: request });
}

/** Rejects a request unless exactly those arguments are in headers that the tool requires there. */
function checkParamHeaders(
  head: RequestHead,
  request: Request,
  { sender, serverContext }: { readonly sender: MetadataSender; readonly serverContext: StatelessContext },
): Rejection | undefined {
  const { params } = request;
  const args = isObject(params) ? params.arguments : undefined;
  const wrong = serverContext.service.readParamHeaders?.(request.method, params, sender).find(({ header, path }) => {
    const name = header.toLowerCase();
    const field = head.header(name);
    const value = readParamValue(args, path);
    if (field === undefined || value === undefined) return field !== undefined || value !== undefined;
    const text = head.isRepeated(name) ? undefined : decodeField(field);
    return text === undefined || !isSameField(text, value);
  });
  return wrong && mismatch(head, wrong.header, { revisions: [sender.revision], incoming: request });
}

function mismatch(head: RequestHead, name: string, { revisions, incoming }: Mismatch): Rejection {
  const isRepeated = head.isRepeated(name.toLowerCase());
  const problem = isRepeated ? repeated : "is missing, or does not say what the body says";
  const id = incoming.kind === "request" ? incoming.id : undefined;
  const error = new RpcError(codeOf(revisions, "headerMismatch"), `The header ${name} ${problem}`, {
    data: { header: name },
  });
  return rejectWith(error, id);
}

interface Mismatch {
  readonly revisions: readonly Revision[];
  readonly incoming: Incoming;
}

const repeated = "must be sent once; send a value with a comma in base64";

function rejectWith(error: RpcError, id: RequestId | undefined): Rejection {
  const body: ErrorMessage = { jsonrpc: "2.0", ...(id !== undefined && { id }), error: toErrorObject(error) };
  return { kind: "refused", response: { status: 400, headers: jsonFields, body: JSON.stringify(body) } };
}
