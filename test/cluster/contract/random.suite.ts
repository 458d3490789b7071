import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RequestId } from "../../../runtime/jsonrpc/message.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import type { EngineLimits } from "../../../cluster/engine-limits.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { SessionKey } from "../../../runtime/stores/session-store.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import type { EngineFixture } from "../engine-fixture.ts";
import { createRecord } from "./cluster.ts";

/** One operation of a node, by name so that a failure can be read. */
type Operation =
  | { readonly name: "add" | "end" | "readState" | "remove"; readonly key: SessionKey }
  | {
      readonly name: "access";
      readonly key: SessionKey;
      readonly node: string;
      readonly reserve: readonly RequestId[];
      readonly ended: readonly RequestId[];
      readonly attempt: string | undefined;
    }
  | {
      readonly name: "release";
      readonly key: SessionKey;
      readonly node: string;
      readonly ids: readonly RequestId[];
      readonly isUnused: boolean;
    }
  | { readonly name: "findNode"; readonly key: SessionKey; readonly id: RequestId }
  | {
      readonly name: "change";
      readonly key: SessionKey;
      readonly logLevel: string | undefined;
      readonly subscribe: readonly string[];
      readonly unsubscribe: readonly string[];
      readonly listener: string | undefined;
    }
  | {
      readonly name: "append";
      readonly key: SessionKey;
      readonly stream: string;
      readonly owner: string;
      readonly fence: number;
      readonly first: number;
      readonly data: readonly string[];
      readonly requests: readonly RequestId[];
      readonly settled: readonly RequestId[];
    }
  | { readonly name: "read"; readonly key: SessionKey; readonly stream: string; readonly sequence: number }
  | {
      readonly name: "seal" | "adopt";
      readonly key: SessionKey;
      readonly stream: string;
      readonly fence: number;
      readonly node: string;
    }
  | { readonly name: "renew" | "leave" | "isAlive"; readonly node: string; readonly isNew: boolean };

/** Limits that random operations reach. No time passes: engines with a clock of their own could not keep up. */
const limits: Partial<EngineLimits> = { maxSubscriptions: 3, maxUsedIds: 3, maxOpenStreams: 2, maxEvents: 5 };

/** Operations of a run, at least. */
const minOperations = 2_500;

/** Declares the comparison of an engine with the engine in memory. */
export function describeRandomOperations(fixture: EngineFixture): void {
  describe("random operations of an engine", () => {
    test("random operations have the results of the engine in memory", async () => {
      let performed = 0;
      const property = fc.asyncProperty(fc.array(operations(), { minLength: 40, maxLength: 120 }), async (list) => {
        const cluster = await fixture.start(limits);
        try {
          const engines = [await cluster.connect(), await cluster.connect()];
          const model = await openModel();
          for (const [index, operation] of list.entries()) {
            const engine = engines[index % engines.length] ?? model;
            const [actual, expected] = [await perform(engine, operation), await perform(model, operation)];
            expect({ index, operation, result: actual }).toEqual({ index, operation, result: expected });
            performed += 1;
          }
        } finally {
          await cluster.stop();
        }
      });
      const seed = Number(process.env["SCALE_SEED"] ?? 1);
      await fc.assert(property, { numRuns: 60, seed });
      expect(performed).toBeGreaterThan(minOperations);
    });

    test("random operations that are repeated have the effects of a single one", async () => {
      const property = fc.asyncProperty(fc.array(operations(), { minLength: 30, maxLength: 60 }), async (list) => {
        const cluster = await fixture.start(limits);
        try {
          const engine = await cluster.connect();
          const model = await openModel();
          for (const operation of list.filter(isIdempotent)) {
            await perform(engine, operation);
            const [actual, expected] = [await perform(engine, operation), await perform(model, operation)];
            const results = operation.name === "append" ? [actual, expected] : [];
            if (expected === "stored") expect(results).toEqual(["stored", "stored"]);
          }
          for (const key of keys) {
            expect(await readAll(engine, key)).toEqual(await readAll(model, key));
          }
        } finally {
          await cluster.stop();
        }
      });
      await fc.assert(property, { numRuns: 30, seed: Number(process.env["SCALE_SEED"] ?? 1) });
    });
  });
}

const keys: readonly SessionKey[] = [
  { id: "a", owner: "ada" },
  { id: "a", owner: "bob" },
  { id: "b", owner: undefined },
];
const nodes = ["n1", "n2"];
const streams = ["s1", "s2", "s3"];

