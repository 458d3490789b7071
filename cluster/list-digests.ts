import { sha256, toHex } from "../runtime/internal/digest.ts";
import type { Cancel, Clock } from "../runtime/internal/timers.ts";
import { listKinds, type ListKind } from "../runtime/protocol/methods/list-kinds.ts";
import type { Broadcast, NodeDirectory } from "./stores/node-directory.ts";

/** Dependencies of the digests of a node. */
export interface ListDigestsOptions {
  readonly nodes: NodeDirectory;
  readonly clock: Clock;
  /** Milliseconds after which a node counts as stopped unless it renews its lease. */
  readonly lease: number;
  readonly self: { readonly name: string; readonly isStable: boolean };
  /** Returns what clients see of the lists of this node. */
  describeLists(): ReadonlyMap<ListKind, string>;
  /** Notifies the clients of this node of a list. */
  changed(kind: ListKind): void;
  fail(thrown: unknown): void;
}

type Digests = Readonly<Record<string, string>>;

/**
 * Digests of the lists of the nodes. While a new version of the server replaces an older one, a client may see the lists of either. Its node notifies it
 * when nodes with other definitions begin to serve, and when the last of them has stopped.
 */
export class ListDigests {
  readonly #options: ListDigestsOptions;
  #isServing = false;
  /** Kinds of lists with other definitions, by the name of the node. */
  readonly #others = new Map<string, readonly ListKind[]>();
  #cancel: Cancel | undefined;
  #isOver = false;

  constructor(options: ListDigestsOptions) {
    this.#options = options;
  }

  /** Sends the digests of this node to all others. */
  async broadcast(): Promise<void> {
    const { nodes, self, describeLists } = this.#options;
    this.#isServing = true;
    const digests = await toDigests(describeLists());
    if (!this.#isOver && Object.keys(digests).length > 0)
      await nodes.broadcast({ kind: "lists", node: self.name, digests });
  }

  /** Receives the digests of a node. */
  async receive({ node, digests }: Broadcast & { readonly kind: "lists" }): Promise<void> {
    if (!this.#isServing || node === this.#options.self.name) return;
    // The lists of this node may have changed since it began to serve.
    const own = await toDigests(this.#options.describeLists());
    if (this.#isOver || this.#others.has(node)) return;
    const kinds = listKinds.filter((kind) => own[kind] !== undefined && own[kind] !== digests[kind]);
    if (kinds.length === 0) return;
    this.#others.set(node, kinds);
    for (const kind of kinds) this.#options.changed(kind);
    this.#schedule();
    // A node that begins to serve does not know the others yet.
    await this.broadcast();
  }

  stop(): void {
    this.#isOver = true;
    this.#cancel?.();
  }

  /** Checks the other nodes, three times in the duration of a lease, as long as there are any. */
  #schedule(): void {
    if (this.#isOver || this.#others.size === 0) return;
    const { clock, lease, fail } = this.#options;
    this.#cancel ??= clock.after(lease / 3, () => {
      this.#cancel = undefined;
      void this.#checkOthers()
        .catch(fail)
        .finally(() => this.#schedule());
    });
  }

  async #checkOthers(): Promise<void> {
    const { nodes, self, changed } = this.#options;
    for (const [node, kinds] of this.#others) {
      if ((await nodes.isAlive(node)) || !self.isStable) continue;
      this.#others.delete(node);
      for (const kind of kinds) changed(kind);
    }
  }
}

async function toDigests(lists: ReadonlyMap<ListKind, string>): Promise<Digests> {
  const digests = [...lists].map(async ([kind, text]): Promise<[string, string]> => {
    return [kind, toHex((await sha256(text)).subarray(0, 16))];
  });
  return Object.fromEntries(await Promise.all(digests));
}
