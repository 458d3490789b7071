import { createSecretId } from "../../runtime/internal/digest.ts";
import { nodeGone } from "../../runtime/jsonrpc/errors.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import type { BoundRequest, LiveSessions } from "../../runtime/transport/http-server/session/session-directory.ts";
import type { Exchange } from "../../runtime/transport/http-server/exchange/exchange.ts";
import { storeUnavailable } from "../../runtime/transport/http-server/rejection.ts";
import { jsonFields, streamFields } from "../../runtime/transport/http-server/session/session-response.ts";
import type { OutgoingRelays } from "./outgoing-relays.ts";
import { RelayedConnection } from "./relayed-connection.ts";

/** Stateless request to be continued on another node. */
export interface StatelessRelay extends Pick<BoundRequest, "identity" | "message"> {
  /** Node which has issued the state. */
  readonly node: string;
}

/** Parts of a node used to relay stateless requests. */
export interface StatelessRelayContext {
  readonly relays: OutgoingRelays;
  readonly sessions: LiveSessions;
  /** Ends what the nodes know of a key, in the background. */
  end(key: SessionKey): void;
}

/** Passes a stateless request on to the node with its state. Returns `false` when the node has stopped: the state is lost then. */
export async function relayStateless(
  exchange: Exchange,
  { identity, message, node }: StatelessRelay,
  { relays, sessions, end }: StatelessRelayContext,
): Promise<boolean> {
  const { id, method, params } = message;
  // Each request has a key of its own: the state may come with another request before this one has been forgotten everywhere.
  const remote = { key: { id: `${createSecretId()}.${node}`, owner: identity?.principal }, node };
  const { retry, clock } = sessions.settings;
  const outcome = await relays.begin({
    remote,
    post: { value: { jsonrpc: "2.0", id, method, params }, identity, isStateless: true },
    following: { retry, isPrimed: false, hasIds: false, open: () => exchange.stream(streamFields) },
  });
  switch (outcome.kind) {
    case "followed": {
      const { stream } = outcome;
      // Cancels the request, unless it has its response by then.
      void stream.finished.then(() => end(remote.key));
      sessions.adopt(new RelayedConnection({ stream, clock, end: "after-response", retry, renew() {} }));
      return true;
    }
    case "ended":
      return false;
    case "unavailable":
      exchange.respond(storeUnavailable().response);
      return true;
    case "lost":
      exchange.respond({
        status: 200,
        headers: jsonFields,
        body: JSON.stringify({ jsonrpc: "2.0", id, error: nodeGone }),
      });
      return true;
    default:
      return outcome satisfies never;
  }
}
