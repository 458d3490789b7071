import type { RequestRow, Revision } from "../../generated/support.ts";
import { isObject } from "../../generated/support.ts";
import type { CallContext } from "../protocol/peer/incoming-call.ts";
import type { Channel } from "../jsonrpc/channel.ts";
import { createRoutes, type FindStatelessRoutes, type RequestHandler, type Routes } from "../protocol/peer/routes.ts";
import type { RevisionConverter } from "../protocol/revision/revision-converter.ts";
import { InvalidMessageError, RpcError, errorCodes, invalidParams, invalidRequest } from "../jsonrpc/errors.ts";
import { createMessageSteps, type MessageSteps } from "../protocol/peer/message-middleware.ts";
import { Peer } from "../protocol/peer/peer.ts";
import { shorten } from "../internal/shorten.ts";
import type { PeerSettings } from "../protocol/peer/peer-options.ts";
import {
  alreadyInitialized,
  isImplementationInfo,
  type NegotiatedSession,
  type Capabilities,
  type PeerInfo,
  type ImplementationInfo,
  type Session,
} from "../protocol/session/session.ts";
import { observed } from "../protocol/session/telemetry.ts";
import {
  toLifecycleMiddleware,
  withLifecycleMiddleware,
  type LifecycleMiddleware,
  type LifecycleRequest,
} from "./lifecycle-middleware.ts";
import type { Acceptor, ServeOptions } from "./serve-options.ts";
import { addShutdown, readDeclared, toLifecycleRejection, withProfile } from "./apply-profile.ts";
import { respondToPing, createInitializeRoutes, readInitializeRows, resolve } from "./initialize-routes.ts";
import { createServedConverter } from "./served-converter.ts";
import { chooseRevision, findRevision, readHandshakeRevisions } from "./negotiation.ts";

/**
 * Prepares a server whose clients open a session with a handshake. With an entrance, stateless requests are served on the same connections.
 *
 * @throws {Error} when no revision has a handshake
 * @throws {InvalidMessageError} when the result of `initialize` does not fit its revision
 */
export function createSessionAcceptor(given: ServeOptions, stateless?: StatelessAccess): Acceptor {
  const steps = createMessageSteps(given.middleware, "server");
  const options = { ...withProfile(given), steps };
  const revisions = readHandshakeRevisions(options.revisions);
  const offers = new Map(revisions.map((revision) => [revision.id, createOffer(revision, options, stateless?.enter)]));
  const rows = readInitializeRows(revisions[0]);
  const findOffer = (revision: Revision): Offer => {
    const offer = offers.get(revision.id);
    if (!offer) throw new Error(`Revision ${revision.id} is not supported`);
    return offer;
  };
  const settings: PeerSettings = { ...options, reportsStrays: true };
  const response: RequestHandler = (params, call) =>
    openSession({ peer: peerOf(call), call, params, offer: findOffer(choose(params, revisions, options)) }, options);
  // Shared by all connections: over HTTP each stateless request is a connection of its own.
  const routes = {
    ...createInitializeRoutes(rows, steps, response),
    ...toLifecycleRejection(options.profile),
  };
  const opening = {
    ...routes,
    ...stateless?.join(routes, revisions),
  };
  const accept = (channel: Channel, first: Routes, agreed?: AgreedFacts): Peer => {
    const peer = new Peer(observed(channel, options, { role: "server", ...agreed }), first, settings);
    peer.start();
    return peer;
  };
  const acceptAgreed = (channel: Channel, { revision, client, isStateless = false }: NegotiatedSession): Peer => {
    const agreed = findOffer(revision);
    const peer = accept(channel, agreed.routes, { revision, isStateless });
    // A POST without a session does not repeat the capabilities of the client: the methods of all extensions are open in it.
    const declared = isStateless ? agreed.whole : selectDeclared(client, agreed);
    openWith(peer, createSession({ client, offer: agreed, peer, declared, isStateless }), agreed, options);
    peer.confirm();
    return peer;
  };
  return (channel, agreement) => (agreement ? acceptAgreed(channel, agreement) : accept(channel, opening));
}

