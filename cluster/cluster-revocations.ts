import type { Cancel, Clock } from "../runtime/internal/timers.ts";
import type { Engine } from "./stores/engine.ts";
import {
  toRevocationEnd,
  RevocationList,
  toRevocationKey,
  type RevocableSender,
  type RevokedCredentials,
  type Revocations,
} from "../runtime/stores/revocations.ts";
import { createNodeName } from "./node-name.ts";

/** Dependencies of the revocations of a cluster. */
export interface ClusterRevocationsOptions {
  readonly engine: Pick<Engine, "nodes" | "revocations">;
  readonly clock: Clock;
  fail(thrown: unknown): void;
}

/** Revocations known to all nodes: each reads those of the engine at its start, and receives later ones as broadcasts. */
export class ClusterRevocations implements Revocations {
  readonly #options: ClusterRevocationsOptions;
  readonly #list = new RevocationList();
  #stopReceiving: (() => Promise<void>) | undefined;
  #cancel: Cancel | undefined;
  #isClosed = false;

  constructor(options: ClusterRevocationsOptions) {
    this.#options = options;
  }

  /** Begins to receive revocations. Resolves when all revocations in the engine are known. */
  async start(): Promise<void> {
    this.#stopReceiving = await this.#options.engine.nodes.receive(createNodeName(), {
      message() {},
      broadcastReceived: (broadcast) => {
        if (broadcast.kind === "revoked") this.#list.add(broadcast.key, broadcast.until);
      },
      missed: () => void this.#readAgain(),
      changed() {},
    });
    await this.#read();
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    try {
      await this.#stopReceiving?.();
    } catch (thrown) {
      this.#options.fail(thrown);
    }
  }

  async revoke(revocation: RevokedCredentials): Promise<void> {
    const { revocations, nodes } = this.#options.engine;
    // JSON has no infinite numbers.
    const until = Math.min(toRevocationEnd(revocation), Number.MAX_SAFE_INTEGER);
    const key = await toRevocationKey(revocation);
    // The principal or token is rejected here even if the engine is lost.
    this.#list.add(key, until);
    await revocations?.add({ key, until });
    await nodes.broadcast({ kind: "revoked", key, until });
  }

  isRevoked(sender: RevocableSender): boolean {
    return this.#list.isRevoked(sender);
  }

  watch(sender: RevocableSender, end: () => void): () => void {
    return this.#list.watch(sender, end);
  }

  /** Reads the revocations of the engine from time to time, in case a broadcast was lost. */
  #schedule(): void {
    if (this.#isClosed) return;
    this.#cancel = this.#options.clock.after(readInterval, () => void this.#readAgain().then(() => this.#schedule()));
  }

  async #readAgain(): Promise<void> {
    try {
      await this.#read();
    } catch (thrown) {
      this.#options.fail(thrown);
    }
  }

  async #read(): Promise<void> {
    const found = (await this.#options.engine.revocations?.list()) ?? [];
    for (const { key, until } of found) this.#list.add(key, until);
  }
}

/** Milliseconds between two readings of the engine. */
const readInterval = 30_000;
