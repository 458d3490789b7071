import { describe, expect, test } from "vitest";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import { createSharedCredentials, type SharedCredentials } from "../../../cluster/shared-credentials.ts";
import { MemoryLedger } from "../../../runtime/stores/ledger.ts";
import { MemoryEventStore } from "../../../runtime/stores/memory-event-store.ts";
import { MemorySessionStore } from "../../../runtime/stores/memory-session-store.ts";
import { MemoryTaskStore } from "../../../runtime/stores/memory-task-store.ts";
import { MemoryReplayStore } from "../../../runtime/stores/replay-store.ts";
import { RevocationList, toTokenId } from "../../../runtime/stores/revocations.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { SessionKey } from "../../../runtime/stores/session-store.ts";
import type { TaskKey, TaskRecord } from "../../../runtime/stores/task-store.ts";
import type { Awaitable } from "../../../generated/support.ts";

/* Two principals use every store at the same time: each has its share, and neither sees, removes or uses up what belongs to the other. */

/** Entries of a store with room for 40. */
interface Entries {
  /** Adds an entry of an owner. Returns `false`, or rejects, when the owner has no room. */
  add(owner: string, id: string): Awaitable<boolean>;
  /** True if an owner finds an entry. Absent where entries cannot be read. */
  has?(owner: string, id: string): Awaitable<boolean>;
  /** Removes an entry of an owner. Absent where entries end only by their time. */
  remove?(owner: string, id: string): Awaitable<unknown>;
}

const capacity = 40;

const agreement = { revision: "2025-11-25", client: { info: { name: "c", version: "1" }, capabilities: {} } };

function task(owner: string, id: string): TaskRecord {
  const now = "2000-01-01T00:00:00.000Z";
  const times = { createdAt: now, updatedAt: now, ttl: 60_000, pollInterval: 10 };
  return { ...taskKey(owner, id), principal: owner, status: "working", ...times };
}

const taskKey = (owner: string, id: string): TaskKey => ({ id, owner: `principal:${owner}` });
const position = { stream: "s", sequence: 0 };

async function openEngine(): Promise<Engine> {
  const engine = createMemoryCluster({ maxSessions: capacity }).connect();
  await engine.open();
  return engine;
}

const stores: readonly (readonly [name: string, open: () => Awaitable<Entries>])[] = [
  [
    "of sessions",
    () => {
      const store = new MemorySessionStore({ maxSessions: capacity });
      return {
        add: (owner, id) => store.add({ id, owner, agreement }),
        has: (owner, id) => store.find({ id, owner }) !== undefined,
        remove: (owner, id) => store.remove({ id, owner }),
      };
    },
  ],
  [
    "of sessions of a cluster",
    async () => {
      const { sessions } = await openEngine();
      const toKey = (owner: string, id: string): SessionKey => ({ id, owner });
      return {
        add: (owner, id) => sessions.add({ id, owner, agreement }),
        has: async (owner, id) => (await sessions.access(toKey(owner, id), { node: "n" })) !== undefined,
        remove: (owner, id) => sessions.end(toKey(owner, id)),
      };
    },
  ],
  [
    "of tasks",
    () => {
      const store = new MemoryTaskStore({ maxTasks: capacity });
      return {
        add: (owner, id) => store.add(task(owner, id)),
        has: (owner, id) => store.find(taskKey(owner, id)) !== undefined,
        remove: (owner, id) => store.remove(taskKey(owner, id)),
      };
    },
  ],
  [
    "of replays",
    () => {
      const store = new MemoryReplayStore({ maxKeys: capacity, now: () => 0 });
      return { add: (owner, id) => store.add(`${owner} ${id}`, 1_000, owner) };
    },
  ],
  [
    "of events",
    () => {
      // A stream with its event takes 500 characters beside its data.
      const store = new MemoryEventStore({ maxSize: capacity * 1_000 });
      const has = (owner: string, id: string): boolean => store.after({ id, owner }, position) !== undefined;
      return {
        has,
        add(owner, id) {
          store.append({ id, owner }, { ...position, data: "x".repeat(500) });
          return has(owner, id);
        },
        remove: (owner, id) => store.remove({ id, owner }),
      };
    },
  ],
];

const ids = Array.from({ length: capacity }, (_, index) => `${index}`);

/** Adds entries of owners at once. Returns the ids of the remaining ones by owner. */
async function addAll(entries: Entries, owners: readonly string[]): Promise<readonly (readonly string[])[]> {
  const add = async (owner: string, id: string): Promise<string | undefined> => {
    const isAdded = await Promise.resolve(id)
      .then(() => entries.add(owner, id))
      .catch(() => false);
    return isAdded ? id : undefined;
  };
  const added = await Promise.all(ids.map((id) => Promise.all(owners.map((owner) => add(owner, `${owner}-${id}`)))));
  const listed = owners.map((_, index) => added.flatMap((row) => row[index] ?? []));
  return Promise.all(listed.map((list, index) => findAll(entries, owners[index] ?? "", list)));
}