function peerOf({ connection }: CallContext): Peer {
  if (connection instanceof Peer) return connection;
  throw new Error("A session must be opened on the connection of its initialize request");
}

/** Facts about a session known before its connection opens. */
type AgreedFacts = Pick<NegotiatedSession, "revision" | "isStateless">;

/** Access for stateless requests, before there is a session and beside it. */
export interface StatelessAccess {
  readonly enter: FindStatelessRoutes;
  /** Adds stateless requests to the routes for the time before a session. The session may be opened at any of these revisions. */
  join(routes: Routes, opened: readonly Revision[]): Routes;
}

/** Options of a server with sessions, and its composed middleware. */
interface SessionOptions extends ServeOptions {
  readonly steps: MessageSteps;
}

/** Routes and declarations of a server at one revision. */
interface Offer {
  readonly revision: Revision;
  readonly routes: Routes;
  readonly initialize: RequestRow;
  readonly info: ImplementationInfo;
  readonly whole: Declared;
  /** For clients without a declaration of extensions: at revisions with sessions, most know nothing of them. */
  readonly withoutExtensions: Declared;
  readonly instructions: string | undefined;
  readonly converter: RevisionConverter | undefined;
}

/** Capabilities declared by a server, and the result of `initialize` with them. */
interface Declared {
  readonly capabilities: Capabilities;
  readonly result: unknown;
}

function createOffer(revision: Revision, options: SessionOptions, enter: FindStatelessRoutes | undefined): Offer {
  const converter = createServedConverter(revision, options);
  const { initialize } = readInitializeRows(revision);
  const info = resolve(options.info, revision);
  const capabilities = resolve(options.capabilities, revision) ?? {};
  const instructions = resolve(options.instructions, revision);
  const declare = (declared: Capabilities): Declared => {
    const whole = { protocolVersion: revision.id, capabilities: declared, serverInfo: info, instructions };
    const result = converter ? converter.result("initialize", whole) : whole;
    const issue = initialize.result(result);
    if (issue) throw new InvalidMessageError("initialize", "result", issue);
    return { capabilities: declared, result };
  };
  const { extensions: _extensions, ...core } = capabilities;
  const builtins = new Map([
    ["ping", withLifecycleMiddleware(respondToPing, "ping", options.around)],
    ["initialize", rejectSecond],
  ]);
  const handlers = resolve(options.handlers, revision);
  const served = createRoutes(revision, {
    role: "server",
    handlers,
    builtins,
    converter,
    profile: options.profile,
    receive: options.steps.receiveRequest,
  });
  const sessionOnly = { ...served, ...addShutdown(served, readInitializeRows(revision).ping, options.profile) };
  const routes = { ...sessionOnly, enter, sessionOnly };
  return {
    revision,
    routes,
    initialize,
    info,
    whole: declare(capabilities),
    withoutExtensions: declare(core),
    instructions,
    converter,
  };
}

function choose(params: unknown, revisions: readonly [Revision, ...Revision[]], options: ServeOptions): Revision {
  const requested = isObject(params) ? params.protocolVersion : undefined;
  if (options.versionMismatch === "error" && typeof requested === "string" && !findRevision(requested, revisions)) {
    const data = { supported: revisions.map((revision) => revision.id), requested: shorten(requested) };
    throw new RpcError(errorCodes.invalidParams, "Unsupported protocol version", { data });
  }
  return chooseRevision(requested, revisions);
}

interface OpeningCall {
  readonly peer: Peer;
  readonly call: CallContext;
  readonly params: unknown;
  readonly offer: Offer;
}

/** Opens the session. Without middleware, the session is open before the next message is read. */
function openSession({ peer, call, params, offer }: OpeningCall, options: SessionOptions): unknown {
  const opening = prepareSession({ peer, params, offer }, options);
  const around = options.around ?? toLifecycleMiddleware(options.steps.receiveRequest);
  if (around) {
    const { session } = opening;
    return initializeWithMiddleware(around, { method: "initialize", params, session, call }, (given) =>
      given === params ? opening : prepareSession({ peer, params: given, offer }, options),
    );
  }
  opening.open();
  return opening.result;
}

