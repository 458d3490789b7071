import { isObject } from "../../generated/support.ts";
import { EngineError } from "../../runtime/stores/engine-error.ts";
import type { RequestId } from "../../runtime/jsonrpc/message.ts";
import type { Agreement, SessionKey, SessionRecord } from "../../runtime/stores/session-store.ts";
import type {
  SessionAccess,
  SessionChange,
  SessionRelease,
  SharedSessionState,
  SharedSession,
  SharedSessionStore,
} from "../stores/shared-session-store.ts";
import { Registry } from "./registry.ts";
import { parseLimited } from "../engine/parse-limited.ts";
import { toList, toNumber, toText, toTexts } from "./replies.ts";
import {
  accessSession,
  addSession,
  changeSession,
  endSession,
  findNodes,
  readSessionState,
  releaseReservations,
} from "./scripts/sessions.ts";
import type { StoreContext } from "./store-context.ts";

/** Session store of a cluster, with scripts to reserve and release requests. */
export class RedisSessions implements SharedSessionStore {
  readonly #context: StoreContext;
  readonly #registry: Registry;

  constructor(context: StoreContext) {
    this.#context = context;
    const { commands, names, limits } = context;
    this.#registry = new Registry(commands, names.registry("sessions"), limits.maxSessions);
  }

  get ttl(): number {
    return this.#context.limits.sessionTtl;
  }

  async add(record: SessionRecord): Promise<boolean> {
    const { commands, names, ring, limits, sessionTags } = this.#context;
    const tag = await sessionTags.find(record);
    const keys = names.session(tag);
    const value = ring.seal(keys[0], JSON.stringify({ agreement: record.agreement }));
    if (value.length > maxRecordSize)
      throw new EngineError(
        `The record of a session has ${value.length} characters; at most ${maxRecordSize} are stored`,
      );
    const holder = record.owner === undefined ? "" : ring.tags("principal", record.owner)[0];
    const outcome = await this.#registry.admit({ name: tag, owner: tag, holder, ttl: limits.sessionTtl });
    if (outcome === "full") return false;
    await commands.runDurably(addSession, keys, [value, String(limits.sessionTtl)]);
    return true;
  }

  async access(
    key: SessionKey,
    { node, reserve = [], ended = [], attempt, version }: SessionAccess,
  ): Promise<SharedSession | undefined> {
    const { commands, names, limits, sessionTags } = this.#context;
    const tag = await sessionTags.find(key);
    const keys = names.session(tag);
    const ids = new Map(reserve.map((id) => [toField(id), id]));
    const reservation = attempt === undefined ? node : `${node} ${attempt}`;
    const known = version === undefined ? "" : String(version);
    const args = [
      ...[reservation, attempt ?? "", known, String(limits.sessionTtl)],
      ...[node, String(limits.maxUsedIds), String(ended.length), ...ended.map(toField), ...ids.keys()],
    ];
    const reply =
      reserve.length > 0
        ? await commands.runDurably(accessSession, keys, args)
        : await commands.runConfirmed(accessSession, keys, args);
    const [value, current, isTouched, fields, state] = toList(reply);
    const record = this.#toRecord(key, keys[0], toText(value));
    if (!record) return undefined;
    if (isTouched === 1) this.#registry.extend(tag, limits.sessionTtl).catch(ignore);
    const used = toTexts(fields).flatMap((field) => ids.get(field) ?? []);
    const found = { record, version: toNumber(current), used };
    return Array.isArray(state) ? { ...found, state: toState(state) } : found;
  }

  async release(key: SessionKey, { node, ids, isUnused = false }: SessionRelease): Promise<void> {
    if (ids.length === 0) return;
    const { commands, names, limits, sessionTags } = this.#context;
    const keys = names.session(await sessionTags.find(key));
    await commands.run(releaseReservations, keys, [
      node,
      isUnused ? "1" : "0",
      String(limits.maxUsedIds),
      ...ids.map(toField),
    ]);
  }

  async findNode(key: SessionKey, id: RequestId): Promise<string | undefined> {
    const { commands, names, sessionTags } = this.#context;
    const [, reservations] = names.session(await sessionTags.find(key));
    const reservation = toText(await commands.sendConfirmed(reservations, ["HGET", reservations, toField(id)]));
    return reservation === "." ? undefined : reservation?.split(" ", 1)[0];
  }

  async findNodes(key: SessionKey): Promise<readonly string[]> {
    const { commands, names, sessionTags } = this.#context;
    const keys = names.session(await sessionTags.find(key));
    return [...new Set(toTexts(await commands.runConfirmed(findNodes, keys)))];
  }

  async change(key: SessionKey, change: SessionChange): Promise<number | undefined> {
    const { commands, names, limits, sessionTags } = this.#context;
    const { logLevel = "", listener, subscribe = [], unsubscribe = [] } = change;
    const reply = await commands.runDurably(changeSession, names.session(await sessionTags.find(key)), [
      logLevel,
      listener?.node ?? "",
      listener?.stream ?? "",
      String(listener?.fence ?? 0),
      String(limits.maxSubscriptions),
      String(subscribe.length),
      ...subscribe,
      ...unsubscribe,
    ]);
    return reply === null ? undefined : toNumber(reply);
  }

  async readState(key: SessionKey): Promise<SharedSessionState | undefined> {
    const { commands, names, sessionTags } = this.#context;
    const reply = await commands.runConfirmed(readSessionState, names.session(await sessionTags.find(key)));
    return Array.isArray(reply) ? toState(reply) : undefined;
  }

  async end(key: SessionKey): Promise<readonly string[]> {
    const { commands, names, sessionTags } = this.#context;
    const tag = await sessionTags.find(key);
    const nodes = toTexts(await commands.runDurably(endSession, names.session(tag)));
    await this.#registry.dismiss([tag]);
    return [...new Set(nodes)];
  }

  /** Returns the record, if its value is readable. */
  #toRecord(key: SessionKey, place: string, value: string | undefined): SessionRecord | undefined {
    if (value === undefined) return undefined;
    const { ring, health } = this.#context;
    const text = value.length > maxRecordSize ? undefined : ring.open(place, value);
    const parsed = text === undefined ? undefined : parseLimited(text, maxRecordSize);
    const identity = { id: key.id, owner: key.owner };
    if (isObject(parsed) && parsed.agreement === undefined) return identity;
    if (isObject(parsed) && isAgreement(parsed.agreement)) return { ...identity, agreement: parsed.agreement };
    health.countInvalid();
    return undefined;
  }
}

/** Characters of a stored record. */
const maxRecordSize = 64 * 1024;

function isAgreement(value: unknown): value is Agreement {
  return isObject(value) && typeof value.revision === "string" && isObject(value.client);
}

function toState(reply: readonly unknown[]): SharedSessionState {
  const [logLevel, node, stream, fence] = reply.slice(0, 4).map(toText);
  const subscriptions = toTexts(reply[4]);
  return {
    ...(logLevel !== undefined && { logLevel }),
    ...(subscriptions.length > 0 && { subscriptions }),
    ...(node !== undefined && stream !== undefined && { listener: { node, stream, fence: Number(fence) } }),
  };
}

/** Returns the field of a request id: different for a string and a number. */
function toField(id: RequestId): string {
  return JSON.stringify(id);
}

function ignore(): void {
  // The entry of the session expires earlier than the session: another one may take its place.
}
