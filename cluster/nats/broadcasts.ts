import type { Broadcast } from "../stores/node-directory.ts";
import type { ReadBroadcast } from "../engine/broadcast-reader.ts";
import { openEnvelope, sealEnvelope } from "../engine/envelope.ts";
import { isBroadcast } from "../engine/node-message.ts";
import type { NatsContext } from "./nats-context.ts";

/** Broadcasts kept by NATS for a time. A position is the sequence of the last message, and the time at which the stream was created. */
export class NatsBroadcasts {
  readonly #context: NatsContext;

  constructor(context: NatsContext) {
    this.#context = context;
  }

  async add(broadcast: Broadcast): Promise<string> {
    const { link, operations, names, ring } = this.#context;
    const text = sealEnvelope(ring, place, broadcast);
    const sequence = await operations.perform("broadcast", () => link.publish(names.broadcasts, text));
    link.notify(names.broadcastWake, "");
    const { created } = await this.#readState();
    return `${Number(sequence)}-${created}`;
  }

  /** Returns the position of the last broadcast. */
  async findLast(): Promise<string> {
    const { last, created } = await this.#readState();
    return `${last}-${created}`;
  }

  /** Returns all broadcasts after a position; `undefined` when some are no longer kept, or when the position is unknown. */
  async after(position: string): Promise<readonly ReadBroadcast[] | undefined> {
    const { link, operations, names, clock, limits } = this.#context;
    const { last, created } = await this.#readState();
    const [, from, epoch] = /^(\d{1,15})-([0-9a-z]{1,20})$/.exec(position) ?? [];
    if (from === undefined || epoch !== created || Number(from) > last) return undefined;
    const oldest = clock.now() - limits.broadcastTtl;
    const found: ReadBroadcast[] = [];
    for (let sequence = Number(from); sequence < last; sequence += 1) {
      const next = sequence + 1;
      const message = await operations.perform("read", () =>
        link.findNext(names.streams.broadcasts.name, names.broadcasts, next),
      );
      if (message?.sequence !== next || message.time < oldest) return undefined;
      found.push({ broadcast: this.#open(message.text), position: `${next}-${created}` });
    }
    return found;
  }

  #open(text: string): Broadcast | undefined {
    const { ring, health } = this.#context;
    const broadcast = openEnvelope(ring, place, text);
    if (isBroadcast(broadcast)) return broadcast;
    health.countInvalid();
    return undefined;
  }

  #readState(): Promise<{ readonly last: number; readonly created: string }> {
    const { link, operations, names } = this.#context;
    return operations.perform("read", () => link.readState(names.streams.broadcasts.name));
  }
}

/** Place broadcasts are signed for. */
const place = "broadcasts";
