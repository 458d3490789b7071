import { describe, expect, it } from "vitest";
import { createMemoryCluster, type MemoryCluster } from "../../../cluster/memory-engine.ts";
import { findNodeOf } from "../../../cluster/node-name.ts";
import { AccessAttempts, SessionAccesses } from "../../../cluster/session-accesses.ts";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { RequestId } from "../../../runtime/jsonrpc/message.ts";
import type { SharedSessionStore } from "../../../cluster/stores/shared-session-store.ts";
import { override } from "../../kit/override.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";

describe("requests of a session whose store was lost", () => {
  it("a request id that may have been reserved when the store was lost is not used by its repetition (E5)", async () => {
    const attempts = new AccessAttempts();
    const key = { id: "session", owner: undefined };
    const seen: (string | undefined)[] = [];
    const access = (isLost: boolean, reserve: readonly number[] = [1]): Promise<void> =>
      attempts.perform(key, reserve, async (attempt) => {
        seen.push(attempt);
        if (isLost) throw new EngineError("lost");
      });
    await expect(access(true)).rejects.toThrow("lost");
    await access(false);
    await access(false);
    await access(false, []);
    const [first, repeated, next, none] = seen;
    expect([repeated, next === first, none]).toEqual([first, false, undefined]);
  });

  it.each([
    ["1,000 attempts", 1_000, ["a"]],
    ["4 Mi characters of request ids", 83, Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(500, "x"))],
  ])("a node remembers at most %s whose outcome is unknown", async (_, most, reserve) => {
    const attempts = new AccessAttempts();
    const seen: (string | undefined)[] = [];
    const access = (session: number): Promise<void> =>
      attempts.perform({ id: `session ${session}`, owner: undefined }, reserve, async (attempt) => {
        seen.push(attempt);
        throw new EngineError("lost");
      });
    const sessions = Array.from({ length: most + 1 }, (_none, index) => index);
    for (const session of sessions) await expect(access(session)).rejects.toThrow("lost");
    const [first, second] = seen;
    await expect(access(1)).rejects.toThrow("lost");
    await expect(access(0)).rejects.toThrow("lost");
    expect([seen.at(-2) === second, seen.at(-1) === first]).toEqual([true, false]);
  });
});

describe("requests of a session that have ended", () => {
  const key = { id: "session", owner: undefined };
  const node = "node";

  async function start(wrap: (sessions: SharedSessionStore) => SharedSessionStore = (sessions) => sessions): Promise<{
    clock: ManualClock;
    engine: Engine;
    cluster: MemoryCluster;
    accesses: SessionAccesses;
  }> {
    const clock = new ManualClock();
    const cluster = createMemoryCluster({ clock });
    const engine = cluster.connect();
    await engine.open();
    await engine.sessions.add(key);
    const fail = (thrown: unknown): never => {
      throw thrown;
    };
    const accesses = new SessionAccesses({ sessions: wrap(engine.sessions), clock, nodeName: () => node, fail });
    await accesses.access(key, { reserve: [1] });
    return { clock, engine, cluster, accesses };
  }

  it.each([
    ["a short id", "a".repeat(42)],
    ["a number", Number.MAX_SAFE_INTEGER],
    ["a long id", "a".repeat(43)],
    ["the longest id", "a".repeat(512)],
    ["a long id with a lone surrogate", `${"a".repeat(100)}\ud800`],
  ])(
    "%s of a session is found, used and released as it was given, and stored in at most 43 characters",
    async (_, id) => {
      const stored: RequestId[] = [];
      const { engine, accesses } = await start((sessions) =>
        override(sessions, {
          access: (of, access) => (
            stored.push(...(access.reserve ?? []), ...(access.ended ?? [])),
            sessions.access(of, access)
          ),
        }),
      );
      const others = ["a".repeat(44), `${"a".repeat(100)}\ud801`];
      const cancelled = { kind: "notification", method: "notifications/cancelled", params: { requestId: id } } as const;
      const findNode = () => findNodeOf(cancelled, { key, isRunning: () => false }, engine.sessions);
      expect((await accesses.access(key, { reserve: [id, id, ...others] }))?.used).toEqual([]);
      expect(await findNode()).toBe(node);
      expect((await accesses.access(key, { reserve: [id, 2, ...others] }))?.used).toEqual([id, ...others]);
      accesses.end(key, [id]);
      expect((await accesses.access(key, { reserve: [id] }))?.used).toEqual([id]);
      expect(await findNode()).toBeUndefined();
      expect(stored.filter((of) => `${of}`.length > 43)).toEqual([]);
    },
  );

  it("an id that another node has reserved for the same node is used, and one of a lost access is not", async () => {
    const { engine, accesses } = await start();
    let isLost = false;
    const sessions = override(engine.sessions, {
      async access(of, access) {
        const found = await engine.sessions.access(of, access);
        if (isLost) throw new EngineError("lost");
        return found;
      },
    });
    const clock = new ManualClock();
    const relaying = new SessionAccesses({ sessions, clock, nodeName: () => "another", fail: () => {} });
    expect((await relaying.access(key, { reserve: [1, 2], node }))?.used).toEqual([1]);
    expect(await engine.sessions.findNode(key, 2)).toBe(node);
    expect((await accesses.access(key, { reserve: [1, 2, 3] }))?.used).toEqual([1, 2]);
    isLost = true;
    await expect(relaying.access(key, { reserve: [4], node })).rejects.toThrow("lost");
    isLost = false;
    expect((await relaying.access(key, { reserve: [4], node }))?.used).toEqual([]);
    expect((await relaying.access(key, { reserve: [4], node }))?.used).toEqual([4]);
  });

  it("their end is stored with the next access to the session", async () => {
    const { engine, accesses } = await start();
    accesses.end(key, [1]);
    expect(await engine.sessions.findNode(key, 1)).toBe(node);
    await accesses.access(key, { reserve: [2] });
    expect(await engine.sessions.findNode(key, 1)).toBeUndefined();
    expect(await engine.sessions.findNode(key, 2)).toBe(node);
  });

  it("their end is stored after a moment without an access", async () => {
    const { clock, engine, accesses } = await start();
    accesses.end(key, [1]);
    await clock.pass(1_000);
    expect(await engine.sessions.findNode(key, 1)).toBeUndefined();
  });

  it("their end is stored by a later access when one has failed", async () => {
    const { engine, cluster, accesses } = await start();
    accesses.end(key, [1]);
    cluster.lose();
    await expect(accesses.access(key, {})).rejects.toThrow(EngineError);
    cluster.restore();
    await accesses.access(key, {});
    expect(await engine.sessions.findNode(key, 1)).toBeUndefined();
  });
});
