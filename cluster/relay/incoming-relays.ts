import type { Engine } from "../stores/engine.ts";
import type { NodeMessage } from "../stores/node-directory.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import type { LiveSessions } from "../../runtime/transport/http-server/session/session-directory.ts";
import { nameSession } from "../name-session.ts";
import { toUnserved } from "./unserved.ts";
import { StatelessRequests, type CreateStream } from "./stateless-requests.ts";
import { listenElsewhere, servePost } from "./serve-relayed.ts";

/** Dependencies of the requests relayed by other nodes to this one. */
export interface IncomingRelaysOptions {
  readonly events: Engine["events"];
  readonly createStream: CreateStream;
  nodeName(): string;
  fail(thrown: unknown): void;
}

/** Requests relayed by other nodes, because only this node can serve them. The requests of a session are handled in order. */
export class IncomingRelays {
  readonly #options: IncomingRelaysOptions;
  readonly #stateless: StatelessRequests;
  /** Last message of each session in progress, by the name of the session. */
  readonly #handled = new Map<string, Promise<void>>();
  /** Streams of the latest requests: a message may come twice. */
  readonly #known = new Set<string>();

  constructor(options: IncomingRelaysOptions) {
    this.#options = options;
    this.#stateless = new StatelessRequests(options.createStream);
  }

  /** Serves a request, unless it was received before. */
  receive(message: RelayedMessage, sessions: LiveSessions): void {
    const { session, stream } = message;
    if (this.#known.has(stream)) return;
    this.#known.add(stream);
    const [oldest] = this.#known;
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest);
    this.#enqueue(session, () => this.#serve(message, sessions));
  }

  /** Handles a message of a session after all requests received before it. */
  inOrder(session: SessionKey, handle: () => void): void {
    if (this.#handled.has(nameSession(session))) this.#enqueue(session, async () => handle());
    else handle();
  }

  /** Cancels a stateless request whose client has disconnected. */
  cancel(key: SessionKey): void {
    this.#stateless.cancel(key);
  }

  #enqueue(session: SessionKey, handle: () => Promise<void>): void {
    const name = nameSession(session);
    const handled: Promise<void> = (this.#handled.get(name) ?? Promise.resolve())
      .then(handle)
      .catch(this.#options.fail)
      .finally(() => {
        if (this.#handled.get(name) === handled) this.#handled.delete(name);
      });
    this.#handled.set(name, handled);
  }

  async #serve(message: RelayedMessage, sessions: LiveSessions): Promise<void> {
    const { events, nodeName } = this.#options;
    if (await this.#isServed(message, sessions)) return;
    await events.append(message.session, toUnserved(message.stream, nodeName()));
  }

  /** Serves a request. Returns `false` when its session has ended, or when this node closes. */
  async #isServed(message: RelayedMessage, sessions: LiveSessions): Promise<boolean> {
    if (message.kind === "post" && message.isStateless) return this.#stateless.serve(message, sessions);
    const session = await sessions.use(message.session);
    if (!session) return false;
    if (message.kind === "post") servePost(session, message);
    else listenElsewhere(session, message.stream);
    return true;
  }
}

/** Message with a request whose responses are written to a new stream. */
export type RelayedMessage = Extract<NodeMessage, { readonly kind: "post" | "listen" }> & { readonly stream: string };

/** True for a message with a request whose responses are written to a new stream. */
export function isRelayed(message: NodeMessage): message is RelayedMessage {
  return message.kind === "listen" || (message.kind === "post" && message.stream !== undefined);
}

/** Maximum number of remembered streams. */
const mostKnown = 10_000;
