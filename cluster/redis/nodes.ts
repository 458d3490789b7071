import { repeat, type Cancel } from "../../runtime/internal/timers.ts";
import type { Broadcast, NodeDirectory, NodeMessage, NodeReceiver } from "../stores/node-directory.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import { BroadcastReader } from "../engine/broadcast-reader.ts";
import { Broadcasts } from "./broadcasts.ts";
import type { RedisLink } from "./connection/link.ts";
import { RedisMessages, type RedisMessageReader } from "./messages.ts";
import { toNumber } from "./replies.ts";
import type { StoreContext } from "./store-context.ts";
import { Watches } from "./watches.ts";

/** Leases of nodes, and the channels between them, on Redis. */
export class RedisNodes implements NodeDirectory {
  readonly #context: StoreContext;
  readonly #link: RedisLink;
  readonly #broadcasts: Broadcasts;
  readonly #messages: RedisMessages;
  readonly #receivers = new Set<Receiver>();
  readonly #watches: Watches;
  #timer: Cancel | undefined;

  constructor(context: StoreContext, link: RedisLink) {
    this.#context = context;
    this.#link = link;
    this.#broadcasts = new Broadcasts(context);
    this.#messages = new RedisMessages(context);
    this.#watches = new Watches(context, link, (session, stream) => this.#changed(session, stream));
  }

  async renew(
    node: string,
    { milliseconds, isNew }: { readonly milliseconds: number; readonly isNew: boolean },
  ): Promise<boolean> {
    const key = this.#context.names.lease(node);
    const time = String(Math.max(1, Math.ceil(milliseconds)));
    const reply = isNew
      ? await this.#context.commands.sendDurably(key, ["SET", key, "1", "PX", time])
      : await this.#context.commands.sendDurably(key, ["SET", key, "1", "PX", time, "XX"]);
    return reply === "OK";
  }

  async leave(node: string): Promise<void> {
    const key = this.#context.names.lease(node);
    await this.#context.commands.send(key, ["DEL", key]);
  }

  async isAlive(node: string): Promise<boolean> {
    const key = this.#context.names.lease(node);
    return toNumber(await this.#context.commands.sendConfirmed(key, ["EXISTS", key])) > 0;
  }

  async receive(node: string, receiver: NodeReceiver, position?: string): Promise<() => Promise<void>> {
    const { names, commands } = this.#context;
    const { key, channel } = names.messages(node);
    const messages = this.#messages.createReader(node, (message) => receiver.message(message));
    const broadcasts = new BroadcastReader(receiver, messages, this.#broadcasts);
    await messages.start();
    await this.#subscribe(channel, () => messages.read());
    await this.#subscribe(names.broadcasts.channel, () => this.#readBroadcasts());
    await broadcasts.start(position);
    const added: Receiver = { receiver, messages, broadcasts };
    this.#receivers.add(added);
    // Something may have come before the receiver was added. What comes without a reader is found again after a while.
    this.#read(added);
    this.#timer ??= repeat(2_000, () => this.#readAll());
    return async () => {
      this.#stopReceiver(added);
      if (this.#receivers.size === 0) this.stop();
      await this.#link.unsubscribe(channel);
      // Messages that cannot be removed now are removed by their age.
      await commands.send(key, ["DEL", key]).catch(() => {});
    };
  }

  send(node: string, message: NodeMessage): Promise<"sent" | "absent"> {
    return this.#messages.send(node, message, () => this.isAlive(node));
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
    this.#readAll();
    this.#watches.resume();
  }

  /** Ends all timers. */
  stop(): void {
    this.#timer?.();
    this.#timer = undefined;
  }

  close(): void {
    this.stop();
    this.#watches.close();
    for (const receiver of this.#receivers) this.#stopReceiver(receiver);
  }

  async #subscribe(channel: string, listener: (text: string) => void): Promise<void> {
    await this.#context.commands.perform("SUBSCRIBE", () => this.#link.subscribe(channel, listener));
  }

  #readAll(): void {
    for (const receiver of this.#receivers) this.#read(receiver);
  }

  #read({ messages, broadcasts }: Receiver): void {
    messages.read();
    broadcasts.read();
  }

  #readBroadcasts(): void {
    for (const { broadcasts } of this.#receivers) broadcasts.read();
  }

  #stopReceiver(receiver: Receiver): void {
    receiver.messages.stop();
    receiver.broadcasts.stop();
    this.#receivers.delete(receiver);
  }

  #changed(session: SessionKey, stream: string): void {
    for (const { receiver } of this.#receivers) receiver.changed(session, stream);
  }
}

/** Receiver of a node, and the readers calling it. */
interface Receiver {
  readonly receiver: NodeReceiver;
  readonly messages: RedisMessageReader;
  readonly broadcasts: BroadcastReader;
}
