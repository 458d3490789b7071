import type { Receiver } from "../../runtime/jsonrpc/channel.ts";
import * as engine from "../../cluster/memory-engine.ts";
import type { Engine } from "../../cluster/stores/engine.ts";
import * as events from "../../runtime/stores/memory-event-store.ts";
import * as sessions from "../../runtime/stores/memory-session-store.ts";
import * as tasks from "../../runtime/stores/memory-task-store.ts";
import * as clock from "../../runtime/testing/manual-clock.ts";
import * as wire from "../../runtime/testing/wire.ts";
import * as memory from "../../runtime/transport/memory.ts";
import { delayed, delayedEngine, delayedEvents, delayedReceiver, delayedTransport, passTurns } from "./delays.ts";

/* Stores, engines and transports in memory are delayed, wherever the server or a test makes one: all others get this module in place of theirs. */

export * from "../../runtime/stores/memory-session-store.ts";
export * from "../../runtime/stores/memory-event-store.ts";
export * from "../../runtime/stores/memory-task-store.ts";
export * from "../../runtime/transport/memory.ts";
export * from "../../runtime/testing/wire.ts";
export * from "../../runtime/testing/manual-clock.ts";
export * from "../../cluster/memory-engine.ts";

/** True while an engine in memory makes its parts: it is delayed as a whole. */
let isWithinEngine = false;

type Class<Given extends unknown[], Store extends object> = new (...given: Given) => Store;

/** Returns a class whose objects are delayed. */
function delayClass<Given extends unknown[], Store extends object>(
  original: Class<Given, Store>,
  delay: (store: Store) => Store,
): Class<Given, Store> {
  return new Proxy(original, {
    construct(target, given: Given, called) {
      const store: Store = Reflect.construct(target, given, called);
      return isWithinEngine ? store : delay(store);
    },
  });
}

export const MemorySessionStore = delayClass(sessions.MemorySessionStore, delayed);
export const MemoryEventStore = delayClass(events.MemoryEventStore, delayedEvents);
export const MemoryTaskStore = delayClass(tasks.MemoryTaskStore, delayed);

export const createInMemoryTransports: typeof memory.createInMemoryTransports = (limits) => {
  const [first, second] = memory.createInMemoryTransports(limits);
  return [delayedTransport(first), delayedTransport(second)];
};

export class Wire extends wire.Wire {
  override start(receiver: Receiver): void {
    super.start(delayedReceiver(receiver));
  }
}

export const settle = passTurns;

/** Work that follows from a timer takes as many turns as its stores. */
export class ManualClock extends clock.ManualClock {
  readonly #due = new Set<{ readonly at: number }>();

  override after(milliseconds: number, run: () => void): () => void {
    const timer = { at: this.now() + milliseconds };
    this.#due.add(timer);
    const cancel = super.after(milliseconds, () => {
      this.#due.delete(timer);
      run();
    });
    return () => {
      this.#due.delete(timer);
      cancel();
    };
  }

  override async pass(milliseconds: number): Promise<void> {
    const end = this.now() + milliseconds;
    await passTurns();
    for (let next = this.#next(); next <= end; next = this.#next()) {
      this.advance(Math.max(0, next - this.now()));
      await passTurns();
    }
    this.advance(end - this.now());
  }

  #next(): number {
    return Math.min(...[...this.#due].map(({ at }) => at), Infinity);
  }
}

export const createMemoryCluster: typeof engine.createMemoryCluster = (options) => {
  isWithinEngine = true;
  const { connect, lose, restore } = engine.createMemoryCluster(options);
  isWithinEngine = false;
  const originals = new Map<Engine, Engine>();
  return {
    connect() {
      const original = connect();
      const delayed = delayedEngine(original);
      originals.set(delayed, original);
      return delayed;
    },
    // An engine of another cluster has no original here.
    lose: (lost) => lose(lost && (originals.get(lost) ?? lost)),
    restore: (lost) => restore(lost && (originals.get(lost) ?? lost)),
  };
};
