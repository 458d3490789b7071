import { vi } from "vitest";
import { deriveKeys } from "../../cluster/derive-keys.ts";
import { Health } from "../../cluster/engine/health.ts";
import { KeyRing } from "../../cluster/engine/key-ring.ts";
import { Operations } from "../../cluster/engine/operations.ts";
import { NatsEvents } from "../../cluster/nats/events.ts";
import { NatsLedger } from "../../cluster/nats/ledger.ts";
import type { NatsContext } from "../../cluster/nats/nats-context.ts";
import { defaultNatsLimits } from "../../cluster/nats/nats-limits.ts";
import {
  NatsLink,
  type NatsMessage,
  type NatsStream,
  type NatsStreamSettings,
  type NatsStreamState,
} from "../../cluster/nats/nats-link.ts";
import { createNatsNames } from "../../cluster/nats/nats-names.ts";
import { NatsNodes } from "../../cluster/nats/nodes.ts";
import { NatsPlaces } from "../../cluster/nats/nats-places.ts";
import { NatsRates } from "../../cluster/nats/rates.ts";
import { NatsReplays } from "../../cluster/nats/replays.ts";
import { NatsRevocations } from "../../cluster/nats/revocations.ts";
import { ServerClock } from "../../cluster/nats/server-clock.ts";
import { NatsSessions } from "../../cluster/nats/sessions.ts";
import { NatsTasks } from "../../cluster/nats/tasks.ts";
import { NatsValues } from "../../cluster/nats/values.ts";
import type { Engine } from "../../cluster/stores/engine.ts";
import { EngineError } from "../../runtime/stores/engine-error.ts";
import type { EngineFixture } from "./engine-fixture.ts";

/* The stores on NATS with a server in memory: what JetStream keeps, and what it rejects. */

interface Kept extends NatsMessage {
  readonly stream: string;
}

/** Subscriber to a subject. */
interface Subscriber {
  readonly subject: string;
  receive(text: string): void;
}

/** Server with the streams of an application. */
export class MemoryNats {
  readonly streams = new Map<string, NatsStream>();
  readonly subscribers = new Set<Subscriber>();
  isAway = false;
  /** Messages by their streams and subjects. */
  readonly #messages = new Map<string, Map<string, readonly Kept[]>>();
  readonly #last = new Map<string, number>();

  add(subject: string, data: string | Uint8Array, last?: number): number | "conflict" {
    const stream = [...this.streams.values()].find(({ subjects }) => matches(subjects, subject));
    if (!stream) throw new Error(`No stream has the subject ${subject}`);
    const { name, maxPerSubject = Infinity, maxMessages } = stream;
    const before = this.find(name, subject);
    if (last !== undefined && last !== (before.at(-1)?.sequence ?? 0)) return "conflict";
    const sequence = this.lastOf(name) + 1;
    this.#last.set(name, sequence);
    const bytes = Buffer.from(data);
    const message = { stream: name, subject, sequence, time: performance.now(), bytes, text: bytes.toString() };
    this.#subjectsOf(name).set(subject, [...before, message].slice(-maxPerSubject));
    if (maxMessages !== undefined) this.remove(this.find(name, ">").slice(0, -maxMessages));
    return sequence;
  }

  lastOf(stream: string): number {
    return this.#last.get(stream) ?? 0;
  }

  /** Returns the messages of a subject that are kept. */
  find(stream: string, subject: string): readonly Kept[] {
    const { maxAge = 0 } = this.streams.get(stream) ?? {};
    const oldest = maxAge === 0 ? -Infinity : performance.now() - maxAge;
    const subjects = this.#subjectsOf(stream);
    const found = /[*>]/.test(subject)
      ? [...subjects.values()].flat().filter((one) => matches(subject, one.subject))
      : (subjects.get(subject) ?? []);
    return found.filter(({ time }) => time > oldest).toSorted((one, other) => one.sequence - other.sequence);
  }

