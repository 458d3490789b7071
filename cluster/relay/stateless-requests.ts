import { isObject } from "../../generated/support.ts";
import { classify } from "../../runtime/jsonrpc/message.ts";
import { createMetadataReader } from "../../runtime/protocol/session/request-metadata.ts";
import type { ForwardedBody } from "../stores/node-directory.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import type { LiveSessions } from "../../runtime/transport/http-server/session/session-directory.ts";
import type { NewStream } from "../../runtime/transport/http-server/session/session-streams.ts";
import type { SessionStream } from "../../runtime/transport/http-server/session/event-stream.ts";
import { isIdentity } from "../../runtime/transport/http-server/identity.ts";
import { RelayedStatelessResponse } from "./stateless-response.ts";

/** Creates a stream for this node to write. */
export type CreateStream = (key: SessionKey, stream: NewStream) => SessionStream;

/** Stateless requests received by other nodes, because only this node has the state to continue from. */
export class StatelessRequests {
  readonly #createStream: CreateStream;
  /** Requests in progress, by the ids of their keys. */
  readonly #running = new Map<string, RelayedStatelessResponse>();

  constructor(createStream: CreateStream) {
    this.#createStream = createStream;
  }

  /** Serves a request. Returns `false` when it is no stateless request, or when this node closes. */
  serve({ session: key, stream: name, value, identity }: RelayedBody, sessions: LiveSessions): boolean {
    const message = classify(value);
    const metadata = createMetadataReader(sessions.revisions)?.read(isObject(value) ? value.params : undefined);
    if (message.kind !== "request" || metadata?.kind !== "metadata") return false;
    const response = new RelayedStatelessResponse({
      identity: isIdentity(identity) ? identity : undefined,
      message,
      settings: sessions.settings,
      createStream: (host) => this.#createStream(key, { name, host, requests: [message.id] }),
    });
    const { revision, client } = metadata;
    const connection = sessions.acceptStateless(response, { revision, client });
    if (!connection) return false;
    response.receive();
    if (response.isDone) return true;
    this.#running.set(key.id, response);
    void connection.closed.then(() => this.#running.delete(key.id));
    sessions.adopt({ connection, keepAlive() {} });
    return true;
  }

  /** Cancels a request whose client has disconnected. */
  cancel({ id }: SessionKey): void {
    this.#running.get(id)?.leave();
  }
}

type RelayedBody = ForwardedBody & { readonly stream: string };
