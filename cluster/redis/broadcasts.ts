import { randomBytes } from "node:crypto";
import { EngineError } from "../../runtime/stores/engine-error.ts";
import type { Broadcast } from "../stores/node-directory.ts";
import type { ReadBroadcast } from "../engine/broadcast-reader.ts";
import { openEnvelope, sealEnvelope } from "../engine/envelope.ts";
import { isBroadcast } from "../engine/node-message.ts";
import { formatPosition, isAfter, parsePosition } from "./position.ts";
import { toList, toText, toTexts } from "./replies.ts";
import { addBroadcast, readBroadcasts } from "./scripts/broadcasts.ts";
import type { StoreContext } from "./store-context.ts";

/** Broadcasts kept by Redis for a time. */
export class Broadcasts {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  async add(broadcast: Broadcast): Promise<string> {
    const { commands, names, ring, limits } = this.#context;
    const { keys, channel } = names.broadcasts;
    const reply = await commands.runDurably(addBroadcast, keys, [
      sealEnvelope(ring, place, broadcast),
      createEpoch(),
      String(limits.broadcastTtl),
      String(limits.maxBroadcasts),
      commands.publishCommand,
      channel,
    ]);
    const [id, epoch] = toTexts(reply);
    if (id === undefined || epoch === undefined) throw unexpected();
    return formatPosition({ id, epoch });
  }

  /** Returns the position of the last broadcast. */
  async findLast(): Promise<string> {
    const { epoch, last } = await this.#read("", 0);
    return formatPosition({ id: last, epoch });
  }

  /** Returns all broadcasts after a position; `undefined` when some are no longer kept, or when the position is unknown. */
  async after(position: string): Promise<readonly ReadBroadcast[] | undefined> {
    const from = parsePosition(position);
    if (!from) {
      // Also an invalid position is only known to be invalid by an engine that works.
      await this.findLast();
      return undefined;
    }
    const found: ReadBroadcast[] = [];
    let { id } = from;
    for (;;) {
      const { epoch, removed, last, entries } = await this.#read(id, pageSize);
      if (epoch !== from.epoch || isAfter(removed, id) || isAfter(id, last)) return undefined;
      for (let index = 0; index + 1 < entries.length; index += 2) {
        id = entries[index] ?? id;
        found.push({ broadcast: this.#open(entries[index + 1] ?? ""), position: formatPosition({ id, epoch }) });
      }
      if (entries.length < 2 * pageSize) return found;
    }
  }

  #open(text: string): Broadcast | undefined {
    const broadcast = openEnvelope(this.#context.ring, place, text);
    if (isBroadcast(broadcast)) return broadcast;
    this.#context.health.countInvalid();
    return undefined;
  }

  async #read(id: string, limit: number): Promise<Page> {
    const { commands, names } = this.#context;
    const reply = await commands.run(readBroadcasts, names.broadcasts.keys, [createEpoch(), id, String(limit)]);
    const [epoch, removed, last, entries] = toList(reply);
    const texts = [epoch, removed, last].map(toText);
    const [readEpoch, readRemoved, readLast] = texts;
    if (readEpoch === undefined || readRemoved === undefined || readLast === undefined) throw unexpected();
    return { epoch: readEpoch, removed: readRemoved, last: readLast, entries: toTexts(entries) };
  }
}

interface Page {
  readonly epoch: string;
  /** Id of the latest removed broadcast. */
  readonly removed: string;
  readonly last: string;
  /** Ids and broadcasts in turn. */
  readonly entries: readonly string[];
}

/** Place broadcasts are signed for. */
const place = "broadcasts";

/** Number of broadcasts read by one command. */
const pageSize = 256;

function createEpoch(): string {
  return randomBytes(8).toString("hex");
}

function unexpected(): EngineError {
  return new EngineError("Redis responded with unexpected broadcasts; try again later");
}
