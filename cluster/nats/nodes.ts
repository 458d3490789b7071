import { isObject } from "../../generated/support.ts";
import { repeat, type Cancel } from "../../runtime/internal/timers.ts";
import type { Broadcast, NodeDirectory, NodeMessage, NodeReceiver } from "../stores/node-directory.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import { parseLimited } from "../engine/parse-limited.ts";
import { BroadcastReader } from "../engine/broadcast-reader.ts";
import { NatsBroadcasts } from "./broadcasts.ts";
import { NatsMessages, type NatsMessageReader } from "./messages.ts";
import { NatsRecords } from "./records.ts";
import type { NatsContext } from "./nats-context.ts";

/** Nodes on NATS: leases as values, messages as requests, broadcasts in a stream. */
export class NatsNodes implements NodeDirectory {
  readonly #context: NatsContext;
  readonly #leases: NatsRecords;
  readonly #broadcasts: NatsBroadcasts;
  readonly #messages: NatsMessages;
  readonly #receivers = new Set<Receiver>();
  readonly #watches = new Set<Watch>();
  #unsubscribeWake: Promise<() => void> | undefined;
  #timer: Cancel | undefined;

  constructor(context: NatsContext) {
    this.#context = context;
    this.#leases = new NatsRecords(context, context.names.streams.nodes);
    this.#broadcasts = new NatsBroadcasts(context);
    this.#messages = new NatsMessages(context);
  }

  async renew(
    node: string,
    { milliseconds, isNew }: { readonly milliseconds: number; readonly isNew: boolean },
  ): Promise<boolean> {
    const { names, clock, operations } = this.#context;
    await operations.perform("read", () => clock.adjust());
    const subject = names.lease(node);
    const last = isNew ? undefined : await this.#findLease(subject);
    if (!isNew && last === undefined) return false;
    return (await this.#leases.put(subject, JSON.stringify({ milliseconds }), last)) !== "conflict";
  }

  leave(node: string): Promise<void> {
    return this.#leases.remove(this.#context.names.lease(node));
  }

  async isAlive(node: string): Promise<boolean> {
    return (await this.#findLease(this.#context.names.lease(node))) !== undefined;
  }

  async receive(node: string, receiver: NodeReceiver, position?: string): Promise<() => Promise<void>> {
    // Other nodes keep messages for a node with a lease, be it that the lease has expired.
    await this.#leases.put(this.#context.names.lease(node), JSON.stringify({ milliseconds: 0 }), 0);
    const messages = await this.#messages.receive(node, (message) => receiver.message(message));
    await this.#receiveWakes();
    const broadcasts = new BroadcastReader(receiver, messages, this.#broadcasts);
    await broadcasts.start(position);
    const added: Receiver = { receiver, messages, broadcasts };
    this.#receivers.add(added);
    broadcasts.read();
    return async () => this.#stop(added);
  }

  send(node: string, message: NodeMessage): Promise<"sent" | "absent"> {
    const lease = this.#context.names.lease(node);
    return this.#messages.send(node, message, async () => (await this.#leases.find(lease)) !== undefined);
  }

  broadcast(broadcast: Broadcast): Promise<string> {
    return this.#broadcasts.add(broadcast);
  }

  async broadcastsAfter(
    position: string,
  ): Promise<readonly { readonly broadcast: Broadcast; readonly position: string }[] | undefined> {
    const found = await this.#broadcasts.after(position);
    return found?.flatMap(({ broadcast, position: at }) => (broadcast ? [{ broadcast, position: at }] : []));
  }

  async watch(session: SessionKey, stream: string): Promise<() => void> {
    const { link, operations, names, places } = this.#context;
    const subject = names.watch(await places.sessionTag(session), stream);
    const watch = { session, stream };
    const unsubscribe = await operations.perform("subscribe", () =>
      link.subscribe(subject, () => this.#changed(watch)),
    );
    this.#watches.add(watch);
    return () => {
      unsubscribe();
      this.#watches.delete(watch);
    };
  }

  /** Reads what was missed while the connection was lost. */
  resume(): void {
    this.#readBroadcasts();
    // A reader that fails here reads again at the next wake-up.
    for (const { messages } of this.#receivers) messages.resume().catch(() => messages.read());
    for (const watch of this.#watches) this.#changed(watch);
  }

  close(): void {
    this.#timer?.();
    for (const receiver of this.#receivers) this.#stop(receiver);
    this.#watches.clear();
    this.#unsubscribeWake = undefined;
  }

  #stop(receiver: Receiver): void {
    receiver.messages.stop();
    receiver.broadcasts.stop();
    this.#receivers.delete(receiver);
  }

  /** Returns the sequence of a valid lease. */
  async #findLease(subject: string): Promise<number | undefined> {
    const found = await this.#leases.find(subject);
    const value = found && parseLimited(found.text, 100);
    if (!found || !isObject(value) || typeof value.milliseconds !== "number") return undefined;
    return found.age < value.milliseconds ? found.sequence : undefined;
  }

  /** Subscribes to the wake-ups of broadcasts once for all receivers. A wake-up may be lost, so the readers also look from time to time. */
  async #receiveWakes(): Promise<void> {
    const { link, operations, names } = this.#context;
    this.#unsubscribeWake ??= operations.perform("subscribe", () =>
      link.subscribe(names.broadcastWake, () => this.#readBroadcasts()),
    );
    try {
      await this.#unsubscribeWake;
    } catch (error) {
      this.#unsubscribeWake = undefined;
      throw error;
    }
    this.#timer?.();
    this.#timer = repeat(2_000, () => this.#readAll());
  }

  #readBroadcasts(): void {
    for (const { broadcasts } of this.#receivers) broadcasts.read();
  }

  #readAll(): void {
    this.#readBroadcasts();
    for (const { messages } of this.#receivers) {
      messages.read();
      // Messages that are not removed now are removed later, or by their age.
      messages.removeRead().catch(() => {});
    }
  }

  #changed({ session, stream }: Watch): void {
    for (const { receiver } of this.#receivers) receiver.changed(session, stream);
  }
}

/** Receiver of a node, and the readers calling it. */
interface Receiver {
  readonly receiver: NodeReceiver;
  readonly messages: NatsMessageReader;
  readonly broadcasts: BroadcastReader;
}

/** Stream watched by this engine. */
interface Watch {
  readonly session: SessionKey;
  readonly stream: string;
}