  remove(found: readonly Kept[]): void {
    for (const message of found) {
      const subjects = this.#subjectsOf(message.stream);
      const rest = subjects.get(message.subject)?.filter((one) => one !== message) ?? [];
      if (rest.length > 0) subjects.set(message.subject, rest);
      else subjects.delete(message.subject);
    }
  }

  /** Passes a message on, and returns the number of its receivers. */
  deliver(subject: string, text: string): number {
    const receivers = [...this.subscribers].filter((one) => matches(one.subject, subject));
    for (const { receive } of receivers) receive(text);
    return receivers.length;
  }

  #subjectsOf(stream: string): Map<string, readonly Kept[]> {
    const known = this.#messages.get(stream) ?? new Map<string, readonly Kept[]>();
    this.#messages.set(stream, known);
    return known;
  }
}

/** True for a subject that a pattern with wildcards fits. */
function matches(pattern: string, subject: string): boolean {
  const tokens = subject.split(".");
  const wanted = pattern.split(".");
  if (wanted.at(-1) !== ">" && wanted.length !== tokens.length) return false;
  return wanted.every((token, index) => {
    const found = tokens[index];
    return found !== undefined && (token === ">" || token === "*" || token === found);
  });
}

/** Connection of one node to a server in memory. */
export class MemoryLink extends NatsLink {
  readonly #server: MemoryNats;
  readonly #subscribers = new Set<Subscriber>();
  #isOpen = true;
  #isCut = false;

  constructor(server: MemoryNats) {
    const events = { reconnected: () => {}, lost: () => {} };
    super({ connection: { servers: [] }, timeout: 1_000, replicas: 1, events });
    this.#server = server;
  }

  override get isConnected(): boolean {
    return this.#isOpen && !this.#isCut && !this.#server.isAway;
  }

