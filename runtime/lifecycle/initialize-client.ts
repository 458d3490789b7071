import type { RequestRow, Revision } from "../../generated/support.ts";
import { isObject } from "../../generated/support.ts";
import type { Channel } from "../jsonrpc/channel.ts";
import { checkResult, createRoutes, type Routes } from "../protocol/peer/routes.ts";
import { InvalidMessageError, VersionError, methodNotFound } from "../jsonrpc/errors.ts";
import { createPendingRequests } from "../protocol/peer/outgoing-requests.ts";
import { createMessageSteps, type MessageSteps } from "../protocol/peer/message-middleware.ts";
import { Peer } from "../protocol/peer/peer.ts";
import { isImplementationInfo, type Capabilities, type ImplementationInfo } from "../protocol/session/session.ts";
import { observed } from "../protocol/session/telemetry.ts";
import { createClientConverter } from "./client-converter.ts";
import { acceptAll, respondToPing, createInitializeRoutes, readInitializeRows, resolve } from "./initialize-routes.ts";
import { discoverServer, isDiscoverRejection } from "./discover-client.ts";
import type { OpenOptions } from "./open-options.ts";
import { readDeclared, withProfile } from "./apply-profile.ts";
import { findRevision, isHandshake, readHandshakeRevisions, readSupported } from "./negotiation.ts";

/**
 * Opens a connection from the client's side: without a session if both ends support stateless requests, otherwise with a handshake. A failed
 * handshake closes the connection: it is never cancelled.
 *
 * @throws {VersionError} when client and server have no revision in common
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization
 */
export async function openConnection(transport: Channel, given: OpenOptions): Promise<Peer> {
  const options = withProfile(given);
  // A transport that was never started may have started a server.
  let end: Pick<Channel, "close"> = transport;
  const giveUp = (): void => void end.close();
  try {
    options.signal?.throwIfAborted();
    options.signal?.addEventListener("abort", giveUp);
    const channel = observed(options.observe?.(transport) ?? transport, options, { role: "client" });
    const steps = createMessageSteps(options.middleware, "client");
    const settings = { ...options, reportsStrays: false, createPendingRequests, steps };
    const peer = new Peer(channel, createFirstRoutes(options.revisions, steps), settings);
    end = peer;
    peer.start();
    peer.begin();
    await open(peer, channel, options);
    // An abort after the last message has closed the connection.
    options.signal?.throwIfAborted();
    return peer;
  } catch (error) {
    await end.close();
    options.signal?.throwIfAborted();
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", giveUp);
  }
}

async function open(peer: Peer, channel: Channel, options: OpenOptions): Promise<void> {
  const { revisions, lifecycle, era } = options;
  const preferred = revisions.find((revision) => !isHandshake(revision));
  if (lifecycle === "handshake" || !preferred) return shakeHands(peer, options);
  if (lifecycle === undefined && era?.read() === "session") {
    if (await opensSessionAgain(peer, options)) return;
    era.forget();
  }
  const { era: impact, doubt } = await discoverServer(peer, channel, { revision: preferred, options });
  if (impact === "session")
    await shakeHands(peer, options).catch((error: unknown) => {
      throw doubt !== undefined && isHandshakeRejection(error) ? doubt : error;
    });
  era?.keep(impact);
}

/** True if a server responded that it opens no session, or none at a revision of the client. */
function isHandshakeRejection(error: unknown): boolean {
  return isDiscoverRejection(error) || error instanceof VersionError;
}

/**
 * Opens a session with a server, as it needed one before. Returns false if the server rejects it: its kind may have changed and is discovered again.
 */
async function opensSessionAgain(peer: Peer, options: OpenOptions): Promise<boolean> {
  try {
    await shakeHands(peer, options);
    return true;
  } catch (error) {
    if (!isHandshakeRejection(error)) throw error;
    return false;
  }
}

