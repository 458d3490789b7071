import type { Engine } from "../../../cluster/stores/engine.ts";
import type { SessionKey } from "../../../runtime/stores/session-store.ts";
import type { TaskRecord } from "../../../runtime/stores/task-store.ts";

/** Name of the node that stores. */
export const node = "node000000000";
export const session: SessionKey = { id: "canary-id-session", owner: "canary-id-owner" };
export const stream = { stream: "stream", owner: node, fence: 0 };
const params = { text: "canary-content-params" };
const client = { info: { name: "canary-content-client", version: "1" }, capabilities: {} };
export const task: TaskRecord = {
  id: "canary-id-task",
  owner: session.id,
  principal: "canary-id-owner",
  status: "working",
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
  ttl: 60_000,
  pollInterval: 1_000,
  node,
  attempt: 1,
  lease: 1,
  inputRequests: { name: { method: "canary-content-question" } },
  retry: { revision: "2026-07-28", params, client, identity: { principal: "canary-id-owner" } },
};

/** Stores something of each kind: `canary-id-…` must never be stored in clear, `canary-content-…` not by an engine that encrypts. */
export async function storeAll(engine: Engine): Promise<void> {
  await engine.sessions.add({ ...session, agreement: { revision: "2025-11-25", client } });
  await engine.sessions.access(session, { node, reserve: [1], attempt: "attempt" });
  await engine.sessions.change(session, { logLevel: "info", listener: { node, stream: "stream", fence: 0 } });
  await engine.events.append(session, { ...stream, first: 0, data: ["canary-content-event"], requests: [1] });
  await engine.tasks.add(task);
  const key = { id: task.id, owner: task.owner };
  await engine.tasks.change(key, { updatedAt: task.updatedAt, inputResponses: { name: "canary-content-response" } });
  await engine.ledger.begin("canary-id-work", "step", 1);
  await engine.ledger.finish("canary-id-work", "step", { attempt: 1, outcome: "canary-content-outcome" });
  await engine.replays.add("canary-id-replay", Date.now() + 60_000);
  await engine.rates?.take("canary-id-rate", { burst: 5, perSecond: 1 });
  await engine.revocations?.add({ key: "canary-id-revoked", until: Date.now() + 60_000 });
  await engine.values?.set("canary-id-value", "canary-id-token", 60_000);
  await engine.nodes.renew(node, { milliseconds: 60_000, isNew: true });
  await engine.nodes.receive(node, { message() {}, broadcastReceived() {}, missed() {}, changed() {} });
  await engine.nodes.send(node, { kind: "send", session, text: "canary-content-message" });
  await engine.nodes.send(node, { kind: "task", id: task.id, owner: task.owner });
  await engine.nodes.broadcast({ kind: "revoked", key: "canary-id-revoked", until: 1 });
}

/** Key of an engine. It must never be stored. */
export const engineKey: Uint8Array = Buffer.from("canary-id-key ".repeat(4));

/** Returns the canaries in a text. */
export function findCanaries(text: string): readonly string[] {
  return [...new Set(text.match(/canary-[a-z]+(-[a-z]+)?/g))].sort();
}
