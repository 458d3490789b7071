import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { expect, onTestFinished, test, vi } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { joinCluster } from "../../../../cluster/cluster.ts";
import { createMemoryCluster } from "../../../../cluster/memory-engine.ts";
import { listenHttp } from "../../../../runtime/transport/http-server/listen.ts";

vi.mock("node:http", async (load) => {
  const original: typeof import("node:http") = await load();
  return { ...original, createServer: vi.fn(original.createServer) };
});

vi.mock("node:https", async (load) => {
  const original: typeof import("node:https") = await load();
  return { ...original, createServer: vi.fn(original.createServer) };
});

const service = { revisions, accept: () => expect.unreachable("No message was sent"), readParamHeaders: () => [] };

test.each([
  [{}, [10_000, 30_000, 1_000]],
  [{ headersTimeout: 60 }, [60, 30_000, 60]],
  [{ requestTimeout: 60 }, [60, 60, 60]],
  [{ requestTimeout: 60_000 }, [10_000, 60_000, 1_000]],
  [{ requestTimeout: 0 }, [10_000, 0, 1_000]],
  [{ headersTimeout: 0, requestTimeout: 0 }, [0, 0, 1_000]],
])("late requests are rejected, and searched for no more often than their limits need: %j", async (options, times) => {
  const listener = await listenHttp(service, options);
  onTestFinished(() => listener.close());
  const [headersTimeout, requestTimeout, connectionsCheckingInterval] = times;
  expect(vi.mocked(createServer).mock.lastCall?.[0]).toMatchObject({
    headersTimeout,
    requestTimeout,
    connectionsCheckingInterval,
  });
});

const certificates = new URL("../../auth/server/certificates/", import.meta.url);
const tls = {
  key: readFileSync(new URL("server.key", certificates)),
  cert: readFileSync(new URL("server.crt", certificates)),
};

test.each([
  ["as long as the headers of a request by default", {}, 10_000],
  ["as long as the headers of a request", { headersTimeout: 60 }, 60],
  [
    "as long as Node permits, without a limit for the headers",
    { headersTimeout: Infinity, requestTimeout: 0 },
    2 ** 31 - 1,
  ],
  ["as long as its own limit", { tls: { ...tls, handshakeTimeout: 70 } }, 70],
])("a TLS handshake may take %s", async (_name, options, handshakeTimeout) => {
  const listener = await listenHttp(service, { tls, ...options });
  onTestFinished(() => listener.close());
  expect(vi.mocked(createSecureServer).mock.lastCall?.[0]).toMatchObject({ handshakeTimeout });
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
