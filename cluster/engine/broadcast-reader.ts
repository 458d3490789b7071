import type { Broadcast, NodeReceiver } from "../stores/node-directory.ts";
import { ReadLoop } from "./read-loop.ts";

/** Broadcast with its position; without content when it did not verify. */
export interface ReadBroadcast {
  readonly broadcast: Broadcast | undefined;
  readonly position: string;
}

/** Broadcasts in a store. */
export interface KeptBroadcasts {
  /** Returns the position of the last broadcast. */
  findLast(): Promise<string>;
  /** Returns the broadcasts after a position; `undefined` when some are no longer kept. */
  after(position: string): Promise<readonly ReadBroadcast[] | undefined>;
}

/** Reader of the messages to a node. */
export interface MessageReader {
  /** Passes on all messages sent before this call. */
  readAll(): Promise<void>;
}

/**
 * Passes broadcasts on to the receiver of a node, each once and in order, and after the messages sent before it: these may decide which clients a
 * broadcast is for.
 */
export class BroadcastReader {
  readonly receiver: NodeReceiver;
  readonly #messages: MessageReader;
  readonly #broadcasts: KeptBroadcasts;
  readonly #loop = new ReadLoop(() => this.#readNew());
  #position: string | undefined;

  constructor(receiver: NodeReceiver, messages: MessageReader, broadcasts: KeptBroadcasts) {
    this.receiver = receiver;
    this.#messages = messages;
    this.#broadcasts = broadcasts;
  }

  /** Sets the position to read from. Default: after the last broadcast. */
  async start(position: string | undefined): Promise<void> {
    this.#position = position ?? (await this.#broadcasts.findLast());
  }

  stop(): void {
    this.#loop.stop();
  }

  /** Reads the broadcasts after the position, and again when it is called meanwhile. */
  read(): void {
    this.#loop.request();
  }

  async #readNew(): Promise<void> {
    if (this.#position === undefined) return;
    const found = await this.#broadcasts.after(this.#position);
    if (found?.length === 0) return;
    await this.#messages.readAll();
    if (!found) {
      this.#position = await this.#broadcasts.findLast();
      if (!this.#loop.isStopped) this.receiver.missed();
    }
    for (const { broadcast, position } of found ?? []) {
      if (this.#loop.isStopped) return;
      this.#position = position;
      if (broadcast) this.receiver.broadcastReceived(broadcast, position);
    }
  }
}
