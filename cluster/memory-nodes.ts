import type { Clock } from "../runtime/internal/timers.ts";
import { isForOneNode, type Broadcast, type NodeMessage, type NodeReceiver } from "./stores/node-directory.ts";
import type { SessionKey } from "../runtime/stores/session-store.ts";
import { copyValue } from "./copy-value.ts";
import type { EngineLimits } from "./engine-limits.ts";
import { nameSession } from "./name-session.ts";

/** Connection of one engine to the memory of a cluster. */
export interface MemoryConnection {
  /** False while the connection is closed or lost: nothing is received. */
  isReady(): boolean;
  readonly receivers: Set<MemoryReceiver>;
  /** Watched streams. */
  readonly watches: Set<Watch>;
}

/** Receiver of a node. */
export interface MemoryReceiver {
  readonly node: string;
  readonly receiver: NodeReceiver;
  /** Position of the last received broadcast. */
  position: string;
}

/** Stream watched by a connection. */
export interface Watch {
  readonly session: SessionKey;
  readonly stream: string;
}

/** Leases, broadcasts and channels of a cluster in the memory of this process. */
export class MemoryNodes {
  readonly #limits: EngineLimits;
  readonly #clock: Pick<Clock, "now">;
  readonly #connections = new Set<MemoryConnection>();
  /** Ends of the leases. */
  readonly #leases = new Map<string, number>();
  /** Stored broadcasts, the oldest first; their numbers have no gaps. */
  readonly #kept: { readonly broadcast: Broadcast; readonly expiresAt: number }[] = [];
  /** Messages for nodes without a connection at the moment. */
  readonly #waiting = new Map<string, NodeMessage[]>();
  /** Number of the last broadcast. */
  #last = 0;

  constructor(limits: EngineLimits, clock: Pick<Clock, "now">) {
    this.#limits = limits;
    this.#clock = clock;
  }

  connect(connection: MemoryConnection): void {
    this.#connections.add(connection);
  }

  disconnect(connection: MemoryConnection): void {
    this.#connections.delete(connection);
    for (const { node } of connection.receivers) this.#waiting.delete(node);
    connection.receivers.clear();
    connection.watches.clear();
  }

  renew(node: string, { milliseconds, isNew }: { readonly milliseconds: number; readonly isNew: boolean }): boolean {
    if (!isNew && !this.isAlive(node)) return false;
    this.#leases.set(node, this.#clock.now() + milliseconds);
    return true;
  }

  leave(node: string): void {
    this.#leases.delete(node);
  }

  isAlive(node: string): boolean {
    const now = this.#clock.now();
    for (const [name, expiresAt] of this.#leases) if (expiresAt <= now) this.#leases.delete(name);
    return this.#leases.has(node);
  }

  /** Adds a receiver. It receives the broadcasts after the position, or from now on. */
  receive(connection: MemoryConnection, node: string, receiver: NodeReceiver, position?: string): () => void {
    const added = { node, receiver, position: position ?? String(this.#last) };
    connection.receivers.add(added);
    this.#waiting.set(node, []);
    this.#deliver(connection, added);
    return () => {
      connection.receivers.delete(added);
      this.#waiting.delete(node);
    };
  }

  send(node: string, message: NodeMessage): "sent" | "absent" {
    const found = this.#receivers().filter(([, added]) => added.node === node);
    for (const [connection, added] of found) {
      callLater(connection, added, () => added.receiver.message(copyValue(message)));
    }
    if (found.length > 0) return "sent";
    if (isForOneNode(message)) this.#waiting.get(node)?.push(message);
    return "absent";
  }

  broadcast(broadcast: Broadcast): string {
    this.#last += 1;
    this.#kept.push({ broadcast, expiresAt: this.#clock.now() + this.#limits.broadcastTtl });
    this.#expire();
    for (const [connection, added] of this.#receivers()) this.#deliver(connection, added);
    return String(this.#last);
  }

  broadcastsAfter(
    position: string,
  ): readonly { readonly broadcast: Broadcast; readonly position: string }[] | undefined {
    this.#expire();
    const last = readPosition(position);
    const before = this.#last - this.#kept.length;
    if (last === undefined || last < before || last > this.#last) return undefined;
    return this.#kept
      .slice(last - before)
      .map(({ broadcast }, index) => ({ broadcast, position: String(last + index + 1) }));
  }

  /** Calls the receivers of the connections which watch a stream. */
  changed(session: SessionKey, stream: string): void {
    const name = nameStream({ session, stream });
    for (const [connection, added] of this.#receivers()) {
      const isWatched = [...connection.watches].some((watch) => nameStream(watch) === name);
      if (isWatched) callLater(connection, added, () => added.receiver.changed(copyValue(session), stream));
    }
  }

  watch(connection: MemoryConnection, watch: Watch): () => void {
    const added = { ...watch };
    connection.watches.add(added);
    return () => void connection.watches.delete(added);
  }

  /** Delivers what a connection has missed while it was lost. */
  resume(connection: MemoryConnection): void {
    for (const added of connection.receivers) {
      // Messages come before broadcasts: they may decide which clients a broadcast is for.
      const messages = this.#waiting.get(added.node)?.splice(0) ?? [];
      for (const message of messages) callLater(connection, added, () => added.receiver.message(message));
      this.#deliver(connection, added);
      for (const { session, stream } of connection.watches) {
        callLater(connection, added, () => added.receiver.changed(copyValue(session), stream));
      }
    }
  }

  /** Delivers the broadcasts a receiver has not got yet. */
  #deliver(connection: MemoryConnection, added: MemoryReceiver): void {
    callLater(connection, added, () => {
      const lacking = this.broadcastsAfter(added.position);
      added.position = String(this.#last);
      if (!lacking) added.receiver.missed();
      for (const { broadcast, position } of lacking ?? []) {
        added.receiver.broadcastReceived(copyValue(broadcast), position);
      }
    });
  }

  #receivers(): readonly (readonly [MemoryConnection, MemoryReceiver])[] {
    const ready = [...this.#connections].filter((connection) => connection.isReady());
    return ready.flatMap((connection) => [...connection.receivers].map((added) => [connection, added] as const));
  }

  #expire(): void {
    const now = this.#clock.now();
    while (this.#kept[0] && (this.#kept[0].expiresAt <= now || this.#kept.length > this.#limits.maxBroadcasts)) {
      this.#kept.shift();
    }
  }
}

/** Calls a receiver in a microtask of its own, unless it is gone by then. */
function callLater(connection: MemoryConnection, added: MemoryReceiver, call: () => void): void {
  queueMicrotask(() => {
    if (connection.isReady() && connection.receivers.has(added)) call();
  });
}

function nameStream({ session, stream }: Watch): string {
  return JSON.stringify([nameSession(session), stream]);
}

function readPosition(position: string): number | undefined {
  return /^\d{1,15}$/.test(position) ? Number(position) : undefined;
}
