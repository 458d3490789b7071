import { expect, test } from "vitest";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { SharedEventStore } from "../../../cluster/stores/shared-event-store.ts";
import { sendToListener } from "../../../cluster/streams/send-to-listener.ts";
import { override } from "../../kit/override.ts";
import { createRecord, firstNode, key, secondNode } from "../contract/cluster.ts";

const stream = "first000000000";

interface Sent {
  readonly engine: Engine;
  /** Nodes to which the message was sent. */
  readonly nodes: readonly string[];
  /** Fences with which the sender became the writer of the stream. */
  readonly fences: readonly number[];
  /** Number of adoptions that were attempted. */
  readonly adoptions: number;
  /** Error of the sender, as text. */
  readonly problem: string | undefined;
}

/** Sends a message by the second node to a stream that a node writes, or to none. */
async function send(
  writer: string | undefined,
  outcome: "sent" | "absent",
  change: (count: number) => Partial<SharedEventStore> = () => ({}),
): Promise<Sent> {
  const engine = createMemoryCluster().connect();
  await engine.open();
  await engine.sessions.add(createRecord(key.id, key.owner));
  if (writer !== undefined) {
    await engine.events.append(key, { stream, owner: writer, fence: 0, first: 0, data: ["before"] });
    await engine.sessions.change(key, { listener: { node: writer, stream, fence: 0 } });
  }
  const [nodes, fences]: [string[], number[]] = [[], []];
  let adoptions = 0;
  const plain = override(engine.events);
  const events = override(engine.events, {
    adopt(session, adoption) {
      adoptions += 1;
      return (change(adoptions).adopt ?? plain.adopt)(session, adoption);
    },
    append: (session, append) => (change(adoptions).append ?? plain.append)(session, append),
  });
  const problem = await sendToListener(key, "message", {
    engine: { sessions: engine.sessions, events },
    name: secondNode,
    send: async (node, message) => (nodes.push(`${node} ${message.kind}`), outcome),
    registerListener: (listener) => fences.push(listener.fence),
  }).then(() => undefined, String);
  return { engine, nodes, fences, adoptions, problem };
}

async function textsOf({ engine }: Sent): Promise<readonly string[] | undefined> {
  return (await engine.events.read(key, { stream, sequence: -1 }))?.events.map(({ data }) => data);
}

const noStream = "The client has no open stream for server requests";

test("a message for a stream of another node is sent to this node, and not stored here", async () => {
  const sent = await send(firstNode, "sent");
  expect([sent.nodes, sent.fences, sent.problem]).toEqual([[`${firstNode} send`], [], undefined]);
  expect(await textsOf(sent)).toEqual(["before"]);
});

test.each([
  ["of a node that has stopped", firstNode, [`${firstNode} send`]],
  ["of its own", secondNode, []],
])("a message for a stream %s is stored by a node that adopts the stream", async (_which, writer, nodes) => {
  const sent = await send(writer, "absent");
  expect([sent.nodes, sent.fences, sent.problem]).toEqual([nodes, [1], undefined]);
  expect(await textsOf(sent)).toEqual(["before", "message"]);
  expect(await sent.engine.events.read(key, { stream, sequence: -1 })).toMatchObject({ owner: secondNode, fence: 1 });
});

test("a message for a session without a stream is rejected", async () => {
  const sent = await send(undefined, "sent");
  expect([sent.nodes, sent.fences, sent.problem]).toEqual([[], [], expect.stringContaining(noStream)]);
});

test("a message is rejected when other nodes take the stream over three times", async () => {
  const sent = await send(firstNode, "absent", () => ({ adopt: () => undefined }));
  expect([sent.adoptions, sent.fences, sent.problem]).toEqual([3, [], expect.stringContaining(noStream)]);
  expect(await textsOf(sent)).toEqual(["before"]);
});

test("a message that is fenced is stored with a later adoption", async () => {
  const sent = await send(firstNode, "absent", (count) =>
    count === 1 ? { adopt: () => ({ fence: 9, next: 1 }), append: () => "fenced" } : {},
  );
  expect([sent.adoptions, sent.fences, sent.problem]).toEqual([2, [9, 1], undefined]);
  expect(await textsOf(sent)).toEqual(["before", "message"]);
});
