import { expect, onTestFinished, test, vi } from "vitest";
import { createNatsNames } from "../../../cluster/nats/nats-names.ts";
import type { NatsContext } from "../../../cluster/nats/nats-context.ts";
import { defaultNatsLimits } from "../../../cluster/nats/nats-limits.ts";
import { NatsLink, type NatsMessage } from "../../../cluster/nats/nats-link.ts";
import { NatsPlaces } from "../../../cluster/nats/nats-places.ts";
import { NatsRevocations } from "../../../cluster/nats/revocations.ts";
import { ServerClock } from "../../../cluster/nats/server-clock.ts";
import { Health } from "../../../cluster/engine/health.ts";
import { KeyRing } from "../../../cluster/engine/key-ring.ts";
import { Operations } from "../../../cluster/engine/operations.ts";

/** Link to a stream in memory, with one message for each subject. */
class MemoryLink extends NatsLink {
  readonly #messages = new Map<string, NatsMessage>();
  #last = 0;
  /** Called once, after the next message was read. */
  afterRead: (() => Promise<void>) | undefined;

  constructor() {
    const events = { reconnected: () => {}, lost: () => {} };
    super({ connection: { servers: [] }, timeout: 1_000, replicas: 1, events });
  }

  override get maxPayload(): number {
    return 1024 * 1024;
  }

  override publish(subject: string, data: string | Uint8Array, last?: number): Promise<number | "conflict"> {
    if (last !== undefined && last !== (this.#messages.get(subject)?.sequence ?? 0)) return Promise.resolve("conflict");
    const bytes = Buffer.from(data);
    this.#last += 1;
    this.#messages.set(subject, { subject, sequence: this.#last, time: 0, bytes, text: bytes.toString() });
    return Promise.resolve(this.#last);
  }

  override async findLast(_stream: string, subject: string): Promise<NatsMessage | undefined> {
    const found = this.#messages.get(subject);
    const { afterRead } = this;
    this.afterRead = undefined;
    await afterRead?.();
    return found;
  }

  override purge(_stream: string, subject: string): Promise<void> {
    this.#messages.delete(subject);
    return Promise.resolve();
  }

  override remove(_stream: string, sequence: number): Promise<void> {
    for (const [subject, message] of this.#messages) if (message.sequence === sequence) this.#messages.delete(subject);
    return Promise.resolve();
  }

  override listSubjects(): Promise<readonly string[]> {
    return Promise.resolve([...this.#messages.keys()]);
  }
}

function createContext(link: NatsLink): NatsContext {
  const health = new Health("NATS");
  health.connected();
  const operations = new Operations({ product: "NATS", health, timeout: 10_000 });
  const limits = defaultNatsLimits;
  const names = createNatsNames("shop", limits);
  const ring = new KeyRing([new Uint8Array(32).fill(7)], { prefix: "shop", encrypt: false });
  const places = new NatsPlaces({ link, operations, names, ring });
  return { link, operations, names, places, clock: new ServerClock(link, names), ring, limits, health };
}

test("a revocation is kept that replaces one which another node finds to have expired", async () => {
  const link = new MemoryLink();
  const revocations = new NatsRevocations(createContext(link));
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  await revocations.add({ key: "ada", until: Date.now() + 20 });
  vi.setSystemTime(Date.now() + 40);
  const until = Date.now() + 600_000;
  link.afterRead = () => revocations.add({ key: "ada", until });
  expect(await revocations.list()).toEqual([]);
  expect(await revocations.list()).toEqual([{ key: "ada", until }]);
});
