import { longestTimer, pause, systemClock } from "../../runtime/internal/timers.ts";
import { SetupError } from "../../runtime/jsonrpc/errors.ts";
import type { Engine, EngineStatus } from "../stores/engine.ts";
import { Health } from "../engine/health.ts";
import { deriveKeys } from "../derive-keys.ts";
import { KeyRing } from "../engine/key-ring.ts";
import { NatsEvents } from "./events.ts";
import { NatsLedger } from "./ledger.ts";
import { parseAddress, type NatsAddress } from "./connection/address.ts";
import { NatsLink, storageFull, type NatsConnectionOptions, type NatsStream, type NatsTls } from "./nats-link.ts";
import { createNatsNames } from "./nats-names.ts";
import { NatsPlaces } from "./nats-places.ts";
import { NatsNodes } from "./nodes.ts";
import { Operations } from "../engine/operations.ts";
import { NatsRates } from "./rates.ts";
import { NatsReplays } from "./replays.ts";
import { NatsRevocations } from "./revocations.ts";
import { findWeaknesses, isVersion } from "./connection/settings.ts";
import { isTransient, toNatsSetupError, toReconnectError, type FailedSetup } from "./connection/setup-error.ts";
import { ServerClock } from "./server-clock.ts";
import { NatsSessions } from "./sessions.ts";
import type { NatsContext } from "./nats-context.ts";
import { defaultNatsLimits, type NatsLimits } from "./nats-limits.ts";
import { NatsTasks } from "./tasks.ts";
import { NatsValues } from "./values.ts";
import { checkEngineOptions } from "../engine-limits.ts";

/** Options of an engine on NATS JetStream. */
export interface NatsEngineOptions {
  /**
   * Addresses of the servers, such as `nats://localhost:4222`; one text may have several with commas. They may contain credentials, those of the first
   * are used for all: `nats://user:password@localhost:4222`. `tls://` requires TLS.
   */
  readonly servers: string | readonly string[];
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** Certificates of a connection with TLS. Default: TLS as the server requires it. */
  readonly tls?: NatsTls;
  /** Secrets of 32 bytes or more, the same on all nodes. The first one is used for new data, all are accepted. */
  readonly keys: readonly Uint8Array[];
  /** Name of the application: start of all streams and subjects. Applications with different names can share a server. */
  readonly prefix: string;
  readonly limits?: Partial<NatsLimits>;
  /** Copies of each stream: 1, 3 or 5 of as many servers. An existing stream gets more copies, never fewer. Default 1. */
  readonly replicas?: number;
  /** Rejects settings under which data may be lost. Otherwise they are only reported. Default `false`. */
  readonly strict?: boolean;
  /** Encrypts what clients and handlers send: records of sessions, events and tasks. Ids and principals are never stored in clear. Default `false`. */
  readonly encrypt?: boolean;
  /** Milliseconds until an operation fails. Default 1 s. */
  readonly timeout?: number;
}

/**
 * Creates an engine on NATS with JetStream, version 2.9 or newer. It connects when it is opened.
 *
 * @throws {SetupError} when an option is invalid
 * @example
 * ```ts
 * import { createNatsEngine } from "mcp-server-runtime/adapters/nats";
 *
 * const secret = crypto.getRandomValues(new Uint8Array(32));
 * const engine = createNatsEngine({ servers: "nats://localhost:4222", keys: [secret], prefix: "orders" });
 * await engine.open();
 * ```
 */
export function createNatsEngine(options: NatsEngineOptions): Engine {
  checkEngineOptions(options);
  if (!/^[\w.-]{1,64}$/.test(options.prefix))
    throw new SetupError("prefix is invalid; use letters, digits, dots and hyphens, at most 64");
  const { replicas = 1 } = options;
  if (![1, 3, 5].includes(replicas)) throw new SetupError("replicas is invalid; use 1, 3 or 5");
  return new NatsEngine(options);
}

class NatsEngine implements Engine {
  readonly sessions: NatsSessions;
  readonly events: NatsEvents;
  readonly nodes: NatsNodes;
  readonly tasks: NatsTasks;
  readonly ledger: NatsLedger;
  readonly replays: NatsReplays;
  readonly rates: NatsRates;
  readonly revocations: NatsRevocations;
  readonly values: NatsValues;
  readonly #options: NatsEngineOptions;
  readonly #health: Health = new Health("NATS");
  readonly #address: NatsAddress;
  readonly #link: NatsLink;
  readonly #context: NatsContext;
  /** Number of reconnections so far. */
  #reconnections = 0;

