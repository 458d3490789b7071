import {
  jetstream,
  JetStreamApiError,
  jetstreamManager,
  StorageType,
  type JetStreamClient,
  type JetStreamManager,
  type StoredMsg,
  type StreamConfig,
  type StreamInfo,
} from "@nats-io/jetstream";
import { connect, NoRespondersError, type Msg, type NatsConnection } from "@nats-io/transport-node";
import { EngineError } from "../../runtime/stores/engine-error.ts";
import { withDeadline } from "../engine/deadline.ts";

/** Stream of JetStream for the engine. */
export interface NatsStream {
  readonly name: string;
  /** Subjects of its messages, with wildcards. */
  readonly subjects: string;
  /** Maximum milliseconds for which a message is kept. */
  readonly maxAge: number;
  /** Messages of each subject; the oldest are removed. Absent: all. */
  readonly maxPerSubject?: number;
  /** Messages of all subjects; the oldest are removed. Absent: all. */
  readonly maxMessages?: number;
}

/** Message stored by JetStream. */
export interface NatsMessage {
  readonly subject: string;
  readonly sequence: number;
  /** Milliseconds since 1970 by the clock of the server. */
  readonly time: number;
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** Settings of a stream on which depends what the server keeps. */
export interface NatsStreamSettings {
  readonly name: string;
  readonly copies: number;
  /** True if the stream is in a file, false if in memory. */
  readonly isOnDisk: boolean;
  /** Bytes of all messages; the oldest are removed. -1: no limit. */
  readonly maxBytes: number;
}

/** Extent of a stream, and its identity. */
export interface NatsStreamState {
  /** Number of messages. */
  readonly count: number;
  readonly last: number;
  /** Time at which the stream was created: another one after the server has lost its data. */
  readonly created: string;
}

/** Addresses and credentials. */
export interface NatsConnectionOptions {
  readonly servers: readonly string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  readonly tls?: NatsTls;
}

/** Files of a connection with TLS, in the PEM format. */
export interface NatsTls {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** Options of a connection. */
export interface NatsLinkOptions {
  readonly connection: NatsConnectionOptions;
  /** Milliseconds until an operation fails. */
  readonly timeout: number;
  /** Copies of each stream on the servers of a cluster. */
  readonly replicas: number;
  readonly events: { reconnected(): void; lost(): void };
}

/** Connection to NATS. Operations reject at once while it is lost: nothing is queued. */
export class NatsLink {
  readonly #options: NatsLinkOptions;
  #connection: NatsConnection | undefined;
  #client: JetStreamClient | undefined;
  #manager: JetStreamManager | undefined;
  #isConnected = false;
  #isClosed = true;

  constructor(options: NatsLinkOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** True if the server belongs to a cluster. */
  get isClustered(): boolean {
    return this.#connection?.info?.cluster !== undefined;
  }

  /** Maximum size of a message in bytes. */
  get maxPayload(): number {
    return this.#connection?.info?.max_payload ?? 1024 * 1024;
  }

  /** Version of the server. */
  get version(): string {
    return this.#connection?.info?.version ?? "0";
  }

  async open(): Promise<void> {
    const { connection, timeout } = this.#options;
    this.#isClosed = false;
    const opened = await connect({ timeout: 5 * timeout, ...lasting, ...connection, servers: [...connection.servers] });
    if (this.#isClosed) {
      await opened.close();
      throw new Error("The connection to NATS ended while it was opened");
    }
    this.#connection = opened;
    this.#client = jetstream(opened, { timeout });
    this.#manager = await jetstreamManager(opened, { timeout, checkAPI: false });
    this.#isConnected = true;
    void this.#watchState(opened);
  }

  /** True if the account has a limit of its own for what it stores. */
  async isLimited(): Promise<boolean> {
    const { limits, tiers } = await this.#getManager().getAccountInfo();
    const all = [limits, ...Object.values(tiers ?? {}).flatMap((tier) => tier?.limits ?? [])];
    return all.some(({ max_storage }) => max_storage > 0);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isConnected = false;
    const connection = this.#connection;
    this.#connection = undefined;
    this.#client = undefined;
    this.#manager = undefined;
    await connection?.close();
  }

  /** Creates a stream, or changes what of its settings differs. It never gets fewer copies. Returns its settings. */
  async ensure(stream: NatsStream): Promise<NatsStreamSettings> {
    const { streams } = this.#getManager();
    const { replicas } = this.#options;
    const wanted = toConfig(stream);
    const found = (await this.#findStream(stream.name)) ?? (await this.#create(wanted));
    const copies = Math.max(replicas, found.config.num_replicas);
    const isRight = copies === found.config.num_replicas && isConfigured(found.config, wanted);
    const { config, cluster } = isRight
      ? found
      : await streams.update(stream.name, { ...wanted, num_replicas: copies });
    if (this.isClustered && !cluster?.leader) throw new Error(`The stream ${stream.name} has no leader`);
    return {
      name: stream.name,
      copies: config.num_replicas,
      isOnDisk: config.storage === StorageType.File,
      maxBytes: config.max_bytes,
    };
  }

  /** Creates a stream, or returns the one created by another node meanwhile. */
  async #create(wanted: WantedConfig): Promise<StreamInfo> {
    const { streams } = this.#getManager();
    try {
      return await streams.add({ ...wanted, storage: StorageType.File, num_replicas: this.#options.replicas });
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === streamExists) return streams.info(wanted.name);
      throw error;
    }
  }

  async #findStream(name: string): Promise<StreamInfo | undefined> {
    try {
      return await this.#getManager().streams.info(name);
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === noStreamFound) return undefined;
      throw error;
    }
  }

