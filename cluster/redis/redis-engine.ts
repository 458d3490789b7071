import { systemClock, type Cancel } from "../../runtime/internal/timers.ts";
import { SetupError } from "../../runtime/jsonrpc/errors.ts";
import { deriveKeys } from "../derive-keys.ts";
import type { Engine, EngineStatus } from "../stores/engine.ts";
import { toTarget, type RedisTarget, type RedisUrl } from "./connection/address.ts";
import { ClusterLink } from "./connection/cluster-link.ts";
import { RedisCommands } from "./commands.ts";
import { RedisEvents } from "./events.ts";
import { Health } from "../engine/health.ts";
import { KeyRing } from "../engine/key-ring.ts";
import { RedisLedger } from "./ledger.ts";
import type { LinkChecks, LinkEvents, RedisLink } from "./connection/link.ts";
import type { RedisConnection } from "./connection/redis-client.ts";
import { createNames } from "./names.ts";
import { RedisNodes } from "./nodes.ts";
import { RedisRates } from "./rates.ts";
import { RedisReplays } from "./replays.ts";
import { RedisRevocations } from "./revocations.ts";
import { findPrimary } from "./connection/sentinel.ts";
import { ServerLink } from "./connection/server-link.ts";
import { toRedisSetupError } from "./connection/setup-error.ts";
import { RedisSessions } from "./sessions.ts";
import { checkChannels, checkCommands, readSettings } from "./settings.ts";
import { defaultRedisLimits, SessionTags, type RedisLimits, type StoreContext } from "./store-context.ts";
import { RedisTasks } from "./tasks.ts";
import { RedisValues } from "./values.ts";
import { checkEngineOptions } from "../engine-limits.ts";

/** Options of an engine on Redis or Valkey. */
export interface RedisEngineOptions {
  /** Address of the server, of sentinels, or of nodes of a Redis Cluster. */
  readonly url: RedisUrl;
  /**
   * Secrets of 32 bytes or more, the same on all nodes. The first one is used for new data, all are accepted: to replace one, first add the new one at
   * the end on all nodes, then put it first, then remove the old one.
   */
  readonly keys: readonly Uint8Array[];
  /** Name of the application: start of all keys and channels. Applications with different names can share a server. */
  readonly prefix: string;
  readonly limits?: Partial<RedisLimits>;
  readonly durability?: RedisDurability;
  /**
   * Rejects settings under which acknowledged writes may be lost, including `appendfsync everysec`. By default they are only reported, except for
   * `everysec`, which is accepted silently. Default `false`.
   */
  readonly strict?: boolean;
  /** Encrypts what clients and handlers send: records of sessions, events and tasks. Ids and principals are never stored in clear. Default `false`. */
  readonly encrypt?: boolean;
  /** Milliseconds until an operation fails. Default 1 s. */
  readonly timeout?: number;
}

/** Confirmation of writes. */
export interface RedisDurability {
  /** Number of replicas to confirm each write of a session, event, task or replay. Default: 1 where the primary has replicas, else 0. */
  readonly replicas?: number;
}

/**
 * Creates an engine on Redis 6.2 or newer, a Redis Cluster of 7 or newer, or Valkey. It connects when it is opened.
 *
 * @throws {SetupError} when an option is invalid
 * @example
 * ```ts
 * import { createRedisEngine } from "mcp-server-runtime/adapters/redis";
 *
 * const secret = crypto.getRandomValues(new Uint8Array(32));
 * const engine = createRedisEngine({ url: "redis://localhost:6379", keys: [secret], prefix: "orders" });
 * await engine.open();
 * ```
 */
export function createRedisEngine(options: RedisEngineOptions): Engine {
  checkEngineOptions(options);
  if (!/^[\w.-]{1,64}$/.test(options.prefix))
    throw new SetupError("prefix is invalid; use letters, digits, dots and hyphens, at most 64");
  return new RedisEngine(options);
}

class RedisEngine implements Engine {
  readonly sessions: RedisSessions;
  readonly events: RedisEvents;
  readonly nodes: RedisNodes;
  readonly tasks: RedisTasks;
  readonly ledger: RedisLedger;
  readonly replays: RedisReplays;
  readonly rates: RedisRates;
  readonly revocations: RedisRevocations;
  readonly values: RedisValues;
  readonly #options: RedisEngineOptions;
  readonly #target: RedisTarget;
  readonly #health = new Health("Redis");
  readonly #link: RedisLink;
  readonly #context: StoreContext;
  /** Number of replicas confirming each write. */
  #confirming = 0;
  #timer: Cancel | undefined;
  #opening: Promise<void> | undefined;