function operations(): fc.Arbitrary<Operation> {
  const key = fc.constantFrom(...keys);
  const node = fc.constantFrom(...nodes);
  const stream = fc.constantFrom(...streams);
  const fence = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 2 }) });
  const id = fc.constantFrom<RequestId>(1, 2, 3, "1", "x");
  const ids = fc.uniqueArray(id, { maxLength: 3 });
  const ended = fc.oneof({ weight: 2, arbitrary: fc.constant<RequestId[]>([]) }, ids);
  const uris = fc.uniqueArray(fc.constantFrom("u1", "u2", "u3", "u4", "u5"), { maxLength: 2 });
  const first = fc.nat({ max: 12 });
  const texts = fc.array(fc.constantFrom("", "text", "é"), { maxLength: 4 });
  const more = fc.option(fc.constantFrom("debug", "error"), { nil: undefined });
  return fc.oneof(
    fc.record({ name: fc.constantFrom("add" as const), key }),
    fc.record({ name: fc.constantFrom("readState" as const, "remove" as const, "end" as const), key }),
    {
      weight: 4,
      arbitrary: fc
        .record({ name: fc.constant("access" as const), key, node, reserve: ids, ended, attempt: more })
        // A request that has ended was reserved before.
        .map((access) => ({ ...access, ended: access.ended.filter((id) => !access.reserve.includes(id)) })),
    },
    {
      weight: 3,
      arbitrary: fc.record({ name: fc.constant("release" as const), key, node, ids, isUnused: fc.boolean() }),
    },
    fc.record({ name: fc.constant("findNode" as const), key, id }),
    {
      weight: 3,
      arbitrary: fc
        .record({
          name: fc.constant("change" as const),
          key,
          logLevel: more,
          subscribe: uris,
          unsubscribe: uris,
          listener: more,
        })
        // What is added and removed at once has no order.
        .map((change) => ({
          ...change,
          unsubscribe: change.unsubscribe.filter((uri) => !change.subscribe.includes(uri)),
        })),
    },
    {
      weight: 12,
      arbitrary: fc.record({
        name: fc.constant("append" as const),
        key,
        stream,
        owner: node,
        fence,
        first: fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: first }),
        data: texts,
        requests: ids,
        settled: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, ids),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        name: fc.constant("read" as const),
        key,
        stream,
        sequence: fc.integer({ min: -2, max: 14 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        name: fc.constantFrom("seal" as const, "adopt" as const),
        key,
        stream,
        fence,
        node,
      }),
    },
    fc.record({
      name: fc.constantFrom("renew" as const, "leave" as const, "isAlive" as const),
      node,
      isNew: fc.boolean(),
    }),
  );
}

/** True unless a repetition has effects or results of its own by design. */
function isIdempotent({ name }: Operation): boolean {
  return name === "append" || name === "add" || name === "release" || name === "change" || name === "access";
}

/** Performs an operation. What has no order is sorted. */
async function perform({ sessions, events, nodes: directory }: Engine, operation: Operation): Promise<unknown> {
  switch (operation.name) {
    case "add":
      return sessions.add(createRecord(operation.key.id, operation.key.owner));
    case "end":
      return [...(await sessions.end(operation.key))].sort();
    case "readState":
      return sortSubscriptions(await sessions.readState(operation.key));
    case "remove":
      return events.remove(operation.key);
    case "access": {
      const { attempt, ...access } = operation;
      const found = await sessions.access(operation.key, { ...access, ...(attempt !== undefined && { attempt }) });
      return found && { ...found, state: sortSubscriptions(found.state) };
    }
    case "release":
      return sessions.release(operation.key, operation);
    case "findNode":
      return sessions.findNode(operation.key, operation.id);
    case "change": {
      const { logLevel, listener, subscribe, unsubscribe } = operation;
      return sessions.change(operation.key, {
        subscribe,
        unsubscribe,
        ...(logLevel && { logLevel }),
        ...(listener && { listener: { node: "n1", stream: listener, fence: 0 } }),
      });
    }
    case "append":
      return events.append(operation.key, operation);
    case "read": {
      const part = await events.read(operation.key, operation);
      return part && { ...part, open: [...part.open].map((id) => JSON.stringify(id)).sort() };
    }
    case "seal":
      return events.seal(operation.key, { ...operation, data: ["error"] });
    case "adopt":
      return events.adopt(operation.key, operation);
    case "renew":
      return directory.renew(operation.node, { milliseconds: 600_000, isNew: operation.isNew });
    case "leave":
      return directory.leave(operation.node);
    case "isAlive":
      return directory.isAlive(operation.node);
  }
}

/** Returns what is left of a session after all operations, without the number of changes. */
async function readAll(engine: Engine, key: SessionKey): Promise<unknown> {
  const state = await perform(engine, { name: "readState", key });
  const found = await Promise.all([1, 2, 3, "1", "x"].map((id) => perform(engine, { name: "findNode", key, id })));
  const parts = await Promise.all(
    streams.flatMap((stream) =>
      [-1, 3, 6, 9].map((sequence) => perform(engine, { name: "read", key, stream, sequence })),
    ),
  );
  return { state, found, parts };
}

function sortSubscriptions<T extends { readonly subscriptions?: readonly string[] }>(state: T | undefined): unknown {
  return state?.subscriptions ? { ...state, subscriptions: [...state.subscriptions].sort() } : state;
}

async function openModel(): Promise<Engine> {
  const model = createMemoryCluster({ ...limits, clock: new ManualClock() }).connect();
  await model.open();
  return model;
}
