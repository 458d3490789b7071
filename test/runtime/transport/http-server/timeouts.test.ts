import { createServer } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { listenHttp } from "../../../../runtime/transport/http-server/listen.ts";

vi.mock("node:http", async (load) => {
  const original: typeof import("node:http") = await load();
  return { ...original, createServer: vi.fn(original.createServer) };
});

test.each([
  [{}, 1_000],
  [{ headersTimeout: 60 }, 60],
  [{ requestTimeout: 60 }, 60],
  [{ requestTimeout: 0 }, 1_000],
  [{ headersTimeout: 0, requestTimeout: 0 }, 1_000],
])("late requests are searched for no more often than their limits need: %j", async (options, interval) => {
  const service = { revisions, accept: () => expect.unreachable("No message was sent") };
  const listener = await listenHttp(service, options);
  onTestFinished(() => listener.close());
  expect(vi.mocked(createServer).mock.lastCall?.[0]).toMatchObject({ connectionsCheckingInterval: interval });
});
