import { isObject, type Revision } from "../../../generated/support.ts";
import { decodeField, isSameField, readParamValue } from "../../framing/param-headers.ts";
import { codeOf, unsupportedVersion, withoutMetadata } from "../../protocol/session/request-metadata.ts";
import { noBatches } from "../../jsonrpc/batch.ts";
import { RpcError, toErrorObject } from "../../jsonrpc/errors.ts";
import type { ErrorMessage, Incoming, RequestId } from "../../jsonrpc/message.ts";
import type { NegotiatedSession } from "../../protocol/session/session.ts";
import type { MetadataRules } from "./metadata-headers.ts";
import type { RequestHead } from "./exchange/exchange.ts";
import type { Identity } from "./identity.ts";
import type { PostBody } from "./post-body.ts";
import { jsonFields } from "./session/session-response.ts";
import { rejectHttp, type RejectedRequest } from "./rejection.ts";
import type { SessionRevisions } from "./revisions.ts";
import type { MetadataSender, HttpService } from "./settings.ts";

/** Context of the checks of stateless requests. */
export interface StatelessContext {
  /** Rules for stateless requests; absent where every revision has sessions. */
  readonly metadataRules: MetadataRules | undefined;
  readonly revisions: SessionRevisions;
  readonly service: Pick<HttpService, "readParamHeaders">;
}

/** Outcome of the checks of a POST without a session. */
export type StatelessOutcome =
  | RejectedRequest
  | { readonly kind: "stateless"; readonly identity: Identity | undefined; readonly parsed: ParsedRequest }
  | NotedNotification;

/** A notification without a session. One of the core refers to nothing, so it is only acknowledged; one of an extension may have a handler. */
export interface NotedNotification {
  readonly kind: "noted";
  readonly identity: Identity | undefined;
  readonly message: Notification;
  /** Revision named with it. Default: the newest. */
  readonly revision: Revision | undefined;
}

/** Stateless request whose headers and metadata agree. The protocol layer takes it as it is: nothing in it is read a second time. */
export interface ParsedRequest {
  readonly message: Request;
  /** Revision and client named in the metadata: the agreement of this request. */
  readonly agreement: NegotiatedSession;
}

/**
 * Validates a stateless POST; returns `undefined` when the POST belongs to a session. The checks in order: the version in body and header, the
 * metadata and its revision, and the headers with copies of the body. The protocol layer reports all other errors.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export function validateStateless(
  head: RequestHead,
  serverContext: StatelessContext,
  { identity, postBody }: { readonly identity: Identity | undefined; readonly postBody: PostBody },
): StatelessOutcome | undefined {
  const { metadataRules, revisions } = serverContext;
  if (!metadataRules) return undefined;
  if (postBody.kind === "batch")
    return revisions.hasSessions && !isStatelessBatch(postBody.values, metadataRules)
      ? undefined
      : rejectHttp(400, noBatches);
  const { incoming, value } = postBody;
  const metadata = metadataRules.read(isObject(value) ? value.params : undefined);
  const version = head.header(metadataRules.headers.version.field)?.trim();
  const versions = { metadataRules, body: metadata.version, header: version };
  if (revisions.hasSessions && isOfSession(incoming, versions)) return undefined;
  if (incoming.kind === "notification") return validateNotification(head, { identity, message: incoming }, versions);
  if (incoming.kind !== "request") return rejectHttp(400, "Invalid Request; send requests and notifications only");
  if (metadata.version === undefined || metadata.version !== version) return rejectVersions(head, incoming, versions);
  if (metadata.kind === "refused") return rejectWith(metadata.error, incoming.id);
  const { revision, client } = metadata;
  const unequal =
    checkRules(head, incoming, { revision, metadataRules }) ??
    checkParamHeaders(head, incoming, { sender: { revision, identity, client }, serverContext });
  return unequal ?? { kind: "stateless", identity, parsed: { message: incoming, agreement: { revision, client } } };
}

type Request = Incoming & { readonly kind: "request" };

type Notification = Incoming & { readonly kind: "notification" };

/** Versions named in a POST, and the rules for them. */
interface Versions {
  readonly metadataRules: MetadataRules;
  /** Version in the metadata of the message. */
  readonly body: unknown;
  readonly header: string | undefined;
}

