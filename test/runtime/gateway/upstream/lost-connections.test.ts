import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject } from "../../../../generated/support.ts";
import { connect, type ClientConnection } from "../../../../runtime/client/connect.ts";
import type { ConnectionFactory } from "../../../../runtime/client/connection-factory.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../../../../runtime/gateway/gateway.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { serve } from "../../../../runtime/server/run/acceptor.ts";
import { TaskManager } from "../../../../runtime/tasks/task-manager.ts";
import { createInMemoryTransports } from "../../../../runtime/transport/memory.ts";
import { statelessRevision, newest } from "../../../kit/revisions.ts";
import { joinGateway } from "../connect-client.ts";

/* Connections to a server that end, and how a gateway ends all of them. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Opened {
  readonly gateway: Gateway;
  /** Connections to the server, in the order in which they were opened. */
  readonly connections: readonly ClientConnection[];
}

async function open(
  more: Partial<GatewayOptions> = {},
  opening: (options: Parameters<ConnectionFactory>[0]) => void = () => {},
): Promise<Opened> {
  const connections: ClientConnection[] = [];
  const task = { support: "required", pollInterval: 5 } as const;
  const tools = [{ name: "quick", task, execute: () => "done" }];
  const server = createServer({ name: "ours", version: "1", tools, onError: () => {} }, [statelessRevision]);
  const gateway = await createGateway(
    async (options) => {
      opening(options);
      const [near, far] = createInMemoryTransports();
      serve(server, far);
      const connection = await connect(near, options);
      connections.push(connection);
      return connection;
    },
    { revisions, tasks: { pollInterval: 5 }, ...more },
  );
  return { gateway, connections };
}

function readText(result: unknown): unknown {
  const [block]: readonly unknown[] = isObject(result) && Array.isArray(result.content) ? result.content : [];
  return isObject(block) ? block.text : undefined;
}

test("a session calls tools that only run as tasks again after the connection for them was lost", async () => {
  const { gateway, connections } = await open();
  ends.push(() => gateway.close());
  const client = await joinGateway(gateway, newest);
  ends.push(() => client.close());
  const call = { name: "quick", arguments: {} };
  expect(readText(await client.request("tools/call", call))).toBe("done");
  const count = connections.length;
  await connections.at(-1)?.close();
  expect(readText(await client.request("tools/call", call))).toBe("done");
  expect(readText(await client.request("tools/call", call))).toBe("done");
  expect(connections).toHaveLength(count + 1);
});

test("a gateway closes all connections to the server although something else cannot be closed", async () => {
  const { gateway, connections } = await open();
  const client = await joinGateway(gateway, newest);
  await client.request("tools/call", { name: "quick", arguments: {} });
  const close = vi.spyOn(TaskManager.prototype, "close").mockRejectedValue(new Error("The store is away"));
  onTestFinished(() => close.mockRestore());
  await expect(gateway.close()).rejects.toThrow("The store is away");
  expect(connections.length).toBeGreaterThan(2);
  await Promise.all(connections.map(({ closed }) => closed));
  await client.closed;
});

test("a connection that is being opened when its gateway is closed is given up for that reason", async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const { gateway } = await open({}, ({ signal }) => void signals.push(signal));
  await gateway.close();
  expect(signals).toMatchObject([
    { aborted: true, reason: { name: "ClosedError", message: "The gateway is closing" } },
  ]);
});

test("a gateway whose signal is aborted opens no further connections to the server", async () => {
  const ended = new AbortController();
  const { gateway, connections } = await open({ signal: ended.signal });
  ends.push(() => gateway.close());
  const client = await joinGateway(gateway, newest);
  ends.push(() => client.close());
  ended.abort(new Error("The program ends"));
  await expect(client.request("tools/list", {})).rejects.toThrow();
  expect(connections).toHaveLength(1);
  await expect(open({ signal: ended.signal })).rejects.toThrow("The program ends");
});
