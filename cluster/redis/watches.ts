import { repeat, type Cancel } from "../../runtime/internal/timers.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import type { RedisLink } from "./connection/link.ts";
import type { StoreContext } from "./store-context.ts";

/** Streams watched by this node. Writing nodes publish only while a key says that there are watchers. */
export class Watches {
  readonly #context: StoreContext;
  readonly #link: RedisLink;
  readonly #changed: (session: SessionKey, stream: string) => void;
  /** Watched streams by their channel. */
  readonly #streams = new Map<string, Watched>();
  /** Channels whose subscription is being ended: a new one begins only then. */
  readonly #leaving = new Map<string, Promise<void>>();
  #timer: Cancel | undefined;

  constructor(context: StoreContext, link: RedisLink, changed: (session: SessionKey, stream: string) => void) {
    this.#context = context;
    this.#link = link;
    this.#changed = changed;
  }

  async add(session: SessionKey, stream: string): Promise<() => void> {
    const { names, sessionTags } = this.#context;
    const channel = names.stream(await sessionTags.find(session), stream).watch;
    const known = this.#streams.get(channel);
    const watched = known ?? { session, stream, count: 0, subscribed: this.#subscribe(channel) };
    watched.count += 1;
    this.#streams.set(channel, watched);
    try {
      await watched.subscribed;
      await this.#mark(channel);
    } catch (error) {
      this.#release(channel, watched);
      throw error;
    }
    this.#timer ??= this.#startTimer();
    let isReleased = false;
    return () => {
      if (!isReleased) this.#release(channel, watched);
      isReleased = true;
    };
  }

  /** Wakes the followers of all streams, because messages may have been missed, and marks the streams again. */
  resume(): void {
    for (const channel of this.#streams.keys()) this.#wake(channel);
    this.#markAll();
  }

  close(): void {
    this.#timer?.();
    this.#timer = undefined;
    this.#streams.clear();
  }

  async #subscribe(channel: string): Promise<void> {
    await this.#leaving.get(channel);
    const { commands } = this.#context;
    await commands.perform("SUBSCRIBE", () => this.#link.subscribe(channel, () => this.#wake(channel)));
  }

  #wake(channel: string): void {
    const watched = this.#streams.get(channel);
    if (watched) this.#changed(watched.session, watched.stream);
  }

  #release(channel: string, watched: Watched): void {
    watched.count -= 1;
    if (watched.count > 0 || this.#streams.get(channel) !== watched) return;
    this.#streams.delete(channel);
    if (this.#streams.size === 0) this.close();
    const left = this.#link
      .unsubscribe(channel)
      .catch(() => {})
      .finally(() => {
        if (this.#leaving.get(channel) === left) this.#leaving.delete(channel);
      });
    this.#leaving.set(channel, left);
  }

  async #mark(channel: string): Promise<void> {
    await this.#context.commands.send(channel, ["SET", channel, "1", "PX", String(markTtl)]);
  }

  #markAll(): void {
    for (const channel of this.#streams.keys()) this.#mark(channel).catch(() => {});
  }

  #startTimer(): Cancel {
    return repeat(markTtl / 3, () => this.#markAll());
  }
}

interface Watched {
  readonly session: SessionKey;
  readonly stream: string;
  /** Resolves when the channel is subscribed, for all who watch the stream. */
  readonly subscribed: Promise<void>;
  count: number;
}

/** Milliseconds for which a stream is marked as watched. */
const markTtl = 60_000;