/** Validates a notification. The protocol does not specify its metadata, but if it names a version, this has to be a served one. */
function validateNotification(
  head: RequestHead,
  noted: Pick<NotedNotification, "identity" | "message">,
  { metadataRules, body, header }: Versions,
): StatelessOutcome {
  const isUnlike = body !== undefined && header !== undefined && body !== header;
  if (isUnlike)
    return mismatch(head, metadataRules.headers.version.name, {
      revisions: metadataRules.revisions,
      incoming: noted.message,
    });
  const { revisions } = metadataRules;
  const version = body ?? header;
  const revision = version === undefined ? revisions[0] : revisions.find(({ id }) => id === version);
  if (version !== undefined && !revision) return rejectWith(unsupportedVersion(revisions, version), undefined);
  return { kind: "noted", ...noted, revision };
}

/**
 * True if a message belongs to a session. Its metadata decides; without a version in it the header does, except for `initialize`, which always opens
 * a session.
 */
function isOfSession(incoming: Incoming, { metadataRules, body, header }: Versions): boolean {
  if (body !== undefined) return false;
  if (incoming.kind === "request" && incoming.method === "initialize") return true;
  return !metadataRules.revisions.some(({ id }) => id === header);
}

/** True if a message of a batch names its revision. Then the batch belongs to no session. */
function isStatelessBatch(values: readonly unknown[], metadataRules: MetadataRules): boolean {
  return values.some((value) => isObject(value) && metadataRules.readVersion(value.params) !== undefined);
}

/** Rejects a request whose body and header do not name the same version. If the body names none, the client learns the served revisions. */
function rejectVersions(
  head: RequestHead,
  request: Request,
  { metadataRules, body, header }: Versions,
): RejectedRequest {
  const { headers, revisions } = metadataRules;
  const isOpening = request.method === "initialize" && isObject(request.params);
  if (body === undefined && (isOpening || header !== undefined))
    return rejectWith(withoutMetadata(request, revisions), request.id);
  return mismatch(head, headers.version.name, { revisions, incoming: request });
}

function checkRules(
  head: RequestHead,
  request: Request,
  { revision, metadataRules }: { readonly revision: Revision; readonly metadataRules: MetadataRules },
): RejectedRequest | undefined {
  const name = metadataRules.headers.findUnlike(head, request, revision);
  return name === undefined ? undefined : mismatch(head, name, { revisions: [revision], incoming: request });
}

/** Rejects a request unless its headers repeat exactly the arguments the tool requires there. */
function checkParamHeaders(
  head: RequestHead,
  request: Request,
  { sender, serverContext }: { readonly sender: MetadataSender; readonly serverContext: StatelessContext },
): RejectedRequest | undefined {
  const { method, params } = request;
  const paramHeaders = serverContext.service.readParamHeaders(method, params, sender);
  const args = isObject(params) ? params.arguments : undefined;
  const wrong = paramHeaders.find(({ header, path }) => {
    const name = header.toLowerCase();
    const field = head.header(name);
    const value = readParamValue(args, path);
    if (field === undefined) return value !== undefined;
    const text = head.isRepeated(name) ? undefined : decodeField(field);
    return text === undefined || !isSameField(text, value);
  });
  return wrong && mismatch(head, wrong.header, { revisions: [sender.revision], incoming: request });
}

function mismatch(
  head: RequestHead,
  name: string,
  { revisions, incoming }: { readonly revisions: readonly Revision[]; readonly incoming: Incoming },
): RejectedRequest {
  const isRepeated = head.isRepeated(name.toLowerCase());
  const problem = isRepeated ? repeated : "is missing or does not match the body";
  const id = incoming.kind === "request" ? incoming.id : undefined;
  const error = new RpcError(codeOf(revisions, "headerMismatch"), `The header ${name} ${problem}`, {
    data: { header: name },
  });
  return rejectWith(error, id);
}

const repeated = "must be sent once; encode a value with a comma as base64";

function rejectWith(error: RpcError, id: RequestId | undefined): RejectedRequest {
  const body: ErrorMessage = { jsonrpc: "2.0", ...(id !== undefined && { id }), error: toErrorObject(error) };
  return { kind: "refused", response: { status: 400, headers: jsonFields, body: JSON.stringify(body) } };
}
