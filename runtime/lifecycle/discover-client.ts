import { isObject, type RequestRow, type Revision } from "../../generated/support.ts";
import type { Channel } from "../jsonrpc/channel.ts";
import { readMetaKeys } from "../protocol/session/request-metadata.ts";
import { createRoutes } from "../protocol/peer/routes.ts";
import {
  InvalidMessageError,
  VersionError,
  hasName,
  isMissingCapabilityError,
  isPeerError,
  isTimeoutError,
  toPeerError,
  type PeerError,
} from "../jsonrpc/errors.ts";
import type { Peer } from "../protocol/peer/peer.ts";
import { isImplementationInfo, type PeerInfo, type Session } from "../protocol/session/session.ts";
import type { RevisionConverter } from "../protocol/revision/revision-converter.ts";
import { createClientConverter } from "./client-converter.ts";
import type { ServerEra } from "./era-cache.ts";
import type { OpenOptions } from "./open-options.ts";
import { isHandshake } from "./negotiation.ts";
import { resolve } from "./initialize-routes.ts";
import { checkTraceContext } from "../protocol/session/trace-context.ts";

/**
 * Discovers the revisions a server serves without sessions, and opens the peer for one of them: the proposed one, if possible. Servers of older
 * revisions respond with any error, or not at all: then a session has to be opened. Rejects on errors that say nothing about the server, such as
 * missing authorization or an unreachable server.
 *
 * @throws {VersionError} when client and server have no revision in common
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export async function discoverServer(
  peer: Peer,
  channel: Channel,
  { revision: preferred, options }: Proposal,
): Promise<DiscoveredServer> {
  const statelessRevisions = options.revisions.filter((revision) => !isHandshake(revision));
  const opened = toOpened(options);
  try {
    await propose(peer, channel, { revision: preferred, options });
    return { era: "open" };
  } catch (error) {
    const supported = readServed(error, statelessRevisions);
    if (!supported) return fallBack(toPeerError(error, preferred), { statelessRevisions, opened, channel });
    const next = chooseNext(preferred, statelessRevisions, supported);
    if (next) await propose(peer, channel, { revision: next, options });
    else if (!opened.some(({ id }) => supported.includes(id)))
      throw new VersionError(toIds(options.revisions), supported);
    return { era: next ? "open" : "session" };
  }
}

/** Returns the revisions for which a session may be opened. */
function toOpened({ lifecycle, revisions }: OpenOptions): readonly Revision[] {
  return lifecycle === "per-request" ? [] : revisions.filter(isHandshake);
}

/** True if an older server may be silent, and can be tried. Where messages travel separately, a missing response is independent of their content. */
function fallsBackOnSilence(channel: Channel, opened: readonly Revision[]): boolean {
  return opened.length > 0 && channel.carriesOneByOne !== true;
}

/** Kind of a server, as the discovery found it. */
export interface DiscoveredServer {
  readonly era: ServerEra;
  /** Error with another possible cause. It explains more than later errors if the verdict turns out to be wrong. */
  readonly doubt?: unknown;
}

/** Returns the metadata of every request: its revision, its sender, the sender's capabilities and the requested log level. */
export function toMetadata(revision: Revision, own: PeerInfo, logLevel?: string): Readonly<Record<string, unknown>> {
  const { version, capabilities, clientInfo, logLevel: level } = readMetaKeys(revision);
  return {
    [version]: revision.id,
    [capabilities]: own.capabilities,
    ...(clientInfo !== undefined && { [clientInfo]: own.info }),
    ...(level !== undefined && logLevel !== undefined && { [level]: logLevel }),
  };
}

/** Returns another revision named by the server, or the rejected one again if it is the only one named. */
function chooseNext(
  rejected: Revision,
  statelessRevisions: readonly Revision[],
  supported: readonly string[],
): Revision | undefined {
  const served = statelessRevisions.filter(({ id }) => supported.includes(id));
  return served.find((revision) => revision !== rejected) ?? served[0];
}

/** Creates the metadata again only when the log level changes, because every request carries it. */
function createMetadata(
  revision: Revision,
  own: PeerInfo,
  logLevel?: () => string | undefined,
): NonNullable<Session["toMetadata"]> {
  let level = logLevel?.();
  let metadata = toMetadata(revision, own, level);
  return () => {
    const wanted = logLevel?.();
    if (wanted === level) return metadata;
    level = wanted;
    metadata = toMetadata(revision, own, level);
    return metadata;
  };
}

/** Revision requested by a client, and its options. */
export interface Proposal {
  readonly revision: Revision;
  readonly options: OpenOptions;
}

