import type { Awaitable } from "../../generated/support.ts";
import type { Incoming } from "../../runtime/jsonrpc/message.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";

/** Message of one node to another. */
export type NodeMessage =
  /** Message of the client for a request run or sent by the receiving node. */
  | { readonly kind: "deliver"; readonly session: SessionKey; readonly incoming: Incoming }
  /** Message of the server for the stream of the session that the receiving node writes, as JSON text. */
  | { readonly kind: "send"; readonly session: SessionKey; readonly text: string }
  /** The client has connected to a stream on another node: the connection here is no longer read. */
  | { readonly kind: "resumed"; readonly session: SessionKey; readonly stream: string }
  /** The state of the session has changed. */
  | { readonly kind: "changed"; readonly session: SessionKey }
  /**
   * Body of a POST, for the only node that can serve its session. With `stream`, that node writes the responses to a new stream of this name; without one
   * to the stream of the session, as in HTTP with SSE.
   */
  | ForwardedBody
  /** The client has opened a stream by GET: the only node that can serve the session writes to a new stream of this name from now on. */
  | { readonly kind: "listen"; readonly session: SessionKey; readonly stream: string }
  /** The session has ended. */
  | { readonly kind: "ended"; readonly session: SessionKey }
  /** The record of a task has changed. With `from`, that node waits for the end of the task. */
  | { readonly kind: "task"; readonly id: string; readonly owner: string; readonly from?: string };

/** Body of a POST received by another node. */
export interface ForwardedBody {
  readonly kind: "post";
  readonly session: SessionKey;
  readonly value: unknown;
  /** Authenticated sender. */
  readonly identity?: object;
  readonly stream?: string;
  /** True for a request without a session: the id of the session is then the state of the request. */
  readonly isStateless?: boolean;
}

/** True for a message kept for its receiver. The sender of any other message handles it in another way when the receiver is absent. */
export function isForOneNode({ kind }: NodeMessage): boolean {
  return kind !== "send" && kind !== "post" && kind !== "listen";
}

/** Change for every node, because clients of each may have to be notified. `sender` names the server that has notified its own clients already. */
export type Broadcast =
  /** A list has changed, or another notification for all clients. */
  | { readonly kind: "notification"; readonly handler: string; readonly params?: object; readonly sender?: string }
  /** The resource at the first URI has changed; the other URIs contain it. */
  | { readonly kind: "updated"; readonly uris: readonly [string, ...string[]]; readonly sender?: string }
  /** A notification for the subscribers of a topic. */
  | {
      readonly kind: "topic";
      readonly topic: string;
      readonly handler: string;
      readonly params: object;
      readonly sender?: string;
    }
  /** Digests of the lists of a node, by their kind: nodes of another version of the server have others. */
  | { readonly kind: "lists"; readonly node: string; readonly digests: Readonly<Record<string, string>> }
  /** A principal or token has been revoked, until a time in milliseconds since 1970. */
  | { readonly kind: "revoked"; readonly key: string; readonly until: number };

/** Receives what other nodes send. */
export interface NodeReceiver {
  /** Handles a message; at-least-once, so a message may come twice. */
  message(message: NodeMessage): void;
  /**
   * Handles a broadcast, including those of the node itself, after the messages sent to the node before it: they may decide which clients it is for.
   * `position` identifies it among all broadcasts.
   */
  broadcastReceived(broadcast: Broadcast, position: string): void;
  /** Called when broadcasts were missed and can no longer be read. */
  missed(): void;
  /** Called when the events of a watched stream may have changed. */
  changed(session: SessionKey, stream: string): void;
}

/**
 * Directory of the nodes of a cluster, and the channels between them. A node lives as long as its lease, which is measured by the clock of the store:
 * clocks of nodes are never compared.
 */
export interface NodeDirectory {
  /** Creates or extends the lease of a node. Returns `false` when an earlier lease has expired: others may have sealed the streams of the node. */
  renew(node: string, lease: { readonly milliseconds: number; readonly isNew: boolean }): Awaitable<boolean>;
  /** Ends the lease of a node. */
  leave(node: string): Awaitable<void>;
  /** True if the node has a lease. */
  isAlive(node: string): Awaitable<boolean>;
  /** Receives messages to a node, and all broadcasts after a position or from now on. Resolves when nothing can be missed any more. */
  receive(node: string, receiver: NodeReceiver, position?: string): Awaitable<() => Promise<void>>;
  /**
   * Sends a message to a node. `"absent"`: no node receives under this name at the moment. A message for this node only is kept nevertheless, if the
   * node has received in the last 10 min: it may have lost its connection, and receives the message when it is back.
   */
  send(node: string, message: NodeMessage): Awaitable<"sent" | "absent">;
  /** Sends an broadcast to all nodes, and keeps it for 10 min. Returns its position. */
  broadcast(broadcast: Broadcast): Awaitable<string>;
  /** Returns the broadcasts after a position; `undefined` when some are no longer kept. */
  broadcastsAfter(
    position: string,
  ): Awaitable<readonly { readonly broadcast: Broadcast; readonly position: string }[] | undefined>;
  /** Calls `changed` of the receiver whenever events of a stream are added, until the returned function is called. */
  watch(session: SessionKey, stream: string): Awaitable<() => void>;
}