/** Returns the remaining ids of an owner: events of an owner make room for its later ones. */
async function findAll({ has }: Entries, owner: string, list: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(list.map(async (id) => (await has?.(owner, id)) ?? true));
  return list.filter((_, index) => found[index]);
}

const isNear = (count: number, expected: number): boolean => Math.abs(count - expected) <= 2;

describe.each(stores)("a store %s", (_, open) => {
  test("a store that one principal fills gives it half, and the next one half of the rest", async () => {
    const entries = await open();
    const [mallory = []] = await addAll(entries, ["mallory"]);
    const [ada = []] = await addAll(entries, ["ada"]);
    expect([mallory.length, ada.length]).toEqual([expect.toSatisfy(isHalf), expect.toSatisfy(isQuarter)]);
    expect(await findAll(entries, "mallory", mallory)).toEqual(mallory);
  });

  test("a store that two principals fill at once gives each a third", async () => {
    const entries = await open();
    const [mallory = [], ada = []] = await addAll(entries, ["mallory", "ada"]);
    expect([mallory.length, ada.length]).toEqual([expect.toSatisfy(isThird), expect.toSatisfy(isThird)]);
  });
});

function isHalf(count: number): boolean {
  return isNear(count, capacity / 2);
}

function isThird(count: number): boolean {
  return isNear(count, capacity / 3);
}

function isQuarter(count: number): boolean {
  return isNear(count, capacity / 4);
}

const removable = stores.filter(([name]) => name !== "of replays");

describe.each(removable)("a store %s", (_, open) => {
  test("a store lets no principal find or remove what belongs to another", async () => {
    const entries = await open();
    const [mine = []] = await addAll(entries, ["ada", "mallory"]);
    expect(await findAll(entries, "mallory", mine)).toEqual([]);
    await Promise.all(mine.map((id) => entries.remove?.("mallory", id)));
    expect(await findAll(entries, "ada", mine)).toEqual(mine);
    await addAll(entries, ["mallory"]);
    expect(await findAll(entries, "ada", mine)).toEqual(mine);
  });
});

const rejecting = removable.filter(([name]) => name !== "of events");

describe.each(rejecting)("a store %s", (_, open) => {
  test("a store releases the room of an entry once, and only for its owner", async () => {
    const entries = await open();
    const [mine = [], other = []] = await addAll(entries, ["ada", "mallory"]);
    await Promise.all(mine.map((id) => entries.remove?.("mallory", id)));
    expect(await entries.add("mallory", "a")).toBe(false);
    const [first = ""] = other;
    await Promise.all([entries.remove?.("mallory", first), entries.remove?.("mallory", first)]);
    expect([await entries.add("mallory", "a"), await entries.add("mallory", "b")]).toEqual([true, false]);
  });
});

/** Result of two operations at the same moment. */
type Both = readonly [first: unknown, second: unknown];

const both = (first: () => unknown, second: () => unknown): Promise<Both> =>
  Promise.all([Promise.resolve().then(first), Promise.resolve().then(second)]);

