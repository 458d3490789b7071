import type { Revision } from "../../generated/support.ts";
import type { Channel } from "../jsonrpc/channel.ts";
import type { CacheHint } from "../protocol/methods/cache-hint.ts";
import type { Connection } from "../protocol/session/connection.ts";
import type { PeerOptions } from "../protocol/peer/peer-options.ts";
import type { CreatePendingRequests } from "../protocol/peer/request-table.ts";
import type { ConnectStateless } from "../protocol/peer/stateless-connection.ts";
import type { Profile } from "../protocol/profile.ts";
import type { Handlers } from "../protocol/peer/routes.ts";
import type { NegotiatedSession, Capabilities, ImplementationInfo } from "../protocol/session/session.ts";
import type { LifecycleMiddleware } from "./lifecycle-middleware.ts";

/** Value for every revision, or a function that returns the value for the negotiated one. */
export type PerRevision<Value extends object | string> = Value | ((revision: Revision) => Value);

/** Options of a server: identity, capabilities, revisions and handlers. */
export interface ServeOptions extends PeerOptions {
  readonly info: PerRevision<ImplementationInfo>;
  readonly capabilities?: PerRevision<Capabilities>;
  /** Advice for the model on how to use the server. */
  readonly instructions?: PerRevision<string>;
  /** Time for which clients may keep what they learn about the server without opening a session. Default: not at all. */
  readonly discovery?: CacheHint;
  /** Revisions to serve, on the same connections. The first one with a handshake is the counter-offer to clients that request another. */
  readonly revisions: readonly Revision[];
  /** Handlers by name: `callTool`, `listTools`, ... Those of notifications too: `rootsListChanged`. */
  readonly handlers: PerRevision<Handlers>;
  /** Response to a client whose requested revision is not served. Default: a counter-offer. */
  readonly versionMismatch?: "counter-offer" | "error";
  /** Conventions of a community, in addition to the protocol, such as `communityProfile`. Default: none. */
  readonly profile?: Profile;
  /** Middleware around `initialize`, around `ping` in a session, and around `server/discover`. Default: none. */
  readonly around?: LifecycleMiddleware;
  /** Creates the table of requests to a client with a session. Default: none can be sent, except by `createAcceptor`. */
  readonly createPendingRequests?: CreatePendingRequests | undefined;
  /** Called when a session has been agreed on, before any of its messages is handled. */
  readonly onOpen?: (connection: Connection) => void;
}

/**
 * Serves a connection. With an agreement, the transport knows the client and its revision: from a handshake elsewhere, or from a stateless request. A
 * transport with one connection for each stateless request brings a function to create them.
 */
export type Acceptor = (channel: Channel, agreement?: NegotiatedSession, connect?: ConnectStateless) => Connection;
