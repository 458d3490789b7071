import { expect, onTestFinished, test } from "vitest";
import { createMemoryCluster, type MemoryCluster } from "../../../cluster/memory-engine.ts";
import { ClusterNode } from "../../../cluster/cluster-node.ts";
import type { SessionKey } from "../../../runtime/stores/session-store.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import { unknownSession } from "../../../runtime/transport/http-server/rejection.ts";
import { SessionSearches } from "../../../runtime/transport/session-searches.ts";
import type { LiveSessions, LiveStream } from "../../../runtime/transport/http-server/session/session-directory.ts";

const lease = 6_000;

interface TwoClusterNodes {
  readonly clock: ManualClock;
  readonly memory: MemoryCluster;
  readonly first: ClusterNode;
  readonly second: ClusterNode;
  /** Session of HTTP with SSE whose stream is at the first node. */
  readonly key: SessionKey;
  /** Messages that the first node has received for the session. */
  readonly received: unknown[];
}

/** Starts two nodes which have held their leases for a while. */
async function startNodes(): Promise<TwoClusterNodes> {
  const clock = new ManualClock();
  const memory = createMemoryCluster({ clock });
  const received: unknown[] = [];
  const create = async (): Promise<ClusterNode> => {
    const engine = memory.connect();
    await engine.open();
    return new ClusterNode({ engine, clock, lease, maxUnstoredSize: Infinity, fail() {} });
  };
  const [first, second] = [await create(), await create()];
  const key = { id: `session.${first.name}`, owner: "ada" };
  const stream: LiveStream = {
    key,
    get connection(): never {
      throw new Error("no connection is needed");
    },
    receive: (value) => void received.push(value),
  };
  const noSessions: LiveSessions = {
    revisions: [],
    settings: { retry: 0, polling: true, maxStreamBytes: 0, metrics: undefined, clock },
    isClosed: false,
    findLive: () => undefined,
    findRevision: () => undefined,
    searches: new SessionSearches(),
    continue: () => undefined,
    use: async () => undefined,
    deliver: () => undefined,
    rejectClosed: unknownSession,
    end: async () => {},
    acceptStateless: () => undefined,
    adopt() {},
  };
  first.start(noSessions, new Map([[key.id, stream]]));
  second.start(noSessions, new Map());
  await clock.pass(lease);
  onTestFinished(async () => {
    await first.leave();
    await second.leave();
  });
  return { clock, memory, first, second, key, received };
}

test("a message to a node reaches it after an outage of the engine that has ended all leases", async () => {
  const { clock, memory, second, key, received } = await startNodes();
  memory.lose();
  await clock.pass(lease + 1_000);
  memory.restore();
  const sent = second.forwardPost(key, { value: "after the outage", identity: undefined });
  await clock.pass(lease / 2);
  expect(await sent).toBe(true);
  expect(received).toEqual(["after the outage"]);
});

test("a message to a node that has stopped is not sent, at once without an outage and within a lease after one", async () => {
  const { clock, memory, first, second, key } = await startNodes();
  await first.leave();
  expect(await second.forwardPost(key, { value: 1, identity: undefined })).toBe(false);
  memory.lose();
  await clock.pass(lease + 1_000);
  memory.restore();
  const sent = second.forwardPost(key, { value: 2, identity: undefined });
  await clock.pass(lease);
  expect(await sent).toBe(false);
});

test("a node takes over no tasks until it has held its lease for half of its duration after an outage", async () => {
  const { clock, memory, second } = await startNodes();
  expect(second.tasks.canTakeOver).toBe(true);
  memory.lose();
  await clock.pass(lease + 1_000);
  memory.restore();
  expect(second.tasks.canTakeOver).toBe(false);
  await clock.pass(lease / 3);
  expect(second.tasks.canTakeOver).toBe(false);
  await clock.pass(lease);
  expect(second.tasks.canTakeOver).toBe(true);
});
