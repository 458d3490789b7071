import { pause, type Clock } from "../runtime/internal/timers.ts";
import type { NodeDirectory, NodeReceiver } from "./stores/node-directory.ts";
import { createNodeName } from "./node-name.ts";

/** Dependencies of the lease of a node. */
export interface NodeLeaseOptions {
  readonly nodes: NodeDirectory;
  readonly clock: Clock;
  /** Milliseconds after which a node counts as stopped unless it renews its lease. */
  readonly lease: number;
  readonly receiver: NodeReceiver;
  fail(thrown: unknown): void;
}

/**
 * Name of a node and its lease, which is renewed three times in its duration. An expired lease is created again, for example after a suspension of
 * the process or an outage of the engine. The fence of each stream then shows whether another node has sealed or adopted the stream meanwhile.
 */
export class NodeLease {
  readonly #options: NodeLeaseOptions;
  readonly name: string = createNodeName();
  #registered: Promise<void> | undefined;
  #unreceive: (() => Promise<void>) | undefined;
  #cancel: (() => void) | undefined;
  /** Position of the last broadcast. */
  position: string | undefined;
  #isOver = false;
  /** True if the last renewal has failed. */
  #isFailing = false;
  #renewing: Promise<void> | undefined;
  /** Time before the last renewal, in the milliseconds of the clock. */
  #renewedAt = 0;
  /** Time since which every renewal has found the lease, in the milliseconds of the clock. */
  #heldSince = 0;

  constructor(options: NodeLeaseOptions) {
    this.#options = options;
  }

  /** Resolves when other nodes can reach this one. A failed attempt is repeated with the next call. */
  register(): Promise<void> {
    this.#registered ??= this.#register().catch((thrown: unknown) => {
      this.#registered = undefined;
      throw thrown;
    });
    return this.#registered;
  }

  /** Registers the node, as often as it takes until its lease is ended. Returns true if it took more than one attempt. */
  async registerAtLast(): Promise<boolean> {
    const { clock, fail } = this.#options;
    for (let attempt = 0; !this.#isOver; attempt += 1) {
      try {
        await this.register();
        return attempt > 0;
      } catch (thrown) {
        fail(thrown);
        await pause(registrationDelay, clock);
      }
    }
    return false;
  }

  /** True if the lease was ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * True if this node has held its lease for half of its duration. Only then does an expired lease of another node prove the end of this node: after
   * an outage of the engine all leases have expired, and the nodes create them again one after the other.
   */
  get isStable(): boolean {
    const { clock, lease } = this.#options;
    const now = clock.now();
    return this.#registered !== undefined && now - this.#renewedAt < lease && now - this.#heldSince >= lease / 2;
  }

  /**
   * Resolves when other nodes can reach this one and its lease holds. A lease whose renewal is overdue, as after a suspension of the process, is
   * renewed first.
   */
  async ensure(): Promise<void> {
    await this.register();
    const { clock, lease } = this.#options;
    if (clock.now() - this.#renewedAt >= lease) await this.#renew();
  }

  /** Ends the lease. */
  async leave(): Promise<void> {
    this.#isOver = true;
    this.#cancel?.();
    if (!this.#registered) return;
    try {
      // A registration in progress would create the lease again. Its failure is reported by its callers.
      await this.#registered.catch(() => {});
      await this.#unreceive?.();
      await this.#options.nodes.leave(this.name);
    } catch (thrown) {
      this.#options.fail(thrown);
    }
  }

  async #register(): Promise<void> {
    const { nodes, lease, receiver } = this.#options;
    // An earlier attempt may have come so far.
    this.#unreceive ??= await nodes.receive(this.name, receiver, this.position);
    const renewedAt = this.#options.clock.now();
    await nodes.renew(this.name, { milliseconds: lease, isNew: true });
    this.#renewedAt = renewedAt;
    this.#heldSince = renewedAt;
    this.#scheduleRenewal();
  }

  #scheduleRenewal(): void {
    this.#cancel?.();
    if (this.#isOver) return;
    this.#cancel = this.#options.clock.after(this.#options.lease / 3, () => {
      void this.#renew()
        .then(() => (this.#isFailing = false))
        .catch((thrown: unknown) => this.#fail(thrown))
        .finally(() => this.#scheduleRenewal());
    });
  }

  /** Reports the first failure in a row: the engine may be away for long. */
  #fail(thrown: unknown): void {
    this.#heldSince = Infinity;
    if (!this.#isFailing) this.#options.fail(thrown);
    this.#isFailing = true;
  }

  /** Renews the lease. While the store cannot be reached, no other node can notice an expired lease either. */
  #renew(): Promise<void> {
    this.#renewing ??= this.#renewOnce().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #renewOnce(): Promise<void> {
    const { nodes, lease, clock } = this.#options;
    const renewedAt = clock.now();
    const isHeld = await nodes.renew(this.name, { milliseconds: lease, isNew: false });
    if (this.#isOver) return;
    if (!isHeld) await nodes.renew(this.name, { milliseconds: lease, isNew: true });
    if (!isHeld || this.#heldSince === Infinity) this.#heldSince = renewedAt;
    this.#renewedAt = renewedAt;
  }
}

/** Milliseconds between two attempts to register a node. */
const registrationDelay = 1_000;
