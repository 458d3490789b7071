import type { Clock } from "../internal/timers.ts";
import type { NodeDirectory, NodeReceiver } from "../stores/node-directory.ts";
import { createNodeName } from "./node-name.ts";

/** Dependencies of the lease of a node. */
export interface NodeLeaseOptions {
  readonly nodes: NodeDirectory;
  readonly clock: Clock;
  /** Milliseconds after which a node that does not renew its lease counts as stopped. */
  readonly lease: number;
  readonly receiver: NodeReceiver;
  /** Called when the lease has expired: other nodes may have sealed the streams of this one. The node has a new name then. */
  onLost(): void;
  fail(thrown: unknown): void;
}

/**
 * Name of a node and its lease, which is renewed three times in its duration. A node whose lease has expired, such as one that was suspended, gets a
 * new name.
 */
export class NodeLease {
  readonly #options: NodeLeaseOptions;
  #name: string = createNodeName();
  #registered: Promise<void> | undefined;
  #unreceive: (() => Promise<void>) | undefined;
  #cancel: (() => void) | undefined;
  /** Position of the last broadcast. */
  position: string | undefined;
  #isOver = false;

  constructor(options: NodeLeaseOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#name;
  }

  /** Resolves when other nodes can reach this one. A failed attempt is repeated with the next call. */
  register(): Promise<void> {
    this.#registered ??= this.#register().catch((thrown: unknown) => {
      this.#registered = undefined;
      throw thrown;
    });
    return this.#registered;
  }

  /** Ends the lease. */
  async leave(): Promise<void> {
    this.#isOver = true;
    this.#cancel?.();
    if (!this.#registered) return;
    try {
      await this.#unreceive?.();
      await this.#options.nodes.leave(this.#name);
    } catch (thrown) {
      this.#options.fail(thrown);
    }
  }

  async #register(): Promise<void> {
    const { nodes, lease, receiver } = this.#options;
    this.#unreceive = await nodes.receive(this.#name, receiver, this.position);
    await nodes.renew(this.#name, { milliseconds: lease, isNew: true });
    this.#scheduleRenewal();
  }

  #scheduleRenewal(): void {
    this.#cancel?.();
    if (this.#isOver) return;
    this.#cancel = this.#options.clock.after(this.#options.lease / 3, () => void this.#renew());
  }

  /** Renews the lease. While the store cannot be reached, no other node can find out that the lease has expired either. */
  async #renew(): Promise<void> {
    const { nodes, lease, fail } = this.#options;
    try {
      const isHeld = await nodes.renew(this.#name, { milliseconds: lease, isNew: false });
      if (!isHeld && !this.#isOver) await this.#replaceName();
    } catch (thrown) {
      fail(thrown);
    }
    this.#scheduleRenewal();
  }

  async #replaceName(): Promise<void> {
    const unreceive = this.#unreceive;
    this.#name = createNodeName();
    this.#registered = undefined;
    this.#options.onLost();
    await this.register();
    await unreceive?.();
  }
}
