import type { Broadcast, NodeReceiver } from "../../stores/node-directory.ts";

/** Broadcast with its position; without content when it did not verify. */
export interface ReadBroadcast {
  readonly broadcast: Broadcast | undefined;
  readonly position: string;
}

/** Broadcasts that a store keeps. */
export interface KeptBroadcasts {
  /** Returns the position of the last broadcast. */
  findLast(): Promise<string>;
  /** Returns the broadcasts after a position; `undefined` when some are no longer kept. */
  after(position: string): Promise<readonly ReadBroadcast[] | undefined>;
}

/** Passes broadcasts on to the receiver of a node, each once and in order. */
export class BroadcastReader {
  readonly receiver: NodeReceiver;
  readonly #broadcasts: KeptBroadcasts;
  #position: string | undefined;
  #isReading = false;
  #isAgain = false;
  #isStopped = false;

  constructor(receiver: NodeReceiver, broadcasts: KeptBroadcasts) {
    this.receiver = receiver;
    this.#broadcasts = broadcasts;
  }

  /** Sets the position to read from. Default: after the last broadcast. */
  async start(position: string | undefined): Promise<void> {
    this.#position = position ?? (await this.#broadcasts.findLast());
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Reads the broadcasts after the position, and again when it is called meanwhile. */
  read(): void {
    if (this.#isStopped) return;
    this.#isAgain = true;
    if (this.#isReading) return;
    this.#isReading = true;
    this.#readAll()
      .catch(() => this.#readLater())
      .finally(() => (this.#isReading = false));
  }

  /** Reads again after a failure: the store may not call this reader once more. */
  #readLater(): void {
    if (!this.#isStopped) setTimeout(() => this.read(), retryDelay).unref();
  }

  async #readAll(): Promise<void> {
    while (this.#isAgain && !this.#isStopped) {
      this.#isAgain = false;
      if (this.#position !== undefined) await this.#readAfter(this.#position);
    }
  }

  async #readAfter(position: string): Promise<void> {
    const found = await this.#broadcasts.after(position);
    if (!found) {
      this.#position = await this.#broadcasts.findLast();
      if (!this.#isStopped) this.receiver.missed();
    }
    for (const { broadcast, position: at } of found ?? []) {
      if (this.#isStopped) return;
      this.#position = at;
      if (broadcast) this.receiver.broadcastReceived(broadcast, at);
    }
  }
}

/** Milliseconds between two attempts to read. */
const retryDelay = 250;