  /** Adds a message to the stream of its subject, if the last message of the subject has this sequence. Returns its sequence. */
  async publish(subject: string, data: string | Uint8Array, last?: number): Promise<number | "conflict"> {
    const client = this.#client;
    if (!client || !this.#isConnected) throw lost();
    const { timeout, replicas } = this.#options;
    const expect = last === undefined ? {} : { expect: { lastSubjectSequence: last } };
    // The leader of a cluster compares a sequence with messages that are stored, and not with one that is about to be (NATS 2.9). Of several messages that
    // replace the same one, with one id, the first is stored. The other servers compare a sequence of 0.
    const id = replicas > 1 && last !== undefined && last > 0 ? { msgID: `${last} ${subject}` } : {};
    try {
      const { seq, duplicate } = await client.publish(subject, data, { timeout, ...expect, ...id });
      return duplicate ? "conflict" : seq;
    } catch (error) {
      if (!(error instanceof JetStreamApiError)) throw error;
      if (conflicts.includes(error.code)) return "conflict";
      if (isLimit(error)) throw new Error(storageFull, { cause: error });
      throw error;
    }
  }

  /** Returns the last message of a subject. */
  findLast(stream: string, subject: string): Promise<NatsMessage | undefined> {
    return this.#find(stream, { last_by_subj: subject });
  }

  /** Returns the first message of a subject from a sequence on. */
  findNext(stream: string, subject: string, sequence: number): Promise<NatsMessage | undefined> {
    return this.#find(stream, { seq: Math.max(1, sequence), next_by_subj: subject });
  }

  /** Removes the messages of a subject; wildcards are permitted. `before`: only those before a sequence. Default: all. */
  async purge(stream: string, subject: string, before?: number): Promise<void> {
    const { streams } = this.#getManager();
    await streams.purge(stream, before === undefined ? { filter: subject } : { filter: subject, seq: before });
  }

  /** Removes the message with a sequence, if it is still stored. */
  async remove(stream: string, sequence: number): Promise<void> {
    try {
      await this.#getManager().streams.deleteMessage(stream, sequence, false);
    } catch (error) {
      if (!(error instanceof JetStreamApiError) || !isUnknownMessage(error)) throw error;
    }
  }

  /** Returns the matching subjects of a stream. */
  async listSubjects(stream: string, filter: string): Promise<readonly string[]> {
    const info = await this.#getManager().streams.info(stream, { subjects_filter: filter });
    return Object.keys(info.state.subjects ?? {});
  }

  async readState(stream: string): Promise<NatsStreamState> {
    const { state, created } = await this.#getManager().streams.info(stream);
    return { count: state.messages, last: state.last_seq, created: Date.parse(created).toString(36) };
  }

  /** Sends a message and waits until its receiver has it. `"absent"`: nothing receives on this subject. */
  async request(subject: string, text: string): Promise<"sent" | "absent"> {
    try {
      await this.#getConnection().request(subject, text, { timeout: this.#options.timeout });
      return "sent";
    } catch (error) {
      if (error instanceof NoRespondersError || (error instanceof Error && error.cause instanceof NoRespondersError))
        return "absent";
      throw error;
    }
  }

  /** Sends a message without storing it. */
  notify(subject: string, text: string): void {
    if (this.#isConnected) this.#connection?.publish(subject, text);
  }

  /**
   * Receives messages, and acknowledges requests. Resolves when none can be missed any more.
   *
   * @throws {Error} when the permission is missing
   */
  async subscribe(subject: string, receive: (text: string) => void): Promise<() => void> {
    const connection = this.#getConnection();
    const errors: Error[] = [];
    const callback = (error: Error | null, message: Msg): void => {
      if (error) return void errors.push(error);
      receive(message.string());
      if (message.reply) message.respond();
    };
    const subscription = connection.subscribe(subject, { callback });
    await withDeadline(connection.flush(), this.#options.timeout);
    const [denied] = errors;
    if (denied) throw denied;
    return () => subscription.unsubscribe();
  }

  async #find(
    stream: string,
    query: { readonly last_by_subj: string } | { readonly seq: number; readonly next_by_subj: string },
  ): Promise<NatsMessage | undefined> {
    try {
      const found = await this.#getManager().streams.getMessage(stream, query);
      return found ? toMessage(found) : undefined;
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === noMessageFound) return undefined;
      throw error;
    }
  }

  async #watchState(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === "disconnect" || type === "staleConnection") this.#setConnected(false);
      if (type === "reconnect") this.#setConnected(true);
    }
  }

