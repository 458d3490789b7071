import type { Awaitable } from "../generated/support.ts";
import type { Clock } from "../runtime/internal/timers.ts";
import { listChanged, listKinds, type ListKind } from "../runtime/protocol/methods/list-kinds.ts";
import type { Broadcast, NodeDirectory } from "./stores/node-directory.ts";
import type {
  NotificationTarget,
  ServedClients,
  SharedReceiver,
} from "../runtime/transport/http-server/served-clients.ts";
import { createNodeName } from "./node-name.ts";

/** Broadcast for clients. */
type Notification = Exclude<Broadcast, { readonly kind: "revoked" | "lists" }>;

/** Sender and receiver of the broadcasts of a server. */
export interface BroadcastNode {
  readonly nodes: NodeDirectory;
  readonly clock: Clock;
  readonly onListChanged?: OnListChanged | undefined;
  fail(thrown: unknown): void;
}

/**
 * Reads the definitions of a list again, because another node has changed its own. Returns a function to change the list of this node. The clients of
 * this node are notified afterwards, and other nodes are not.
 */
export type OnListChanged = (kind: ListKind) => Awaitable<(() => void) | undefined>;

/**
 * Notifications of one server, shared by the nodes of a cluster. Each notification to the server's own clients is broadcast as well, gathered for a
 * moment. Broadcasts of other nodes reach the clients of this server.
 */
export class ClusterBroadcasts implements NotificationTarget, SharedReceiver {
  readonly isShared = true;
  readonly #clients: ServedClients;
  /** Name of this server in its broadcasts. */
  readonly #sender = createNodeName();
  /** Nodes of this server. The first one sends and receives. */
  readonly #nodes: BroadcastNode[] = [];
  /** Unsent broadcasts, the oldest first; equal ones have the same key. */
  #unsent = new Map<string, Notification>();
  #count = 0;
  #cancel: (() => void) | undefined;
  #sending: Promise<void> = Promise.resolve();
  #isFailing = false;
  /** Lists changed by the current function because another node changed its own; absent outside of such a function. */
  #applied: Set<ListKind> | undefined;
  /** Lists being read again; true if another change came meanwhile. */
  readonly #reading = new Map<ListKind, boolean>();

  private constructor(clients: ServedClients) {
    this.#clients = clients;
    clients.attach(this);
  }

  /** Returns the broadcasts of a server, with one more node. */
  static join(clients: ServedClients, node: BroadcastNode): ClusterBroadcasts {
    const broadcasts = joined.get(clients) ?? new ClusterBroadcasts(clients);
    joined.set(clients, broadcasts);
    broadcasts.#nodes.push(node);
    return broadcasts;
  }

