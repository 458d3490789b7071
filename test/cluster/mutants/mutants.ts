import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { NodeMessage } from "../../../cluster/stores/node-directory.ts";
import type { SessionKey } from "../../../runtime/stores/session-store.ts";
import type { StreamPart } from "../../../cluster/stores/shared-event-store.ts";
import { override } from "../../kit/override.ts";

/*
 * Engines with one fault each. The checker has to find every one of them: the test of the test.
 */

/** Members of an engine that a fault replaces. */
interface EngineParts {
  readonly sessions?: Partial<Engine["sessions"]>;
  readonly events?: Partial<Engine["events"]>;
  readonly nodes?: Partial<Engine["nodes"]>;
}

type Mutate = (engine: Engine) => EngineParts;

/** Faults by name. */
export const mutants: Readonly<Record<string, Mutate>> = {
  /** An event reaches the client before it is in the store. */
  "stores events late": ({ events }) => ({
    events: {
      append(session, append) {
        void sleep(500).then(() => events.append(session, append));
        return "stored";
      },
    },
  }),
  /** A reader does not notice that it has missed an event. */
  "leaves gaps": (engine) => changeParts(engine, (events) => (events.length > 1 ? events.slice(1) : events)),
  "repeats events": (engine) => changeParts(engine, (events) => [...events, ...events.slice(-1)]),
  "reorders events": (engine) => changeParts(engine, (events) => events.toReversed()),
  /** The streams of a session are removed with the first response. */
  "removes streams early": ({ sessions, events }) => ({
    sessions: {
      async release(session, ...rest) {
        await events.remove(session);
        return sessions.release(session, ...rest);
      },
    },
  }),
  /** A node seals the streams of nodes that live. */
  "seals streams of living nodes": () => ({ nodes: { isAlive: () => false } }),
  "seals without a fence": sealWithoutFence,
  "reserves no request ids": ({ sessions }) => ({
    sessions: { access: (key, { reserve: _ids, ...access }) => sessions.access(key, access) },
  }),
  /** The owner is no part of the key: sessions and events are found by their ids alone. */
  "ignores owners": ignoreOwners,
  "loses cancellations": ({ nodes }) => ({
    nodes: { send: async (node, message) => (isCancellation(message) ? "sent" : nodes.send(node, message)) },
  }),
  "loses the ends of sessions": ({ nodes }) => ({
    nodes: { send: async (node, message) => (message.kind === "ended" ? "sent" : nodes.send(node, message)) },
  }),
  "exchanges responses of clients": exchangeResponses,
};

/** Returns an engine with a fault. */
export function mutate(engine: Engine, name: string): Engine {
  const parts = mutants[name]?.(engine);
  if (!parts) throw new Error(`The mutant ${name} is unknown; use one of ${Object.keys(mutants).join(", ")}`);
  return override(engine, {
    sessions: override(engine.sessions, parts.sessions),
    events: override(engine.events, parts.events),
    nodes: override(engine.nodes, parts.nodes),
  });
}

function changeParts({ events }: Engine, change: (events: StreamPart["events"]) => StreamPart["events"]): EngineParts {
  return {
    events: {
      async read(session, position) {
        const part = await events.read(session, position);
        return part && { ...part, events: change(part.events) };
      },
    },
  };
}

/** Seals streams for the readers of this node only: the owner goes on to write. */
function sealWithoutFence({ events }: Engine): EngineParts {
  const sealed = new Map<string, { readonly from: number; readonly data: readonly string[] }>();
  const toName = ({ id }: SessionKey, stream: string): string => `${id} ${stream}`;
  return {
    nodes: { isAlive: () => false },
    events: {
      async seal(session, { stream, data }) {
        const part = await events.read(session, { stream, sequence: -1 });
        if (!part || part.isEnded) return false;
        sealed.set(toName(session, stream), { from: part.next, data });
        return true;
      },
      async read(session, position) {
        const part = await events.read(session, position);
        const seal = sealed.get(toName(session, position.stream));
        if (!part || !seal) return part;
        const last = seal.data.map((data, index) => ({ sequence: seal.from + index, data }));
        const all = [...part.events.filter(({ sequence }) => sequence < seal.from), ...last];
        const next = seal.from + seal.data.length;
        return { ...part, events: all.filter(({ sequence }) => sequence > position.sequence), next, isEnded: true };
      },
    },
  };
}

function ignoreOwners({ sessions, events }: Engine): EngineParts {
  const toKey = ({ id }: SessionKey): SessionKey => ({ id, owner: undefined });
  return {
    sessions: {
      add: (record) => sessions.add({ ...record, owner: undefined }),
      access: (key, ...rest) => sessions.access(toKey(key), ...rest),
      release: (key, ...rest) => sessions.release(toKey(key), ...rest),
      findNode: (key, ...rest) => sessions.findNode(toKey(key), ...rest),
      change: (key, ...rest) => sessions.change(toKey(key), ...rest),
      readState: (key, ...rest) => sessions.readState(toKey(key), ...rest),
      end: (key, ...rest) => sessions.end(toKey(key), ...rest),
    },
    events: {
      append: (key, ...rest) => events.append(toKey(key), ...rest),
      read: (key, ...rest) => events.read(toKey(key), ...rest),
      seal: (key, ...rest) => events.seal(toKey(key), ...rest),
      adopt: (key, ...rest) => events.adopt(toKey(key), ...rest),
      remove: (key, ...rest) => events.remove(toKey(key), ...rest),
    },
  };
}

/** Gives each request of the server the response to the one before. */
function exchangeResponses({ nodes }: Engine): EngineParts {
  let before: unknown;
  return {
    nodes: {
      async send(node, message) {
        if (message.kind !== "deliver" || message.incoming.kind !== "result") return nodes.send(node, message);
        const result = before ?? message.incoming.result;
        before = message.incoming.result;
        return nodes.send(node, { ...message, incoming: { ...message.incoming, result } });
      },
    },
  };
}

function isCancellation(message: NodeMessage): boolean {
  return message.kind === "deliver" && message.incoming.kind === "notification";
}