/** Session to be opened, and the result with which the client learns of it. */
interface Opening {
  readonly session: Session;
  readonly result: unknown;
  open(): void;
}

/**
 * Prepares a session for the params of `initialize`.
 *
 * @throws {RpcError} when they are not valid
 */
function prepareSession({ peer, params, offer }: Omit<OpeningCall, "call">, options: ServeOptions): Opening {
  const issue = offer.initialize.params(params);
  if (issue) throw invalidParams(issue);
  const received = { kind: "request", method: "initialize", params } as const;
  const known = offer.converter ? offer.converter.receivedParams(received) : params;
  const { clientInfo, capabilities } = isObject(known) ? known : {};
  if (!isImplementationInfo(clientInfo) || !isObject(capabilities))
    throw new RpcError(errorCodes.invalidParams, "Invalid params: clientInfo and capabilities are required");
  checkSize({ clientInfo, capabilities });
  const client = { info: clientInfo, capabilities: readDeclared(capabilities, options.profile) };
  const declared = selectDeclared(client, offer);
  const session = createSession({ client, offer, peer, declared, isStateless: false });
  const open = (): void => {
    if (peer.session) throw alreadyOpen();
    openWith(peer, session, offer, options);
  };
  return { session, result: declared.result, open };
}

/**
 * Runs the middleware around `initialize`, and then opens the session, if the middleware has continued. When it fails at any point, no session is open,
 * and the client may try again. The middleware may change the result, which is therefore checked again.
 */
async function initializeWithMiddleware(
  around: LifecycleMiddleware,
  request: LifecycleRequest,
  prepare: (params: unknown) => Opening,
): Promise<unknown> {
  let accepted: Opening | undefined;
  const result = await around(request, (changed) => {
    accepted = prepare(changed ? changed.params : request.params);
    return accepted.result;
  });
  const issue = readInitializeRows(request.session.revision).initialize.result(result);
  if (issue) throw new InvalidMessageError("initialize", "result", issue);
  request.call.signal.throwIfAborted();
  accepted?.open();
  return result;
}

/** Limits the size of what every session keeps for its lifetime, also in a shared store. */
function checkSize(kept: { readonly clientInfo: ImplementationInfo; readonly capabilities: Capabilities }): void {
  const bytes = new TextEncoder().encode(JSON.stringify(kept)).length;
  if (bytes <= longestOpening) return;
  const message = `Invalid params: clientInfo and capabilities have more than ${longestOpening} bytes; shorten them`;
  throw new RpcError(errorCodes.invalidParams, message, { data: { bytes, limit: longestOpening } });
}

/** Maximum bytes of `clientInfo` and capabilities as JSON. */
const longestOpening = 64 * 1024;

function selectDeclared({ capabilities }: PeerInfo, { whole, withoutExtensions }: Offer): Declared {
  return isObject(capabilities.extensions) ? whole : withoutExtensions;
}

interface OpeningSession {
  readonly client: PeerInfo;
  readonly offer: Offer;
  readonly peer: Peer;
  readonly declared: Declared;
  readonly isStateless: boolean;
}

function createSession({ client, offer, peer, declared, isStateless }: OpeningSession): Session {
  const { revision, info, instructions, converter } = offer;
  return {
    revision,
    role: "server",
    own: { info, capabilities: declared.capabilities },
    peer: client,
    instructions,
    isStateless,
    converter,
    values: peer.transportSession?.values,
  };
}

function openWith(peer: Peer, session: Session, { routes }: Offer, options: ServeOptions): void {
  peer.open(session, routes);
  options.onOpen?.(peer);
}

const rejectSecond: RequestHandler = () => {
  throw alreadyOpen();
};

function alreadyOpen(): RpcError {
  return invalidRequest(alreadyInitialized);
}