/** Sends `server/discover`. The peer opens while the result is being read: the messages behind it find it open. */
function propose(peer: Peer, channel: Channel, { revision, options }: Proposal): Promise<void> {
  const row = revision.clientRequests["server/discover"];
  if (!row) throw new Error(`Revision ${revision.id} has no server/discover`);
  const info = resolve(options.info, revision);
  const capabilities = resolve(options.capabilities, revision) ?? {};
  const own: PeerInfo = { info, capabilities };
  // The headers of this request follow the revision as well.
  channel.agree?.(revision);
  const isLast = !fallsBackOnSilence(channel, toOpened(options));
  const converter = createClientConverter(revision, options);
  const { method } = row;
  const params = { _meta: toMetadata(revision, own) };
  const sent = converter ? converter.params({ kind: "request", method, params }) : params;
  return new Promise((done, reject) => {
    peer.ask(
      row,
      sent,
      {
        resolve(given) {
          try {
            const result = converter ? converter.receivedResult(method, given) : given;
            open(peer, result, { revision, own, options, row, converter });
            done();
          } catch (error) {
            reject(error);
          }
        },
        reject,
      },
      // Otherwise a session is opened after a short time. Here the server may take as long to start as for `initialize`.
      isLast ? { timeout: peer.timeouts.initialize } : {},
    );
  });
}

interface Opening extends Proposal {
  readonly own: PeerInfo;
  readonly row: RequestRow;
  readonly converter: RevisionConverter | undefined;
}

function open(peer: Peer, result: unknown, { revision, own, options, row, converter }: Opening): void {
  const response = isObject(result) ? result : {};
  const { capabilities, supportedVersions } = response;
  if (!isObject(capabilities)) {
    throw new InvalidMessageError(row.method, "result", { path: "capabilities", expected: "object" });
  }
  if (Array.isArray(supportedVersions) && !supportedVersions.includes(revision.id)) {
    throw new VersionError(
      [revision.id],
      supportedVersions.filter((id) => typeof id === "string"),
    );
  }
  const { serverInfo } = readMetaKeys(revision);
  const meta = isObject(response._meta) ? response._meta : {};
  const info = serverInfo && meta[serverInfo];
  const session: Session = {
    revision,
    role: "client",
    own,
    peer: { info: isImplementationInfo(info) ? info : undefined, capabilities },
    instructions: typeof response.instructions === "string" ? response.instructions : undefined,
    converter,
    toMetadata: createMetadata(revision, own, options.logLevel),
    checkMetadata: checkTraceContext,
  };
  const handlers = resolve(options.handlers, revision) ?? {};
  peer.open(session, { ...createRoutes(revision, { role: "client", handlers, converter }), isSilent: true });
  peer.confirm();
}

/** Returns the revisions named by a server when it rejects the requested one. They prove that it knows stateless requests. */
function readServed(error: unknown, statelessRevisions: readonly Revision[]): readonly string[] | undefined {
  if (!isPeerError(error) || !isCodeOf(error, "unsupportedProtocolVersion", statelessRevisions)) return undefined;
  const supported = isObject(error.data) ? error.data.supported : undefined;
  return Array.isArray(supported) ? supported.filter((id) => typeof id === "string") : undefined;
}

interface Ways {
  readonly statelessRevisions: readonly Revision[];
  readonly opened: readonly Revision[];
  readonly channel: Channel;
}

/** True for the code of mismatched headers: an intermediary may have removed headers, and older servers use the code as they like. */
function isMismatch(error: unknown, statelessRevisions: readonly Revision[]): boolean {
  return isPeerError(error) && isCodeOf(error, "headerMismatch", statelessRevisions);
}

/** True if one of the revisions has this code for an error. A server without the requested revision has the code of its own revision. */
function isCodeOf({ code }: PeerError, name: string, revisions: readonly Revision[]): boolean {
  return revisions.some(({ errors }) => errors[name]?.code === code);
}

/** Returns the verdict for an older server, or throws the error. If a server requires a capability, it knows requests with declared capabilities. */
function fallBack(error: unknown, { statelessRevisions, opened, channel }: Ways): DiscoveredServer {
  const isSilence = isTimeoutError(error) && fallsBackOnSilence(channel, opened);
  if (opened.length > 0 && !isMissingCapabilityError(error) && (isSilence || isDiscoverRejection(error)))
    return { era: "session", ...(isMismatch(error, statelessRevisions) && { doubt: error }) };
  throw error;
}

/** True if a server responded, in any form, that it does not understand. */
export function isDiscoverRejection(error: unknown): boolean {
  const status = readStatus(error);
  return isResponse(error) && (status === undefined || legacyStatuses.includes(status));
}

/** HTTP statuses with which older servers reject what they do not understand; other statuses say nothing about their age. */
const legacyStatuses: readonly number[] = [400, 404, 405, 406, 415, 422];

function readStatus(error: unknown): number | undefined {
  return error instanceof Error && "status" in error && typeof error.status === "number" ? error.status : undefined;
}

/** True for any error sent by the server, because older servers have no common code. A broken connection is not a response. */
function isResponse(error: unknown): boolean {
  return hasName(error, ["PeerError", "InvalidMessageError", "HttpError", "ResponseError", "RpcError"]);
}

function toIds(revisions: readonly Revision[]): readonly string[] {
  return revisions.map(({ id }) => id);
}