  /** Sends what is not sent yet, and removes a node. */
  async leave(node: BroadcastNode): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#send();
    this.#nodes.splice(this.#nodes.indexOf(node) >>> 0, 1);
  }

  // Notifications of this server.

  listChanged(kind: ListKind): void {
    if (this.#applied) this.#applied.add(kind);
    else this.#add({ kind: "notification", handler: listChanged[kind] });
  }

  notify(handler: string, params: object | undefined): void {
    if (kindOf(handler)) return;
    this.#add({ kind: "notification", handler, ...(params && { params }) });
  }

  notifyUpdated(uris: readonly [string, ...string[]]): void {
    this.#add({ kind: "updated", uris });
  }

  notifyTopic(topic: string, handler: string, params: object): void {
    // Clients poll for what is too large to be kept for every node.
    if (JSON.stringify(params).length <= largestTopic) this.#add({ kind: "topic", topic, handler, params });
  }

  /** Does nothing: what is not sent yet is sent when the node leaves. */
  async close(): Promise<void> {}

  // Broadcasts of other nodes.

  /** Notifies the clients of this server of what another node has broadcast. */
  receive(node: BroadcastNode, broadcast: Broadcast): void {
    if (node !== this.#nodes[0] || broadcast.kind === "revoked" || broadcast.kind === "lists") return;
    if (broadcast.sender === this.#sender) return;
    switch (broadcast.kind) {
      case "notification": {
        const kind = kindOf(broadcast.handler);
        return kind ? this.#readAgain(kind) : this.#apply((to) => to.notify(broadcast.handler, broadcast.params));
      }
      case "updated":
        return this.#apply((to) => to.notifyUpdated(broadcast.uris));
      case "topic":
        return this.#apply((to) => to.notifyTopic(broadcast.topic, broadcast.handler, broadcast.params));
      default:
        return broadcast satisfies never;
    }
  }

  /** Notifies the clients of this server of a list with other definitions on nodes of another version. It may have differed only for a time. */
  listDiffers(node: BroadcastNode, kind: ListKind): void {
    if (node === this.#nodes[0]) this.#notifyList(kind);
  }

  /** Notifies the clients of this server of every change they may have missed. */
  missed(node: BroadcastNode): void {
    if (node !== this.#nodes[0]) return;
    for (const kind of listKinds) this.#readAgain(kind);
    const uris = this.#clients.audiences.flatMap(({ subscribedUris = [] }) => [...subscribedUris]);
    for (const uri of new Set(uris)) this.#apply((to) => to.notifyUpdated([uri]));
  }

  /** Runs a change. It is not broadcast, because other nodes know of it. */
  #apply(change: (to: NotificationTarget) => void): void {
    this.#changeBy(() => change(this.#clients));
  }

  #changeBy(change: () => void): ReadonlySet<ListKind> {
    const applied = new Set<ListKind>();
    this.#applied = applied;
    try {
      change();
    } catch (thrown) {
      this.#nodes[0]?.fail(thrown);
    } finally {
      this.#applied = undefined;
    }
    return applied;
  }

  /** Reads the definitions of a list again, if the user has given a function for it, and notifies the clients. */
  #readAgain(kind: ListKind): void {
    const [node] = this.#nodes;
    if (!node?.onListChanged) return this.#notifyList(kind);
    const isReading = this.#reading.has(kind);
    this.#reading.set(kind, isReading);
    if (!isReading) void this.#readWhile(kind, node, node.onListChanged);
  }

  async #readWhile(kind: ListKind, { fail }: BroadcastNode, onListChanged: OnListChanged): Promise<void> {
    do {
      this.#reading.set(kind, false);
      let change: (() => void) | undefined;
      try {
        change = await onListChanged(kind);
      } catch (thrown) {
        fail(thrown);
      }
      // The server itself notifies its clients of lists that it changes.
      if (!change || !this.#changeBy(change).has(kind)) this.#notifyList(kind);
    } while (this.#reading.get(kind));
    this.#reading.delete(kind);
  }

  #notifyList(kind: ListKind): void {
    this.#apply((to) => to.notify(listChanged[kind], undefined));
  }

  #add(broadcast: Notification): void {
    const [node] = this.#nodes;
    if (this.#applied || !node) return;
    this.#count += 1;
    // Notifications of a topic are not merged: their order counts.
    const key = broadcast.kind === "topic" ? String(this.#count) : JSON.stringify(broadcast);
    this.#unsent.set(key, { ...broadcast, sender: this.#sender });
    if (this.#unsent.size > mostUnsent) this.#unsent.delete(this.#unsent.keys().next().value ?? "");
    this.#schedule(node, gatherTime);
  }

  #schedule({ clock }: BroadcastNode, milliseconds: number): void {
    this.#cancel ??= clock.after(milliseconds, () => {
      this.#cancel = undefined;
      void this.#send();
    });
  }

  #send(): Promise<void> {
    this.#sending = this.#sending.then(() => this.#sendUnsent());
    return this.#sending;
  }

  /** Sends the broadcasts in order. After a failure, the rest is sent later. */
  async #sendUnsent(): Promise<void> {
    const [node] = this.#nodes;
    if (!node || this.#unsent.size === 0) return;
    const unsent = this.#unsent;
    this.#unsent = new Map();
    const sent = [...unsent].map(async ([key, broadcast]) => {
      await node.nodes.broadcast(broadcast);
      unsent.delete(key);
    });
    const failed = (await Promise.allSettled(sent)).find((outcome) => outcome.status === "rejected");
    if (failed && !this.#isFailing) node.fail(failed.reason);
    this.#isFailing = failed !== undefined;
    if (!failed) return;
    this.#unsent = new Map([...unsent, ...this.#unsent]);
    this.#schedule(node, retryDelay);
  }
}

/** Broadcasts by the clients of their server. */
const joined = new WeakMap<ServedClients, ClusterBroadcasts>();

function kindOf(handler: string): ListKind | undefined {
  return listKinds.find((kind) => listChanged[kind] === handler);
}

/** Milliseconds for which broadcasts are gathered. */
const gatherTime = 10;

/** Milliseconds before unsent broadcasts are tried again. */
const retryDelay = 500;

/** Maximum number of waiting broadcasts. */
const mostUnsent = 10_000;

/** Maximum number of characters of the notification of a topic. */
const largestTopic = 64 * 1024;
