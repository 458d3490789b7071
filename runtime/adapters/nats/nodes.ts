import { isObject } from "../../../generated/support.ts";
import type { Broadcast, NodeDirectory, NodeMessage, NodeReceiver } from "../../stores/node-directory.ts";
import type { SessionKey } from "../../stores/session-store.ts";
import { openEnvelope, sealEnvelope } from "../../scale/engine/envelope.ts";
import { isNodeMessage } from "../../scale/engine/node-message.ts";
import { parseLimited } from "../../scale/engine/parse-limited.ts";
import { BroadcastReader } from "../../scale/engine/broadcast-reader.ts";
import { NatsBroadcasts } from "./broadcasts.ts";
import { divideMessage, MessageParts } from "./message-parts.ts";
import { NatsRecords } from "./records.ts";
import type { NatsContext } from "./nats-context.ts";

/** Nodes on NATS: leases as values, messages as requests, broadcasts in a stream. */
export class NatsNodes implements NodeDirectory {
  readonly #context: NatsContext;
  readonly #leases: NatsRecords;
  readonly #broadcasts: NatsBroadcasts;
  readonly #readers = new Set<BroadcastReader>();
  readonly #watches = new Set<Watch>();
  #unsubscribeWake: Promise<() => void> | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(context: NatsContext) {
    this.#context = context;
    this.#leases = new NatsRecords(context, context.names.streams.nodes.name);
    this.#broadcasts = new NatsBroadcasts(context);
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
    const { link, operations, names, ring, health } = this.#context;
    const subject = names.messages(node);
    const parts = new MessageParts((text) => {
      const message = openEnvelope(ring, subject, text);
      if (isNodeMessage(message)) receiver.message(message);
      else health.countInvalid();
    });
    const unsubscribe = await operations.perform("subscribe", () => link.subscribe(subject, (text) => parts.add(text)));
    await this.#receiveWakes();
    const reader = new BroadcastReader(receiver, this.#broadcasts);
    await reader.start(position);
    this.#readers.add(reader);
    reader.read();
    return async () => {
      unsubscribe();
      reader.stop();
      this.#readers.delete(reader);
    };
  }

  async send(node: string, message: NodeMessage): Promise<"sent" | "absent"> {
    const { link, operations, names, ring } = this.#context;
    const subject = names.messages(node);
    const texts = divideMessage(sealEnvelope(ring, subject, message), link.maxPayload);
    const outcomes = await operations.perform("send", () =>
      Promise.all(texts.map((text) => link.request(subject, text))),
    );
    return outcomes.includes("absent") ? "absent" : "sent";
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
    this.#wakeReaders();
    for (const watch of this.#watches) this.#changed(watch);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const reader of this.#readers) reader.stop();
    this.#readers.clear();
    this.#watches.clear();
    this.#unsubscribeWake = undefined;
  }

  /** Returns the sequence of a lease that has not expired. */
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
      link.subscribe(names.broadcastWake, () => this.#wakeReaders()),
    );
    try {
      await this.#unsubscribeWake;
    } catch (error) {
      this.#unsubscribeWake = undefined;
      throw error;
    }
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#wakeReaders(), 2_000);
    this.#timer.unref();
  }

  #wakeReaders(): void {
    for (const reader of this.#readers) reader.read();
  }

  #changed({ session, stream }: Watch): void {
    for (const { receiver } of this.#readers) receiver.changed(session, stream);
  }
}

/** Stream that this engine watches. */
interface Watch {
  readonly session: SessionKey;
  readonly stream: string;
}