/** Two operations of one principal at the same moment, and what both return and leave. */
const pairs: readonly (readonly [name: string, run: () => Promise<unknown>, expected: unknown])[] = [
  [
    "sessions that begin with one id are one",
    async () => {
      const store = new MemorySessionStore({ maxSessions: 1 });
      const add = (): unknown => store.add({ id: "a", owner: "ada", agreement });
      return [await both(add, add), store.find({ id: "a", owner: "ada" })?.id];
    },
    [[true, true], "a"],
  ],
  [
    "tasks that begin with one id are one",
    async () => {
      const store = new MemoryTaskStore();
      const add = (): unknown => store.add(task("ada", "a"));
      return [await both(add, add), store.size];
    },
    [[true, true], 1],
  ],
  [
    "ends of one task: the first one counts",
    async () => {
      const store = new MemoryTaskStore();
      store.add(task("ada", "a"));
      const end = (status: "completed" | "cancelled") => () =>
        store.change(taskKey("ada", "a"), { status, updatedAt: "2000-01-01T00:00:01.000Z" })?.status;
      return both(end("cancelled"), end("completed"));
    },
    ["cancelled", "cancelled"],
  ],
  [
    "uses of one key are one use and a replay",
    async () => {
      const store = new MemoryReplayStore({ now: () => 0 });
      const add = (): unknown => store.add("a", 1_000, "ada");
      return both(add, add);
    },
    [true, false],
  ],
  [
    "appends of one event leave one",
    async () => {
      const store = new MemoryEventStore();
      const session = { id: "a", owner: "ada" };
      const append = (): unknown => store.append(session, { ...position, sequence: 1, data: "once" });
      await both(append, append);
      return store.after(session, position)?.length;
    },
    1,
  ],
  [
    "beginnings of one step have one token",
    async () => {
      const ledger = new MemoryLedger();
      const begin = (): unknown => Reflect.get(ledger.begin("task", "pay", 1), "token");
      const [first, second] = await both(begin, begin);
      return [first === second, ledger.size];
    },
    [true, 1],
  ],
  [
    "ends of one step by one attempt: the first outcome is kept",
    async () => {
      const ledger = new MemoryLedger();
      ledger.begin("task", "pay", 1);
      const end = (outcome: string) => () => ledger.finish("task", "pay", { attempt: 1, outcome });
      return [await both(end("first"), end("second")), ledger.begin("task", "pay", 1)];
    },
    [["kept", "kept"], { state: "done", token: expect.any(String), outcome: "first" }],
  ],
  [
    "ends of one step by two attempts: the earlier one is fenced",
    async () => {
      const ledger = new MemoryLedger();
      ledger.begin("task", "pay", 1);
      ledger.begin("task", "pay", 2);
      const end = (attempt: number) => () => ledger.finish("task", "pay", { attempt, outcome: attempt });
      return [await both(end(1), end(2)), ledger.begin("task", "pay", 2)];
    },
    [["fenced", "kept"], expect.objectContaining({ state: "done", outcome: 2 })],
  ],
  [
    "exclusive uses of one credential follow one another",
    async () => {
      const store = createSharedCredentials(await openEngine(), { owner: "ada" });
      const used: string[] = [];
      await both(use(store, used, "first"), use(store, used, "second"));
      return used;
    },
    ["first begins", "first ends", "second begins", "second ends"],
  ],
  [
    "revocations of one principal: the longer one counts",
    async () => {
      let now = 0;
      const revocations = new RevocationList(() => now);
      await both(
        () => revocations.revoke({ principal: "ada", until: 2_000_000 }),
        () => revocations.revoke({ principal: "ada", until: 1 }),
      );
      now = 2_000_000;
      return revocations.isRevoked({ principal: "ada" });
    },
    true,
  ],
];

/** Uses a credential exclusively for some turns. */
function use(store: SharedCredentials, used: string[], name: string): () => Promise<void> {
  return () =>
    store.exclusively("key", async () => {
      used.push(`${name} begins`);
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      used.push(`${name} ends`);
    });
}

test.each(pairs)("a store at two operations of one principal: %s", async (_, run, expected) => {
  expect(await run()).toEqual(expected);
});

describe("a store without shares", () => {
  test("a ledger keeps the steps of two tasks apart, although they have the same names", async () => {
    const ledger = new MemoryLedger();
    const tokens = await both(
      () => Reflect.get(ledger.begin("ada's", "pay", 1), "token"),
      () => Reflect.get(ledger.begin("bob's", "pay", 2), "token"),
    );
    expect(new Set(tokens).size).toBe(2);
    expect(ledger.finish("ada's", "pay", { attempt: 1, outcome: "ada" })).toBe("kept");
    expect(ledger.begin("bob's", "pay", 2)).toMatchObject({ state: "new" });
    ledger.remove("bob's");
    expect(ledger.begin("ada's", "pay", 1)).toMatchObject({ state: "done", outcome: "ada" });
  });

  test("a store of credentials keeps those of two users apart, and neither waits for the other", async () => {
    const engine = await openEngine();
    const [ada, bob] = [
      createSharedCredentials(engine, { owner: "ada" }),
      createSharedCredentials(engine, { owner: "bob" }),
    ];
    await both(
      () => ada.set("key", "ada's"),
      () => bob.set("key", "bob's"),
    );
    await bob.delete("key");
    expect([await ada.get("key"), await bob.get("key")]).toEqual(["ada's", undefined]);
    const used: string[] = [];
    await ada.exclusively("key", use(bob, used, "bob"));
    expect(used).toEqual(["bob begins", "bob ends"]);
  });

  test("a revocation of one principal, or of its token, rejects no other one", async () => {
    const revocations = new RevocationList(() => 0);
    const until = 1_000;
    await both(
      () => revocations.revoke({ principal: "ada", until }),
      () => revocations.revoke({ token: "bob's first", until }),
    );
    const [first, second] = [await toTokenId("bob's first"), await toTokenId("bob's second")];
    const rejected = (principal: string, tokenId: string): boolean => revocations.isRevoked({ principal, tokenId });
    expect([rejected("ada", second), rejected("bob", first), rejected("bob", second)]).toEqual([true, true, false]);
  });
});
