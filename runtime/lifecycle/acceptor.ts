import type { Revision } from "../../generated/support.ts";
import type { CacheHint } from "../protocol/cache-hint.ts";
import type { Channel } from "../jsonrpc/channel.ts";
import type { Handlers } from "../protocol/routes.ts";
import { createRevisionConverter, type CreateRevisionConverter } from "../protocol/revision-converter.ts";
import { createPendingRequests } from "../protocol/pending-requests.ts";
import type { CreatePendingRequests } from "../protocol/outgoing-requests.ts";
import type { Connection } from "../protocol/peer.ts";
import type { PeerOptions } from "../protocol/peer-options.ts";
import type { Profile } from "../protocol/profile.ts";
import type { Agreement, Capabilities, ImplementationInfo } from "../protocol/session.ts";
import type { Around } from "./lifecycle-middleware.ts";
import { createDualAcceptor } from "./dual-era.ts";
import type { PerRevision } from "./initialize-routes.ts";

/** What a server is and answers. */
export interface ServeOptions extends PeerOptions {
  readonly info: PerRevision<ImplementationInfo>;
  readonly capabilities?: PerRevision<Capabilities>;
  /** Advice for the model on how to use the server. */
  readonly instructions?: PerRevision<string>;
  // @part caching
  /** How long clients may keep what they learn about the server without opening a session. Default: not at all. */
  readonly discovery?: CacheHint;
  /**
   * The revisions that are served, on the same connections. The first that is opened by a handshake is the counter-offer to clients that
   * ask for another.
   */
  readonly revisions: readonly Revision[];
  /** Functions by handler name: `callTool`, `listTools`, ... Notifications too: `rootsListChanged`. */
  readonly handlers: PerRevision<Handlers>;
  /** What a client gets that asks for a revision that is not served. Default: a counter-offer. */
  readonly versionMismatch?: "counter-offer" | "error";
  // @part package
  /** Habits of a community that are added to the protocol, such as `communityProfile`. Default: none. */
  readonly profile?: Profile;
  /** Runs around `initialize`, around `ping` in a session, and around `server/discover`. Default: nothing. */
  readonly around?: Around;
  // @part sessions, changes
  /** Called when a session has been agreed on, before anything else of it is handled. */
  readonly onOpen?: (connection: Connection) => void;
}

/** Serves one connection. To serve many, make one acceptor and use it for each. */
export function serve(options: ServeOptions, channel: Channel): Connection {
  return createAcceptor(options)(channel);
}

/** Serves a connection; with an agreement, one whose handshake took place elsewhere. */
export type Acceptor = (channel: Channel, agreement?: Agreement) => Connection;

/** What a program may have besides answers in the words of one revision: whatever is not named here is not part of it. */
export interface AcceptorParts {
  // @part questions, tasks
  /** Requests of the server to its clients. */
  readonly createPendingRequests?: CreatePendingRequests;
  // @part older
  /** Words of older revisions. */
  readonly createRevisionConverter?: CreateRevisionConverter;
}

/** Prepares a server once, for whatever lifecycles its revisions have. Connections share nothing that changes. */
export function createAcceptor(options: ServeOptions): Acceptor {
  return createDualAcceptor(options, { createPendingRequests, createRevisionConverter });
}
