import type { RequestRow, Revision } from "../../generated/support.ts";
import { isObject } from "../../generated/support.ts";
import type { Channel } from "../rpc/channel.ts";
import { createRoutes, type Handlers, type RequestHandler, type Routes } from "../rpc/dispatch.ts";
import { createDowngrade, downgradeValue, type Downgrade } from "../rpc/downgrade.ts";
import { missingMetadata } from "../rpc/claim.ts";
import { InvalidMessageError, RpcError, errorCodes, invalidParams, invalidRequest } from "../rpc/errors.ts";
import { Peer, type Connection, type PeerOptions } from "../rpc/peer.ts";
import { isProgramInfo, type Agreement, type Capabilities, type Party, type ProgramInfo } from "../rpc/session.ts";
import { answerPing, createOpeningRoutes, readOpeningRows, resolve, type PerRevision } from "./opening.ts";
import { chooseRevision, findRevision, isHandshake, readHandshakeRevisions } from "./negotiate.ts";
import { createOpenNotifications, createPerRequest, needsMetadata, type PerRequest } from "./per-request.ts";

/** What a server is and answers. */
export interface ServeOptions extends PeerOptions {
  readonly info: PerRevision<ProgramInfo>;
  readonly capabilities?: PerRevision<Capabilities>;
  /** Advice for the model on how to use the server. */
  readonly instructions?: PerRevision<string>;
  /**
   * The revisions that are served, on the same connections. The first that is opened by a handshake is the counter-offer to clients that
   * ask for another.
   */
  readonly revisions: readonly Revision[];
  /** Functions by handler name: `callTool`, `listTools`, ... Notifications too: `rootsListChanged`. */
  readonly handlers: PerRevision<Handlers>;
  /** What a client gets that asks for a revision that is not served. Default: a counter-offer. */
  readonly versionMismatch?: "counter-offer" | "error";
  /** Called when a session has been agreed on, before anything else of it is handled. */
  readonly onOpen?: (connection: Connection) => void;
}

/** Serves one connection. To serve many, make one acceptor and use it for each. */
export function serve(options: ServeOptions, channel: Channel): Connection {
  return createAcceptor(options)(channel);
}

/** Serves a connection; with an agreement, one whose handshake took place elsewhere. */
export type Acceptor = (channel: Channel, agreement?: Agreement) => Connection;

/** Prepares a server once, and returns what serves a connection: connections share nothing that changes. */
export function createAcceptor(options: ServeOptions): Acceptor {
  const perRequest = createPerRequest(options);
  if (perRequest && !options.revisions.some(isHandshake)) return createLoneAcceptor(perRequest, options);
  const revisions = readHandshakeRevisions(options.revisions);
  const [written = revisions[0]] = options.revisions;
  const createServed = (revision: Revision): Offer => createOffer(revision, { written, perRequest }, options);
  const offers = new Map(revisions.map((revision) => [revision.id, createServed(revision)]));
  const rows = readOpeningRows(revisions[0]);
  const findOffer = (revision: Revision): Offer => {
    const offer = offers.get(revision.id);
    if (!offer) throw new Error(`Revision ${revision.id} is not served`);
    return offer;
  };
  return (channel, agreement) => {
    const answer: RequestHandler = (params) =>
      openSession(peer, params, findOffer(choose(params, revisions, options)), options);
    const agreed = agreement && findOffer(agreement.revision);
    const routes = agreed?.routes ?? joinRoutes(createOpeningRoutes(rows, answer), perRequest, revisions);
    const peer = new Peer(channel, routes, { ...options, answersNoise: true });
    peer.start();
    if (agreement && agreed) {
      agree(peer, agreement.client, agreed, options);
      peer.confirm();
    }
    return peer;
  };
}

/** Serves connections on which no session can be opened. */
function createLoneAcceptor({ routes }: PerRequest, options: ServeOptions): Acceptor {
  return (channel) => {
    const peer = new Peer(channel, routes, { ...options, answersNoise: true });
    peer.start();
    return peer;
  };
}

