import { createServer } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { joinCluster } from "../../../../cluster/cluster.ts";
import { createMemoryCluster } from "../../../../cluster/memory-engine.ts";
import { listenHttp } from "../../../../runtime/transport/http-server/listen.ts";

vi.mock("node:http", async (load) => {
  const original: typeof import("node:http") = await load();
  return { ...original, createServer: vi.fn(original.createServer) };
});

const service = { revisions, accept: () => expect.unreachable("No message was sent"), readParamHeaders: () => [] };

test.each([
  [{}, 1_000],
  [{ headersTimeout: 60 }, 60],
  [{ requestTimeout: 60 }, 60],
  [{ requestTimeout: 0 }, 1_000],
  [{ headersTimeout: 0, requestTimeout: 0 }, 1_000],
])("late requests are searched for no more often than their limits need: %j", async (options, interval) => {
  const listener = await listenHttp(service, options);
  onTestFinished(() => listener.close());
  expect(vi.mocked(createServer).mock.lastCall?.[0]).toMatchObject({ connectionsCheckingInterval: interval });
});

test.each([
  ["a single server", {}, 5_000],
  ["a server with a time of its own", { keepAliveTimeout: 60_000 }, 60_000],
])("%s closes idle connections", async (_name, options, keepAliveTimeout) => {
  const listener = await listenHttp(service, options);
  onTestFinished(() => listener.close());
  expect(vi.mocked(createServer).mock.lastCall?.[0]).toMatchObject({ keepAliveTimeout });
});

test("a node of a cluster keeps idle connections for longer than load balancers do", async () => {
  const cluster = await joinCluster(createMemoryCluster().connect(), { keys: [new Uint8Array(32).fill(1)] });
  const listener = await listenHttp(service, { cluster });
  onTestFinished(() => listener.close());
  expect(vi.mocked(createServer).mock.lastCall?.[0]).toMatchObject({ keepAliveTimeout: 75_000 });
});