  constructor(options: RedisEngineOptions) {
    const { keys, prefix, encrypt = false, timeout = 1_000, limits } = options;
    this.#options = options;
    this.#target = toTarget(options.url);
    const health = this.#health;
    const ring = new KeyRing(keys, { prefix, encrypt });
    const names = createNames(prefix);
    const events: LinkEvents = {
      connected: () => health.connected(),
      lost: () => health.lost(),
      failed: (error) => health.reconnectFailed(error),
      resubscribed: () => this.nodes.resume(),
    };
    const checked = { names, prefix };
    const checks: LinkChecks = {
      checkCommands: (command, publishCommand) => checkCommands(command, publishCommand, checked),
      checkChannels: (channels) => checkChannels(channels, checked),
      checkServers: (servers) => this.#checkServers(servers),
    };
    this.#link = createLink(this.#target, { timeout, events, checks, probe: names.probe });
    const commands = new RedisCommands({ link: this.#link, health, timeout });
    const sessionTags = new SessionTags({ commands, names, ring });
    this.#context = { commands, names, ring, limits: { ...defaultRedisLimits, ...limits }, health, sessionTags };
    this.sessions = new RedisSessions(this.#context);
    this.events = new RedisEvents(this.#context);
    this.nodes = new RedisNodes(this.#context, this.#link);
    this.tasks = new RedisTasks(this.#context);
    this.ledger = new RedisLedger(this.#context);
    this.replays = new RedisReplays(this.#context);
    this.rates = new RedisRates(this.#context);
    this.revocations = new RedisRevocations(this.#context);
    this.values = new RedisValues(this.#context);
  }

  deriveKeys(purpose: string): readonly [Uint8Array, ...Uint8Array[]] {
    const { keys, prefix } = this.#options;
    return deriveKeys(keys, `${prefix} ${purpose}`);
  }

  status(): EngineStatus {
    return this.#health.read();
  }

  async open(): Promise<void> {
    const opening = (this.#opening ??= this.#open());
    try {
      await opening;
    } catch (error) {
      if (this.#opening === opening) this.#opening = undefined;
      throw error;
    }
  }

  async #open(): Promise<void> {
    try {
      await this.#link.open();
    } catch (error) {
      this.#link.close();
      this.#health.lost();
      throw toRedisSetupError(error, this.#target);
    }
  }

  async close(): Promise<void> {
    this.#opening = undefined;
    this.#timer?.();
    this.nodes.close();
    this.#link.close();
    this.#health.lost();
  }

  /**
   * Checks version and settings of servers after they were connected.
   *
   * @throws {SetupError} when they cannot be used
   */
  async #checkServers(servers: readonly Pick<RedisConnection, "command">[]): Promise<void> {
    const { durability, strict = false } = this.#options;
    const settings = await Promise.all(servers.map((server) => readSettings(server, strict)));
    const replicas = Math.min(...settings.map((one) => one.replicas));
    // After a failover no replica may follow yet. The writes wait for it then.
    const confirming = durability?.replicas ?? Math.max(this.#confirming, Math.min(replicas, 1));
    const weaknesses = new Set(settings.flatMap((one) => one.weaknesses));
    if (confirming > replicas)
      weaknesses.add(`Redis has ${replicas} of ${confirming} replicas; writes fail until all follow`);
    const [first] = weaknesses;
    if (strict && first !== undefined) throw new SetupError(first);
    this.#confirming = confirming;
    this.#context.commands.setReplicas(confirming);
    this.#health.setWeaknesses([...weaknesses]);
    this.#checkLater(weaknesses.size > 0);
  }

  /** Checks the settings again, as long as they are reported. */
  #checkLater(isWeak: boolean): void {
    this.#timer?.();
    if (isWeak) this.#timer = systemClock.after(checkInterval, () => this.#link.check());
  }
}

/** Milliseconds until settings with weaknesses are read again. */
const checkInterval = 5_000;

interface CheckedLinkOptions {
  readonly timeout: number;
  readonly events: LinkEvents;
  readonly checks: LinkChecks;
  readonly probe: string;
}

function createLink(target: RedisTarget, { timeout, events, checks, probe }: CheckedLinkOptions): RedisLink {
  switch (target.kind) {
    case "cluster":
      return new ClusterLink({ timeout, servers: target.servers, events, checks, probe });
    case "sentinel":
      return new ServerLink({ timeout, resolve: () => findPrimary(target, timeout), events, checks });
    case "single":
      return new ServerLink({ timeout, resolve: () => Promise.resolve(target.server), events, checks });
  }
}