/** Before there is a session, and beside it, requests that stand alone are answered; they can be cancelled, too. */
function joinRoutes(routes: Routes, perRequest: PerRequest | undefined, opened: readonly Revision[]): Routes {
  if (!perRequest) return routes;
  const { claims, enter } = perRequest;
  const refuse: Routes["refuse"] = (method) =>
    needsMetadata(method, claims, opened) ? missingMetadata(claims.revisions) : routes.refuse(method);
  return { ...routes, ...createOpenNotifications(claims.revisions), refuse, enter };
}

/** What is answered at one revision. */
interface Offer {
  readonly revision: Revision;
  readonly routes: Routes;
  readonly initialize: RequestRow;
  readonly result: unknown;
  readonly info: ProgramInfo;
  readonly capabilities: Capabilities;
  readonly instructions: string | undefined;
  readonly downgrade: Downgrade | undefined;
}

/** `written` is the revision that the server's own code is written for: the first that it serves. */
function createOffer(
  revision: Revision,
  { written, perRequest }: { readonly written: Revision; readonly perRequest: PerRequest | undefined },
  options: ServeOptions,
): Offer {
  const { initialize } = readOpeningRows(revision);
  const info = resolve(options.info, revision);
  const capabilities = options.capabilities === undefined ? {} : resolve(options.capabilities, revision);
  const instructions = options.instructions === undefined ? undefined : resolve(options.instructions, revision);
  const head = { protocolVersion: revision.id, capabilities, serverInfo: info };
  const { onLoss: mode, onError } = options;
  const downgrade = createDowngrade(revision, { role: "server", written, mode, onError });
  const result = toInitializeResult(instructions === undefined ? head : { ...head, instructions }, downgrade);
  const issue = initialize.result(result);
  if (issue) throw new InvalidMessageError("initialize", "result", issue);
  const builtins = new Map([
    ["ping", answerPing],
    ["initialize", refuseSecond],
  ]);
  const handlers = resolve(options.handlers, revision);
  const served = createRoutes(revision, { role: "server", handlers, builtins, downgrade });
  const routes = perRequest ? { ...served, enter: perRequest.enter } : served;
  return { revision, routes, initialize, result, info, capabilities, instructions, downgrade };
}

function toInitializeResult(result: Readonly<Record<string, unknown>>, downgrade: Downgrade | undefined): unknown {
  return downgradeValue(result, downgrade?.results.initialize?.result, downgrade);
}

function choose(params: unknown, revisions: readonly [Revision, ...Revision[]], options: ServeOptions): Revision {
  const requested = isObject(params) ? params.protocolVersion : undefined;
  if (options.versionMismatch === "error" && typeof requested === "string" && !findRevision(requested, revisions)) {
    const data = { supported: revisions.map((revision) => revision.id), requested };
    throw new RpcError(errorCodes.invalidParams, "Unsupported protocol version", { data });
  }
  return chooseRevision(requested, revisions);
}

function openSession(peer: Peer, params: unknown, offer: Offer, options: ServeOptions): unknown {
  const issue = offer.initialize.params(params);
  if (issue) throw invalidParams(issue);
  const { clientInfo, capabilities } = isObject(params) ? params : {};
  if (!isProgramInfo(clientInfo) || !isObject(capabilities)) throw invalidRequest("Invalid initialize");
  agree(peer, { info: clientInfo, capabilities }, offer, options);
  return offer.result;
}

function agree(peer: Peer, client: Party, offer: Offer, options: ServeOptions): void {
  const { revision, routes, info, capabilities, instructions, downgrade } = offer;
  const own = { info, capabilities };
  peer.open({ revision, role: "server", own, peer: client, instructions, downgrade }, routes);
  options.onOpen?.(peer);
}

const refuseSecond: RequestHandler = () => {
  throw invalidRequest("The session is already initialized");
};
