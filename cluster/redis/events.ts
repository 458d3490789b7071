import type { RequestId } from "../../runtime/jsonrpc/message.ts";
import { EngineError } from "../../runtime/stores/engine-error.ts";
import type { StreamPosition } from "../../runtime/stores/event-store.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import type {
  AdoptedStream,
  AppendOutcome,
  SharedEventStore,
  StreamAdoption,
  StreamAppend,
  StreamPart,
  StreamSeal,
} from "../stores/shared-event-store.ts";
import { parseLimited } from "../engine/parse-limited.ts";
import { toList, toNumber, toText, toTexts } from "./replies.ts";
import { adoptStream, appendEvents, readEvents, removeStreams, sealStream } from "./scripts/events.ts";
import type { StoreContext } from "./store-context.ts";

/** Streams of sessions on Redis. */
export class RedisEvents implements SharedEventStore {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  async append(session: SessionKey, append: StreamAppend): Promise<AppendOutcome> {
    const { stream, owner, fence, first, data, requests = [], settled = [] } = append;
    const { commands, names, limits } = this.#context;
    const tag = await this.#context.sessionTags.find(session);
    const outcome = await commands.runDurably(appendEvents, this.#keys(tag, stream), [
      ...this.#writing(stream),
      owner,
      String(fence),
      String(first),
      String(limits.maxOpenStreams),
      names.stream(tag, "").meta,
      String(requests.length),
      String(settled.length),
      ...requests.map((id) => JSON.stringify(id)),
      ...settled.map((id) => JSON.stringify(id)),
      ...this.#seal(tag, stream, data),
    ]);
    if (outcome === "stored" || outcome === "fenced" || outcome === "gap" || outcome === "full") return outcome;
    throw new EngineError("Redis has settled an append with an unknown outcome; try again later");
  }

  async read(session: SessionKey, { stream, sequence }: StreamPosition): Promise<StreamPart | undefined> {
    if (!Number.isSafeInteger(sequence) || sequence < -1) return undefined;
    const { commands, ring, health } = this.#context;
    const tag = await this.#context.sessionTags.find(session);
    const keys = this.#keys(tag, stream);
    const args = [String(sequence), String(maxPartEvents), String(maxPartSize)];
    const [owner, fence, next, state, requests, fields, data] = toList(
      await commands.runConfirmed(readEvents, keys, args),
    );
    const owned = toText(owner);
    if (owned === undefined) return undefined;
    const texts = toTexts(data).map((value) => ring.open(keys[1], value));
    const isEnded = state !== "open";
    const from = isEnded ? Math.min(sequence + 1, toNumber(next)) : sequence + 1;
    const events = texts.flatMap((text, index) => (text === undefined ? [] : { sequence: from + index, data: text }));
    const open = toOpenRequests(fields);
    if (events.length < texts.length || open === undefined) {
      health.countInvalid();
      return undefined;
    }
    return {
      events,
      next: toNumber(next),
      owner: owned,
      fence: toNumber(fence),
      open,
      isResponse: toNumber(requests) > 0,
      isEnded,
    };
  }

  async seal(session: SessionKey, { stream, fence, node, data }: StreamSeal): Promise<boolean> {
    const tag = await this.#context.sessionTags.find(session);
    const args = [...this.#writing(stream), String(fence), node, ...this.#seal(tag, stream, data)];
    return (await this.#context.commands.runDurably(sealStream, this.#keys(tag, stream), args)) === 1;
  }

  async adopt(session: SessionKey, { stream, fence, node }: StreamAdoption): Promise<AdoptedStream | undefined> {
    const tag = await this.#context.sessionTags.find(session);
    const args = [...this.#writing(stream), String(fence), node];
    const reply = await this.#context.commands.runDurably(adoptStream, this.#keys(tag, stream), args);
    return reply === null ? undefined : { fence: fence + 1, next: toNumber(reply) };
  }

  async remove(session: SessionKey): Promise<void> {
    const { commands, names } = this.#context;
    const tag = await this.#context.sessionTags.find(session);
    const { meta, events, watch } = names.stream(tag, "");
    await commands.runDurably(removeStreams, [names.streams(tag)], [commands.publishCommand, meta, events, watch]);
  }

  #keys(tag: string, stream: string): readonly [string, string, string, string] {
    const { names } = this.#context;
    const { meta, events, watch } = names.stream(tag, stream);
    return [meta, events, names.streams(tag), watch];
  }

  /** Arguments of each writing script. */
  #writing(stream: string): readonly string[] {
    const { limits, commands } = this.#context;
    const { maxEvents, maxStreamSize, streamTtl, endedStreamTtl } = limits;
    return [stream, ...[maxEvents, maxStreamSize, streamTtl, endedStreamTtl].map(String), commands.publishCommand];
  }

  #seal(tag: string, stream: string, data: readonly string[]): readonly string[] {
    const { ring, names } = this.#context;
    const place = names.stream(tag, stream).events;
    return data.map((text) => ring.seal(place, text));
  }
}

const maxPartEvents = 256;

const maxPartSize = 1024 * 1024;

/** Characters of a request id. */
const maxIdSize = 4 * 1024 * 1024;

/** Returns the requests without a response from fields and values of the hash, in their order; `undefined` when one is invalid. */
function toOpenRequests(fields: unknown): readonly RequestId[] | undefined {
  const texts = toTexts(fields);
  const found: { readonly id: unknown; readonly place: number }[] = [];
  for (let index = 0; index + 1 < texts.length; index += 2) {
    const field = texts[index] ?? "";
    if (!field.startsWith("r:")) continue;
    found.push({ id: parseLimited(field.slice(2), maxIdSize), place: Number(texts[index + 1]) });
  }
  const ids = found.sort((one, other) => one.place - other.place).map(({ id }) => id);
  return ids.every(isId) ? ids : undefined;
}

/** True for an id of a request. Any text and number is accepted: they come from this project, also from former versions without a limit. */
function isId(value: unknown): value is RequestId {
  return typeof value === "string" || typeof value === "number";
}