  /** Cuts the connection: the server has no subscribers of it any more. */
  cut(): void {
    this.#isCut = true;
    for (const one of this.#subscribers) this.#server.subscribers.delete(one);
  }

  mend(): void {
    this.#isCut = false;
    for (const one of this.#subscribers) this.#server.subscribers.add(one);
  }

  override get maxPayload(): number {
    // Many values of tests need several messages.
    return 16 * 1024;
  }

  override async close(): Promise<void> {
    this.#isOpen = false;
    for (const one of this.#subscribers) this.#server.subscribers.delete(one);
  }

  override async ensure(stream: NatsStream): Promise<NatsStreamSettings> {
    (await this.#reach()).streams.set(stream.name, stream);
    return { name: stream.name, copies: 1, isOnDisk: true, maxBytes: -1 };
  }

  override async publish(subject: string, data: string | Uint8Array, last?: number): Promise<number | "conflict"> {
    return (await this.#reach()).add(subject, data, last);
  }

  override async findLast(stream: string, subject: string): Promise<NatsMessage | undefined> {
    return (await this.#reach()).find(stream, subject).at(-1);
  }

  override async findNext(stream: string, subject: string, from: number): Promise<NatsMessage | undefined> {
    return (await this.#reach()).find(stream, subject).find(({ sequence }) => sequence >= from);
  }

  override async purge(stream: string, subject: string, before = Infinity): Promise<void> {
    const server = await this.#reach();
    server.remove(server.find(stream, subject).filter(({ sequence }) => sequence < before));
  }

  override async remove(stream: string, sequence: number): Promise<void> {
    const server = await this.#reach();
    server.remove(server.find(stream, ">").filter((message) => message.sequence === sequence));
  }

  override async listSubjects(stream: string, filter: string): Promise<readonly string[]> {
    // JetStream has them in no order.
    return [...new Set((await this.#reach()).find(stream, filter).map(({ subject }) => subject))].toReversed();
  }

  override async readState(stream: string): Promise<NatsStreamState> {
    const server = await this.#reach();
    return { count: server.find(stream, ">").length, last: server.lastOf(stream), created: "m3k9v0x2" };
  }

  override async request(subject: string, text: string): Promise<"sent" | "absent"> {
    return (await this.#reach()).deliver(subject, text) > 0 ? "sent" : "absent";
  }

  override notify(subject: string, text: string): void {
    void this.#reach().then(
      (server) => server.deliver(subject, text),
      () => {},
    );
  }

  override async subscribe(subject: string, receive: (text: string) => void): Promise<() => void> {
    const server = await this.#reach();
    const subscriber = { subject, receive };
    server.subscribers.add(subscriber);
    this.#subscribers.add(subscriber);
    return () => {
      this.#subscribers.delete(subscriber);
      server.subscribers.delete(subscriber);
    };
  }

  /** Reaches the server in a later turn. */
  async #reach(): Promise<MemoryNats> {
    await Promise.resolve();
    if (!this.isConnected) throw new EngineError("NATS is not connected; try again later");
    return this.#server;
  }
}

const keys = [new Uint8Array(32).fill(7)];

/** Engine of a node, whose connection can be lost. */
export interface LosableEngine extends Engine {
  lose(): void;
  restore(): void;
}

/** Creates an engine with the stores on NATS. */
export function createEngine(
  link: NatsLink,
  limits: Partial<typeof defaultNatsLimits> = {},
  secrets: readonly Uint8Array[] = keys,
): LosableEngine {
  const health = new Health("NATS");
  const operations = new Operations({ product: "NATS", health, timeout: 1_000 });
  const ring = new KeyRing(secrets, { prefix: "shop", encrypt: true });
  const all = { ...defaultNatsLimits, ...limits };
  const names = createNatsNames("shop", all);
  const places = new NatsPlaces({ link, operations, names, ring });
  const clock = new ServerClock(link, names);
  const context: NatsContext = { link, operations, names, places, clock, ring, limits: all, health };
  const [events, nodes] = [new NatsEvents(context), new NatsNodes(context)];
  return {
    sessions: new NatsSessions(context),
    events,
    nodes,
    tasks: new NatsTasks(context),
    ledger: new NatsLedger(context),
    replays: new NatsReplays(context),
    rates: new NatsRates(context),
    revocations: new NatsRevocations(context),
    values: new NatsValues(context),
    deriveKeys: (purpose) => deriveKeys(secrets, purpose),
    status: () => health.read(),
    async open() {
      await Promise.all(Object.values<NatsStream>({ ...names.streams }).map((stream) => link.ensure(stream)));
      await clock.adjust();
      events.open();
      health.connected();
    },
    async close() {
      nodes.close();
      events.close();
      health.lost();
      await link.close();
    },
    lose: () => health.lost(),
    restore() {
      health.connected();
      nodes.resume();
    },
  };
}

/** Fixture with the stores on NATS in memory. Its clocks are those of the process, whose time passes on request. */
export const memoryNats: EngineFixture = {
  async start(limits = {}) {
    const server = new MemoryNats();
    const engines: LosableEngine[] = [];
    let passed = 0;
    const spies = [performance, Date].map((clock) => {
      const now = clock.now.bind(clock);
      return vi.spyOn(clock, "now").mockImplementation(() => now() + passed);
    });
    const connect = async (link: MemoryLink): Promise<LosableEngine> => {
      const engine = createEngine(link, limits);
      engines.push(engine);
      await engine.open();
      return engine;
    };
    return {
      connect: () => connect(new MemoryLink(server)),
      async connectByLink() {
        const link = new MemoryLink(server);
        const engine = await connect(link);
        const cut = (): void => {
          link.cut();
          engine.lose();
        };
        const mend = (): void => {
          link.mend();
          engine.restore();
        };
        return { engine, link: { cut, drop() {}, mend } };
      },
      async pass(milliseconds) {
        passed += milliseconds;
        await Promise.resolve();
      },
      async kill() {
        server.isAway = true;
        for (const engine of engines) engine.lose();
      },
      async restart() {
        server.isAway = false;
        for (const engine of engines) engine.restore();
      },
      async stop() {
        for (const engine of engines) await engine.close();
        for (const spy of spies) spy.mockRestore();
      },
    };
  },
};