  #setConnected(isConnected: boolean): void {
    if (!this.#connection || isConnected === this.#isConnected) return;
    this.#isConnected = isConnected;
    if (isConnected) this.#options.events.reconnected();
    else this.#options.events.lost();
  }

  #getConnection(): NatsConnection {
    if (!this.#connection || !this.#isConnected) throw lost();
    return this.#connection;
  }

  #getManager(): JetStreamManager {
    if (!this.#manager || !this.#isConnected) throw lost();
    return this.#manager;
  }
}

function toMessage(stored: StoredMsg): NatsMessage {
  const { subject, seq, time, data } = stored;
  return { subject, sequence: seq, time: time.getTime(), bytes: data, text: stored.string() };
}

function lost(): EngineError {
  return new EngineError("NATS is not connected; try again later");
}

/** Settings of a stream the engine depends on. */
type WantedConfig = Pick<
  StreamConfig,
  "name" | "subjects" | "max_age" | "duplicate_window" | "max_msgs_per_subject" | "max_msgs"
>;

function toConfig({ name, subjects, maxAge, maxPerSubject, maxMessages }: NatsStream): WantedConfig {
  return {
    name,
    subjects: [subjects],
    max_age: maxAge * 1_000_000,
    duplicate_window: (maxAge === 0 ? idTtl : Math.min(maxAge, idTtl)) * 1_000_000,
    max_msgs_per_subject: maxPerSubject ?? -1,
    max_msgs: maxMessages ?? -1,
  };
}

/** True if a stream has the limits set by the engine. */
function isConfigured(config: StreamConfig, wanted: WantedConfig): boolean {
  return (
    config.subjects.join() === wanted.subjects.join() &&
    config.max_age === wanted.max_age &&
    config.duplicate_window === wanted.duplicate_window &&
    config.max_msgs_per_subject === wanted.max_msgs_per_subject &&
    config.max_msgs === wanted.max_msgs
  );
}

/** True for a write beyond the resources of the server or the account, or beyond the bytes of the stream. */
function isLimit({ code, message }: JetStreamApiError): boolean {
  return limitsReached.includes(code) || (code === storeFailed && message.startsWith("maximum "));
}

/** True if a message to be removed is not stored. Servers report this in several ways. */
function isUnknownMessage({ code, message }: JetStreamApiError): boolean {
  return code === noMessageFound || code === noSequence || (code === removalFailed && message === "no message found");
}

/** Settings with which a connection is opened again as long as it is not closed, also after its credentials were rejected, or its server has vanished. */
const lasting = {
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
  reconnectJitter: 100,
  ignoreAuthErrorAbort: true,
  pingInterval: 2_000,
  maxPingOut: 2,
} as const;

/** Problem of a write beyond a limit of the server, of the account, or of the stream. */
export const storageFull = "JetStream is full; enlarge its limits";

/** Milliseconds for which the ids of messages are known. The replacement of a message is stored, or rejected, in a fraction of this time. */
const idTtl = 10_000;

/** Codes of the API of JetStream: a wrong sequence, a subject during a write, and an id during a write. */
const conflicts: readonly number[] = [10071, 10164, 10158];
const noMessageFound = 10037;
const noSequence = 10043;
const removalFailed = 10057;
const noStreamFound = 10059;
const streamExists = 10058;
const limitsReached: readonly number[] = [10002, 10023, 10028, 10047];
const storeFailed = 10077;
