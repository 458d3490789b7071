import { isObject } from "../../generated/support.ts";
import type { Receiver } from "../../runtime/jsonrpc/channel.ts";
import type { Engine } from "../../cluster/stores/engine.ts";
import type { EventStore, StoredEvent } from "../../runtime/stores/event-store.ts";
import type { Transport } from "../../runtime/transport/transport.ts";
import { createRandom } from "../kit/random.ts";

/** The function of the platform, also while a test replaces the global one. */
const nextTurn = setImmediate;

let random = createRandom(1);

/** Passes the time of an operation: up to three turns of the event loop, unless a test replaces it. */
let wait = (): Promise<void> => passTurns(Math.floor(random() * 4));

/** Replaces the wait of operations. Returns a function for the former one. */
export function replaceWait(replacement: () => Promise<void>): () => void {
  const before = wait;
  wait = replacement;
  return () => void (wait = before);
}

/** Draws the delays of a test from a seed and the name of the test, so that a test that failed fails again by itself. */
export function seedDelays(seed: number, name: string): void {
  let hash = seed;
  for (const character of name) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) | 0;
  random = createRandom(hash >>> 0);
}

/** Waits before or after an operation. Operations may then end in another order than they began. */
export async function delay(): Promise<void> {
  await wait();
}

/** Waits for turns of the event loop: by default for so many that a chain of delayed operations is over. */
export async function passTurns(count: number = 150): Promise<void> {
  for (let left = count; left > 0; left -= 1) await new Promise<void>((resolve) => void nextTurn(resolve));
}

type Operation = (...given: readonly unknown[]) => unknown;

/** Delays the operations of a store: before, so that they act in another order, and after. `own` has those that are delayed in another way. */
export function delayed<Store extends object>(store: Store, own: object = {}): Store {
  const operations = new Map<unknown, Operation>();
  return new Proxy(store, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function" || name === "constructor") return member;
      const operation = operations.get(member) ?? delayOperation((...given) => Reflect.apply(member, target, given));
      operations.set(member, operation);
      return operation;
    },
  });
}

function delayOperation(operate: Operation): Operation {
  return async (...given) => {
    await delay();
    const result = await operate(...given);
    await delay();
    return result;
  };
}

/** Delays a store of events. Appends begin in order, and each event is found once its own append has ended. */
export function delayedEvents<Store extends EventStore>(store: Store): Store {
  const unfinished = new Set<StoredEvent>();
  const own: Omit<EventStore, "remove"> = {
    async append(session, event) {
      unfinished.add(event);
      await store.append(session, event);
      await delay();
      unfinished.delete(event);
    },
    async after(session, position) {
      await delay();
      const found = await store.after(session, position);
      const visible = found?.filter((event) => !unfinished.has(event));
      await delay();
      return visible;
    },
  };
  return delayed(store, own);
}

/** Delays the stores of an engine. Its own operations open and close it. */
export function delayedEngine(engine: Engine): Engine {
  const stores = new Map<unknown, object>();
  return new Proxy(engine, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member === "function")
        return (...given: readonly unknown[]): unknown => Reflect.apply(member, target, given);
      if (!isObject(member)) return member;
      const store = stores.get(member) ?? delayed(member);
      stores.set(member, store);
      return store;
    },
  });
}

/** Delays what a transport delivers. Its order stays. */
export function delayedReceiver(receiver: Receiver): Receiver {
  let last = Promise.resolve();
  const later = (run: () => void): void => {
    last = last.then(delay).then(run);
  };
  return {
    message: (value, origin) => later(() => receiver.message(value, origin)),
    classified: (incoming, origin) => later(() => receiver.classified(incoming, origin)),
    problem: (problem) => later(() => receiver.problem(problem)),
    ended: () => later(() => receiver.ended()),
    disconnected: (reason) => later(() => receiver.disconnected(reason)),
    ...(receiver.hold && { hold: (id) => receiver.hold?.(id) ?? (() => {}) }),
  };
}

/** Delays the messages of a transport. */
export function delayedTransport(transport: Transport): Transport {
  return {
    start: (receiver) => transport.start(delayedReceiver(receiver)),
    send: (message, related) => transport.send(message, related),
    close: () => transport.close(),
  };
}
