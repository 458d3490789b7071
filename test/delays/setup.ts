import { beforeEach, vi } from "vitest";
import type { Receiver } from "../../runtime/jsonrpc/channel.ts";
import type { Engine } from "../../runtime/stores/engine.ts";
import {
  delayed,
  delayedEngine,
  delayedEvents,
  delayedReceiver,
  delayedTransport,
  passTurns,
  seedDelays,
} from "./delays.ts";

/* Stores and engines in memory are delayed, wherever the server or a test makes one. */

beforeEach(({ task }) => seedDelays(Number(process.env["DELAY_SEED"]), task.name));

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

vi.mock("../../runtime/stores/memory-session-store.ts", async (load) => {
  const module = await load<typeof import("../../runtime/stores/memory-session-store.ts")>();
  return { ...module, MemorySessionStore: delayClass(module.MemorySessionStore, delayed) };
});

vi.mock("../../runtime/stores/memory-event-store.ts", async (load) => {
  const module = await load<typeof import("../../runtime/stores/memory-event-store.ts")>();
  return { ...module, MemoryEventStore: delayClass(module.MemoryEventStore, delayedEvents) };
});

vi.mock("../../runtime/stores/memory-task-store.ts", async (load) => {
  const module = await load<typeof import("../../runtime/stores/memory-task-store.ts")>();
  return { ...module, MemoryTaskStore: delayClass(module.MemoryTaskStore, delayed) };
});

vi.mock("../../runtime/transport/memory.ts", async (load) => {
  const module = await load<typeof import("../../runtime/transport/memory.ts")>();
  const createInMemoryTransports: typeof module.createInMemoryTransports = (limits) => {
    const [first, second] = module.createInMemoryTransports(limits);
    return [delayedTransport(first), delayedTransport(second)];
  };
  return { ...module, createInMemoryTransports };
});

vi.mock("../../runtime/testing/wire.ts", async (load) => {
  const module = await load<typeof import("../../runtime/testing/wire.ts")>();
  class Wire extends module.Wire {
    override start(receiver: Receiver): void {
      super.start(delayedReceiver(receiver));
    }
  }
  return { ...module, Wire };
});

// Work that follows from a timer takes as many turns as its stores.
vi.mock("../../runtime/testing/manual-clock.ts", async (load) => {
  const module = await load<typeof import("../../runtime/testing/manual-clock.ts")>();
  class ManualClock extends module.ManualClock {
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
  return { ...module, ManualClock, settle: passTurns };
});

vi.mock("../../runtime/scale/memory-engine.ts", async (load) => {
  const module = await load<typeof import("../../runtime/scale/memory-engine.ts")>();
  const createMemoryCluster: typeof module.createMemoryCluster = (options) => {
    isWithinEngine = true;
    const { connect, lose, restore } = module.createMemoryCluster(options);
    isWithinEngine = false;
    const originals = new Map<Engine, Engine>();
    return {
      connect() {
        const original = connect();
        const engine = delayedEngine(original);
        originals.set(engine, original);
        return engine;
      },
      lose: (engine) => lose(engine && originals.get(engine)),
      restore: (engine) => restore(engine && originals.get(engine)),
    };
  };
  return { ...module, createMemoryCluster };
});
