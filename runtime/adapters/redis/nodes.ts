import { pause } from "../../internal/timers.ts";
import type { Broadcast, NodeDirectory, NodeMessage, NodeReceiver } from "../../stores/node-directory.ts";
import type { SessionKey } from "../../stores/session-store.ts";
import { BroadcastReader } from "../../scale/engine/broadcast-reader.ts";
import { Broadcasts } from "./broadcasts.ts";
import { openEnvelope, sealEnvelope } from "../../scale/engine/envelope.ts";
import type { RedisLink } from "./connection/link.ts";
import { isNodeMessage } from "../../scale/engine/node-message.ts";
import { toNumber } from "./replies.ts";
import type { StoreContext } from "./store-context.ts";
import { Watches } from "./watches.ts";

/** Leases of nodes, and the channels between them, on Redis. */
export class RedisNodes implements NodeDirectory {
  readonly #context: StoreContext;
  readonly #link: RedisLink;
  readonly #broadcasts: Broadcasts;
  readonly #receivers = new Set<BroadcastReader>();
  readonly #watches: Watches;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(context: StoreContext, link: RedisLink) {
    this.#context = context;
    this.#link = link;
    this.#broadcasts = new Broadcasts(context);
    this.#watches = new Watches(context, link, (session, stream) => this.#changed(session, stream));
  }

  async renew(
    node: string,
    { milliseconds, isNew }: { readonly milliseconds: number; readonly isNew: boolean },
  ): Promise<boolean> {
    const key = this.#context.names.lease(node);
    const time = String(Math.max(1, Math.ceil(milliseconds)));
    const reply = isNew
      ? await this.#context.commands.send(key, ["SET", key, "1", "PX", time])
      : await this.#context.commands.send(key, ["SET", key, "1", "PX", time, "XX"]);
    return reply === "OK";
  }

  async leave(node: string): Promise<void> {
    const key = this.#context.names.lease(node);
    await this.#context.commands.send(key, ["DEL", key]);
  }

  async isAlive(node: string): Promise<boolean> {
    const key = this.#context.names.lease(node);
    return toNumber(await this.#context.commands.send(key, ["EXISTS", key])) > 0;
  }

  async receive(node: string, receiver: NodeReceiver, position?: string): Promise<() => Promise<void>> {
    const { names } = this.#context;
    const receiving = new BroadcastReader(receiver, this.#broadcasts);
    await this.#subscribe(names.messages(node), (text) => this.#receive(node, receiver, text));
    await this.#subscribe(names.broadcasts.channel, () => this.#readBroadcasts());
    await receiving.start(position);
    this.#receivers.add(receiving);
    // A broadcast may have come before the receiver was added. Messages without a reader are found again after a while.
    receiving.read();
    this.#timer ??= startTimer(() => this.#readBroadcasts());
    return async () => {
      receiving.stop();
      this.#receivers.delete(receiving);
      if (this.#receivers.size === 0) this.stop();
      await this.#link.unsubscribe(names.messages(node));
    };
  }

  async send(node: string, message: NodeMessage): Promise<"sent" | "absent"> {
    const { commands, names, ring } = this.#context;
    const channel = names.messages(node);
    const text = sealEnvelope(ring, channel, message);
    for (let attempt = 0; ; attempt += 1) {
      const receivers = toNumber(await commands.send(channel, [this.#link.publishCommand, channel, text]));
      if (receivers > 0) return "sent";
      // A node with a lease may be about to subscribe again.
      if (attempt === 5 || !(await this.isAlive(node))) return "absent";
      await pause(100, undefined);
    }
  }

  async broadcast(broadcast: Broadcast): Promise<string> {
    return await this.#broadcasts.add(broadcast);
  }

  async broadcastsAfter(
    position: string,
  ): Promise<readonly { readonly broadcast: Broadcast; readonly position: string }[] | undefined> {
    const found = await this.#broadcasts.after(position);
    return found?.flatMap(({ broadcast, position: at }) => (broadcast ? [{ broadcast, position: at }] : []));
  }

  async watch(session: SessionKey, stream: string): Promise<() => void> {
    return await this.#watches.add(session, stream);
  }

  /** Reads what was missed while a connection for channels was lost. */
  resume(): void {
    this.#readBroadcasts();
    this.#watches.resume();
  }

  /** Ends all timers. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  close(): void {
    this.stop();
    this.#watches.close();
    for (const receiving of this.#receivers) receiving.stop();
    this.#receivers.clear();
  }

  async #subscribe(channel: string, listener: (text: string) => void): Promise<void> {
    await this.#context.commands.perform("SUBSCRIBE", () => this.#link.subscribe(channel, listener));
  }

  #receive(node: string, receiver: NodeReceiver, text: string): void {
    const { ring, names, health } = this.#context;
    const message = openEnvelope(ring, names.messages(node), text);
    if (isNodeMessage(message)) receiver.message(message);
    else health.countInvalid();
  }

  #readBroadcasts(): void {
    for (const receiving of this.#receivers) receiving.read();
  }

  #changed(session: SessionKey, stream: string): void {
    for (const { receiver } of this.#receivers) receiver.changed(session, stream);
  }
}

function startTimer(run: () => void): ReturnType<typeof setInterval> {
  const timer = setInterval(run, 2_000);
  timer.unref();
  return timer;
}
