import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { isObject } from "../../../generated/support.ts";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { until } from "../../kit/time.ts";
import type { Stream } from "../../kit/http-exchange.ts";
import { override } from "../../kit/override.ts";
import { startServerNodes, type ServerNodes } from "./server-nodes.ts";

/*
 * A client subscribes at one node, its stream is at another, and the engine fails for a moment. A subscription that the client knows to be accepted is
 * notified all the same.
 */

/** Operations that nodes use to share the state of a session. */
type Operation = "access" | "change" | "findNodes" | "send";

/** Node and operation that fails, and the number of times that it still fails. */
interface Failure {
  readonly node: number;
  readonly operation: Operation;
  left: number;
}

let nodes: ServerNodes | undefined;

afterEach(async () => {
  await nodes?.close();
  nodes = undefined;
});

const uri = "note://a";

/** Starts nodes whose engines fail as the failure says at that time. */
async function begin(failure: Failure): Promise<ServerNodes> {
  nodes = await startServerNodes(
    () => ({ name: "demo", version: "1", subscribe: true, resources: [{ uri, name: "a", read: () => "text" }] }),
    { toEngine: (engine, node) => failWhile(engine, (operation) => isDue(failure, node, operation)) },
  );
  return nodes;
}

function isDue(failure: Failure, node: number, operation: Operation): boolean {
  if (failure.left === 0 || failure.node !== node || failure.operation !== operation) return false;
  failure.left -= 1;
  return true;
}

function failWhile(engine: Engine, isFailing: (operation: Operation) => boolean): Engine {
  const { sessions, nodes: directory } = engine;
  const check = (operation: Operation): void => {
    if (isFailing(operation)) throw new EngineError("The engine does not respond");
  };
  return override(engine, {
    sessions: override(sessions, {
      async access(...args) {
        check("access");
        return sessions.access(...args);
      },
      async change(...args) {
        check("change");
        return sessions.change(...args);
      },
      async findNodes(...args) {
        check("findNodes");
        return sessions.findNodes(...args);
      },
    }),
    nodes: override(directory, {
      async send(...args) {
        check("send");
        return directory.send(...args);
      },
    }),
  });
}

async function subscribe(all: ServerNodes, headers: Record<string, string>, id: number): Promise<string> {
  return (await all.send(0, { headers, body: { jsonrpc: "2.0", id, method: "resources/subscribe", params: { uri } } }))
    .text;
}

/** Notifications that have come on a stream. */
function updatesOf({ messages }: Stream): readonly unknown[] {
  return messages.filter((message) => isObject(message) && message.method === "notifications/resources/updated");
}

async function expectUpdates(stream: Stream, count: number): Promise<void> {
  await until(() => updatesOf(stream).length >= count, `${count} updates`);
  await delay(40);
  expect(updatesOf(stream)).toHaveLength(count);
}

it("a node that cannot read a changed subscription reads it again, and notifies the client of what was missed", async () => {
  const failure: Failure = { node: 1, operation: "access", left: 0 };
  const all = await begin(failure);
  const headers = await all.open();
  const stream = await all.listen(1, headers);
  await delay(40);
  failure.left = 2;
  expect(await subscribe(all, headers, 1)).toContain('"result":{}');
  all.server(2).resources.notifyUpdated(uri);
  await expectUpdates(stream, 1);
  all.server(2).resources.notifyUpdated(uri);
  await expectUpdates(stream, 2);
});

it("a node that cannot register the stream of a client does so later, and notifies the client of what was missed", async () => {
  const failure: Failure = { node: 1, operation: "change", left: 2 };
  const all = await begin(failure);
  const headers = await all.open();
  const stream = await all.listen(1, headers);
  await delay(40);
  expect(await subscribe(all, headers, 1)).toContain('"result":{}');
  all.server(2).resources.notifyUpdated(uri);
  await expectUpdates(stream, 1);
  all.server(2).resources.notifyUpdated(uri);
  await expectUpdates(stream, 2);
});

it.each(["findNodes", "send"] as const)(
  "a subscription that the other nodes cannot be notified of is rejected (%s)",
  async (operation) => {
    const failure: Failure = { node: 0, operation, left: 0 };
    const all = await begin(failure);
    const headers = await all.open();
    const stream = await all.listen(1, headers);
    await delay(40);
    failure.left = 1;
    expect(await subscribe(all, headers, 1)).toContain("The session store cannot be reached; retry later");
    expect(await subscribe(all, headers, 2)).toContain('"result":{}');
    all.server(2).resources.notifyUpdated(uri);
    await expectUpdates(stream, 1);
  },
);
