import type { RequestId } from "../../runtime/jsonrpc/message.ts";
import type { NodeMessage } from "../stores/node-directory.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import type { LiveSessions } from "../../runtime/transport/http-server/session/session-directory.ts";
import type { Exchange } from "../../runtime/transport/http-server/exchange/exchange.ts";
import type { RejectedRequest } from "../../runtime/transport/http-server/rejection.ts";
import { nodeOfSession } from "../node-name.ts";
import { IncomingRelays, isRelayed, type IncomingRelaysOptions } from "./incoming-relays.ts";
import { OutgoingRelays, type OutgoingRelaysOptions } from "./outgoing-relays.ts";
import {
  relayListen,
  relayPost,
  type RelayContext,
  type RemoteListener,
  type RemotePost,
  type RemoteSession,
} from "./relay-requests.ts";
import { relayStateless, type StatelessRelay } from "./relay-stateless.ts";

/** Dependencies of the relays of a node. */
export interface RelaysOptions extends IncomingRelaysOptions, OutgoingRelaysOptions {
  /** Extends the lifetime of a session, in the background. */
  renew(session: RemoteSession): void;
  /** Ends the reservations of requests which did not run, in the background. */
  releaseUnused(session: RemoteSession, ids: readonly RequestId[]): void;
}

/** Requests of sessions bound to one node of a cluster: those this node relays to others, and those others relay to it. */
export class Relays {
  readonly #options: RelaysOptions;
  readonly #outgoing: OutgoingRelays;
  readonly #incoming: IncomingRelays;
  #sessions: LiveSessions | undefined;

  constructor(options: RelaysOptions) {
    this.#options = options;
    this.#outgoing = new OutgoingRelays(options);
    this.#incoming = new IncomingRelays(options);
  }

  start(sessions: LiveSessions): void {
    this.#sessions = sessions;
  }

  /** Returns the node named in the id of a session or in a request state, if it is another node. */
  findOwner(id: string): string | undefined {
    const node = nodeOfSession(id);
    return node === this.#options.nodeName() ? undefined : node;
  }

  /** Passes the messages of a POST on to the node of their session. Returns a rejection for the caller to send. */
  post(exchange: Exchange, post: RemotePost): Promise<RejectedRequest | undefined> {
    return relayPost(exchange, post, this.#context);
  }

  /** Opens or resumes a stream of another node. Returns a rejection for the caller to send. */
  listen(exchange: Exchange, listener: RemoteListener): Promise<RejectedRequest | undefined> {
    return relayListen(exchange, listener, this.#context);
  }

  /** Passes a stateless request on to the node with its state. Returns `false` when the node has stopped: the state is lost. */
  stateless(exchange: Exchange, relay: StatelessRelay): Promise<boolean> {
    const { sessions, relays } = this.#context;
    return relayStateless(exchange, relay, { sessions, relays, end: this.#options.end });
  }

  /** Serves a relayed request. Returns `false` for other messages. */
  receive(message: NodeMessage): boolean {
    if (!isRelayed(message)) return false;
    if (this.#sessions) this.#incoming.receive(message, this.#sessions);
    return true;
  }

  /** Handles a message of a session after all requests received before it. */
  inOrder(session: SessionKey, handle: () => void): void {
    this.#incoming.inOrder(session, handle);
  }

  /** Cancels a stateless request whose client has disconnected. */
  cancel(key: SessionKey): void {
    this.#incoming.cancel(key);
  }

  get #context(): RelayContext {
    if (!this.#sessions) throw new Error("The node serves no sessions yet; start it first");
    const { renew, releaseUnused } = this.#options;
    return { relays: this.#outgoing, sessions: this.#sessions, renew, releaseUnused };
  }
}
