import type { Revision } from "../../generated/support.ts";
import type { Channel, TransportSession } from "../../runtime/jsonrpc/channel.ts";
import type { Acceptor, ServeOptions } from "../../runtime/lifecycle/acceptor.ts";
import { withProfile } from "../../runtime/lifecycle/apply-profile.ts";
import { isHandshake } from "../../runtime/lifecycle/negotiation.ts";
import { createMessageSteps, type MessageSteps } from "../../runtime/protocol/peer/message-middleware.ts";
import { Peer, type Connection } from "../../runtime/protocol/peer/peer.ts";
import type { PeerSettings } from "../../runtime/protocol/peer/peer-options.ts";
import { createPendingRequests } from "../../runtime/protocol/peer/outgoing-requests.ts";
import type { Routes } from "../../runtime/protocol/peer/routes.ts";
import type { NegotiatedSession } from "../../runtime/protocol/session/session.ts";
import { observed } from "../../runtime/protocol/session/telemetry.ts";
import type { CoreServer } from "../../runtime/server/server.ts";

/** Routes of one definition, and their acceptor. */
export interface Routing {
  readonly accept: Acceptor;
  /** Middleware around all messages but received requests. A connection keeps it. */
  readonly steps: MessageSteps;
  /** Routes of connections without a session. */
  readonly opening: Routes;
  readonly revisions: ReadonlyMap<string, Revision>;
  /** Routes of sessions, by revision. */
  readonly agreed: ReadonlyMap<string, Routes>;
}

/** Acceptor whose connections find the routes of the current definition at the start of each request. Running calls keep their handlers. */
export class SwappedAcceptor {
  readonly #options: ServeOptions;
  readonly #settings: PeerSettings;
  readonly #opening: Routes;
  #routing: Routing;

  constructor(options: ServeOptions, server: CoreServer) {
    this.#options = options;
    this.#settings = { ...withProfile(options), reportsStrays: true, createPendingRequests };
    this.#routing = this.prepare(server);
    this.#opening = createLiveRoutes(() => this.#routing.opening);
  }

  readonly accept: Acceptor = (channel, agreement, connect) => {
    if (agreement) return this.#routing.accept(channel, this.#toCurrent(agreement), connect);
    const settings = { ...this.#settings, steps: this.#routing.steps };
    const peer = new Peer(observed(channel, this.#options, { role: "server" }), this.#opening, settings);
    peer.start();
    return peer;
  };

  /**
   * Creates the routes of a definition.
   *
   * @throws {Error} when the definition cannot be served with the options of this acceptor
   */
  prepare(server: CoreServer): Routing {
    const { instructions: _instructions, discovery: _discovery, ...given } = this.#options;
    const { around: _around, middleware: _middleware, ...rest } = given;
    const { instructions, discovery, around, messageMiddleware: middleware, revisions } = server;
    const accept = server.createAcceptor({
      ...rest,
      info: server.info,
      revisions,
      ...(instructions !== undefined && { instructions }),
      ...(discovery && { discovery }),
      ...(around && { around }),
      ...(middleware && { middleware }),
      onOpen: (connection) => this.#opened(connection),
    });
    const sessions = revisions.filter(isHandshake);
    return {
      accept,
      steps: createMessageSteps(middleware, "server"),
      opening: readRoutes(accept),
      revisions: new Map(revisions.map((revision) => [revision.id, revision])),
      agreed: new Map(
        sessions.map((revision) => [revision.id, readRoutes(accept, { revision, client: unknownClient })]),
      ),
    };
  }

  /** Uses routes for all requests from now on. */
  use(routing: Routing): void {
    this.#routing = routing;
  }

  /** Returns an agreement with the tables of the current definition: its extensions may differ from those of earlier ones. */
  #toCurrent(agreement: NegotiatedSession): NegotiatedSession {
    const { revision } = agreement;
    return { ...agreement, revision: this.#routing.revisions.get(revision.id) ?? revision };
  }

  #opened(connection: Connection): void {
    const { session, transportSession } = connection;
    if (transportSession === sample) return;
    if (connection instanceof Peer && session) {
      const { id } = session.revision;
      const first = connection.routes;
      connection.open(
        session,
        createLiveRoutes(() => this.#routing.agreed.get(id) ?? first),
      );
    }
    this.#options.onOpen?.(connection);
  }
}

/** Creates routes with a fresh read for every message. */
function createLiveRoutes(read: () => Routes): Routes {
  return {
    get requests() {
      return read().requests;
    },
    get notifications() {
      return read().notifications;
    },
    get batching() {
      return read().batching;
    },
    get neverBatched() {
      return read().neverBatched;
    },
    get enter() {
      return read().enter;
    },
    get sessionOnly() {
      return read().sessionOnly;
    },
    get profile() {
      return read().profile;
    },
    findFallback: (method) => read().findFallback?.(method),
    reject: (method) => read().reject(method),
  };
}

/** Returns the routes an acceptor gives to a connection. They are read from a connection without any messages. */
function readRoutes(accept: Acceptor, agreement?: NegotiatedSession): Routes {
  const connection = accept(nowhere, agreement);
  if (!(connection instanceof Peer)) throw new Error("The acceptor of the server has no routes; this is a bug");
  connection.disconnected();
  return connection.routes;
}

const sample: TransportSession = { id: "sample", ended: new Promise(() => {}) };

const nowhere: Channel = { session: sample, start() {}, send() {}, close: () => Promise.resolve() };

const unknownClient = { info: undefined, capabilities: {} } as const;
