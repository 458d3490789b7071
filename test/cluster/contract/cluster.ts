import { onTestFinished } from "vitest";
import type { EngineLimits } from "../../../cluster/engine-limits.ts";
import type { PeerInfo } from "../../../runtime/protocol/session/session.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { NodeReceiver } from "../../../cluster/stores/node-directory.ts";
import type { SessionKey, SessionRecord } from "../../../runtime/stores/session-store.ts";
import type { EngineFixture, TestCluster } from "../engine-fixture.ts";

/** Cluster of a test, with the engines of two nodes. */
export interface TwoNodes {
  readonly cluster: TestCluster;
  readonly first: Engine;
  readonly second: Engine;
}

/** Starts a cluster with two nodes, which ends with the test. */
export async function startTwoNodes(fixture: EngineFixture, limits?: Partial<EngineLimits>): Promise<TwoNodes> {
  const cluster = await fixture.start(limits);
  onTestFinished(() => cluster.stop());
  return { cluster, first: await cluster.connect(), second: await cluster.connect() };
}

/** Returns a receiver of a node, and the kinds of everything that it has received. */
export function recordKinds(): { readonly receiver: NodeReceiver; readonly kinds: readonly string[] } {
  const kinds: string[] = [];
  const receiver: NodeReceiver = {
    message: ({ kind }) => void kinds.push(kind),
    broadcastReceived: ({ kind }) => void kinds.push(kind),
    missed: () => void kinds.push("missed"),
    changed: () => void kinds.push("changed"),
  };
  return { receiver, kinds };
}

/** Names of the two nodes. */
export const firstNode = "first00000000";
export const secondNode = "second0000000";

/** Returns the record of a session. */
export function createRecord(id: string, owner: string | undefined = "ada"): SessionRecord {
  return { id, owner, agreement: { revision: "a revision", client: createClient("client") } };
}

/** Returns the client of a session. */
export function createClient(name: string): PeerInfo {
  return { info: { name, version: "1.0.0" }, capabilities: { roots: { listChanged: true } } };
}

/** Key of the session of most tests. */
export const key: SessionKey = { id: "5b1f7d3c", owner: "ada" };

/** Keys with the right id and a wrong owner. */
export const strangers: readonly SessionKey[] = [
  { id: key.id, owner: "bob" },
  { id: key.id, owner: undefined },
  { id: key.id, owner: "" },
  { id: key.id, owner: "ada " },
];