async function shakeHands(peer: Peer, options: OpenOptions): Promise<void> {
  await negotiate(peer, readHandshakeRevisions(options.revisions), options);
  await peer.sendNotification({ jsonrpc: "2.0", method: "notifications/initialized" });
}

/** Returns the routes until the kind of the server is known: it may only send `ping`. */
function createFirstRoutes(revisions: readonly Revision[], steps: MessageSteps): Routes {
  const [first] = revisions.filter(isHandshake);
  if (first) return createInitializeRoutes(readInitializeRows(first), steps);
  const nothing = { requests: new Map(), notifications: new Map(), neverBatched: new Set<string>() };
  return { ...nothing, batching: false, reject: methodNotFound, isSilent: true };
}

/** Negotiates a revision. Some servers reject an unknown revision instead of offering another; then one of the revisions they name is tried, once. */
async function negotiate(
  peer: Peer,
  revisions: readonly [Revision, ...Revision[]],
  options: OpenOptions,
): Promise<void> {
  const [preferred] = revisions;
  try {
    await propose(peer, preferred, options);
  } catch (error) {
    const supported = readSupported(error);
    if (!supported) throw error;
    const other = revisions.find((revision) => revision !== preferred && supported.includes(revision.id));
    if (!other) throw new VersionError(toIds(revisions), supported);
    await propose(peer, other, options);
  }
}

/**
 * Sends `initialize`, with what the proposed revision knows of the client. The session opens while the result is being read: the messages behind it
 * in the same chunk find it open.
 */
function propose(peer: Peer, revision: Revision, options: OpenOptions): Promise<void> {
  const row = readInitializeRow(revision);
  const info = resolve(options.info, revision);
  const capabilities = resolve(options.capabilities, revision) ?? {};
  const params = { protocolVersion: revision.id, capabilities, clientInfo: info };
  const converter = createClientConverter(revision, options);
  const sent = converter ? converter.params({ kind: "request", method: "initialize", params }) : params;
  return new Promise((done, reject) => {
    peer.ask({ ...row, result: acceptAll }, sent, {
      resolve(result) {
        openSession(peer, result, { info, capabilities }, options);
        done();
      },
      reject,
    });
  });
}

function openSession(
  peer: Peer,
  result: unknown,
  own: { readonly info: ImplementationInfo; readonly capabilities: Capabilities },
  options: OpenOptions,
): void {
  const response = isObject(result) ? result : {};
  const revisions = readHandshakeRevisions(options.revisions);
  const revision = findRevision(response.protocolVersion, revisions);
  if (!revision) throw new VersionError(toIds(revisions), [String(response.protocolVersion)]);
  const converter = createClientConverter(revision, options);
  const read = checkResult(readInitializeRow(revision), result, {
    onChange: (text) => peer.report({ kind: "protocol", method: "initialize", error: new Error(text) }),
    converter,
  });
  const { serverInfo, capabilities, instructions: given } = isObject(read) ? read : {};
  if (!isImplementationInfo(serverInfo) || !isObject(capabilities)) {
    throw new InvalidMessageError("initialize", "result", { path: "", expected: "an InitializeResult" });
  }
  const instructions = typeof given === "string" ? given : undefined;
  const handlers = resolve(options.handlers, revision) ?? {};
  const builtins = new Map([["ping", respondToPing]]);
  const { profile } = options;
  const receive = peer.steps.receiveRequest;
  const routes = createRoutes(revision, { role: "client", handlers, builtins, converter, profile, receive });
  const server = { info: serverInfo, capabilities: readDeclared(capabilities, profile) };
  peer.open({ revision, role: "client", own, peer: server, instructions, converter }, routes);
  peer.confirm();
}

function readInitializeRow(revision: Revision): RequestRow {
  return readInitializeRows(revision).initialize;
}

function toIds(revisions: readonly Revision[]): readonly string[] {
  return revisions.map((revision) => revision.id);
}