  constructor(options: NatsEngineOptions) {
    const { keys, prefix, encrypt = false, timeout = 1_000, replicas = 1 } = options;
    this.#options = options;
    this.#address = parseAddress(options.servers);
    const health = this.#health;
    const limits = { ...defaultNatsLimits, ...options.limits };
    const names = createNatsNames(prefix, limits);
    this.#link = new NatsLink({
      connection: toConnection(this.#address, options),
      // The library waits five times as long for a connection.
      timeout: Math.min(timeout, longestTimer / 5),
      replicas,
      events: { reconnected: () => this.#continue(), lost: () => health.lost() },
    });
    const link = this.#link;
    const operations = new Operations({
      product: "NATS",
      health,
      timeout,
      isRejection: (problem) => problem === storageFull,
    });
    const ring = new KeyRing(keys, { prefix, encrypt });
    this.#context = {
      link,
      operations,
      names,
      places: new NatsPlaces({ link, operations, names, ring }),
      clock: new ServerClock(link, names),
      ring,
      limits,
      health,
    };
    this.sessions = new NatsSessions(this.#context);
    this.events = new NatsEvents(this.#context);
    this.nodes = new NatsNodes(this.#context);
    this.tasks = new NatsTasks(this.#context);
    this.ledger = new NatsLedger(this.#context);
    this.replays = new NatsReplays(this.#context);
    this.rates = new NatsRates(this.#context);
    this.revocations = new NatsRevocations(this.#context);
    this.values = new NatsValues(this.#context);
  }

  deriveKeys(purpose: string): readonly [Uint8Array, ...Uint8Array[]] {
    const { keys, prefix } = this.#options;
    return deriveKeys(keys, `${prefix} ${purpose}`);
  }

  status(): EngineStatus {
    return this.#health.read();
  }

  async open(): Promise<void> {
    if (this.#link.isConnected) return;
    try {
      await this.#link.open();
      await this.#prepare();
    } catch (error) {
      const setup = this.#setup;
      await this.#link.close();
      this.#health.lost();
      throw toNatsSetupError(error, setup);
    }
    this.events.open();
    this.#health.connected();
  }

  async close(): Promise<void> {
    this.nodes.close();
    this.events.close();
    this.#health.lost();
    await this.#link.close();
  }

  get #setup(): FailedSetup {
    const { replicas = 1 } = this.#options;
    const { isClustered } = this.#link;
    return { servers: this.#address.servers, replicas, subjects: this.#context.names.start, isClustered };
  }

  /** Checks the server and measures its clock. A cluster does not respond about a stream while another node creates it, so some attempts may fail. */
  async #prepare(): Promise<void> {
    const { timeout = 1_000 } = this.#options;
    const until = performance.now() + 10 * timeout;
    for (;;) {
      try {
        await this.#check();
        return await this.#context.clock.adjust();
      } catch (error) {
        if (!isTransient(error, this.#setup) || performance.now() > until) throw error;
      }
      await pause(retryDelay, undefined);
    }
  }

  /**
   * Checks the server, and creates missing streams.
   *
   * @throws {SetupError} when it cannot be used
   */
  async #check(): Promise<void> {
    const { version } = this.#link;
    if (!isVersion(version, [2, 9])) throw new SetupError(`NATS ${version} is not supported; use NATS 2.9 or newer`);
    const streams = Object.values<NatsStream>({ ...this.#context.names.streams });
    const isLimited = await this.#link.isLimited();
    const unsubscribe = await this.#link.subscribe(this.#context.names.broadcastWake, () => {});
    unsubscribe();
    const settings = await Promise.all(streams.map((stream) => this.#link.ensure(stream)));
    const weaknesses = findWeaknesses({ streams: settings, version, isLimited });
    if (this.#options.strict === true && weaknesses[0] !== undefined) throw new SetupError(weaknesses[0]);
    this.#health.setWeaknesses(weaknesses);
  }

  /** Works again after a loss of the connection: with the streams needed by a server without its data, and as soon as its settings permit it. */
  #continue(): void {
    const turn = (this.#reconnections += 1);
    const isCurrent = (): boolean => this.#link.isConnected && turn === this.#reconnections;
    const attempt = async (): Promise<void> => {
      while (isCurrent()) {
        try {
          await this.#check();
        } catch (error) {
          if (isCurrent()) this.#health.reconnectFailed(toReconnectError(error, this.#setup));
          await pause(retryDelay, systemClock);
          continue;
        }
        if (!isCurrent()) return;
        this.#health.connected();
        return this.nodes.resume();
      }
    };
    void attempt();
  }
}

/** Milliseconds until an unusable server is checked again. */
const retryDelay = 250;

/** Returns the options of a connection. Credentials in the options come before those in the addresses. */
function toConnection(
  { isEncrypted, ...address }: NatsAddress,
  { user, password, token, tls }: NatsEngineOptions,
): NatsConnectionOptions {
  return {
    ...address,
    ...(user !== undefined && { user }),
    ...(password !== undefined && { pass: password }),
    ...(token !== undefined && { token }),
    ...((tls ?? isEncrypted) && { tls: tls ?? {} }),
  };
}
