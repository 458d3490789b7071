import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../generated/support.ts";
import { connect } from "../../../runtime/client/connect.ts";
import type { ConnectionFactoryOptions } from "../../../runtime/client/connection-factory.ts";
import { createGateway } from "../../../runtime/gateway/gateway.ts";
import { observeChannel } from "../../../runtime/gateway/traffic/observe-channel.ts";
import { LostNotifications } from "../../../runtime/gateway/upstream/lost-notifications.ts";
import { PeerError } from "../../../runtime/jsonrpc/errors.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { LostError } from "../../../runtime/transport/http-client/errors.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { joinGateway } from "./connect-client.ts";

/* A server that no longer sends notifications, while the gateway can still send requests to it. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function createUpstream(revision: Revision): Server {
  const tools = [{ name: "a", execute: () => "a" }];
  return createServer({ name: "news", version: "1", listChanged: true, tools }, [revision]);
}

test.each([
  ["without sessions", statelessRevision],
  ["with sessions", newest],
])("a server %s that is restarted is listened to again, and its lists are reported as changed", async (_, revision) => {
  let server = createUpstream(revision);
  let listener = await serveHttp(server, { port: 0 });
  ends.push(() => listener.close());
  const { url } = listener;
  const gateway = await createGateway({ kind: "url", url }, { revisions });
  ends.push(() => gateway.close());

  const received = new Set<string>();
  const join = async (name: string, spoken: Revision): ReturnType<typeof joinGateway> => {
    const client = await joinGateway(gateway, spoken, { handlers: { toolListChanged: () => void received.add(name) } });
    ends.push(() => client.close());
    return client;
  };
  const stateless = await join("stateless", statelessRevision);
  stateless.request("subscriptions/listen", { notifications: { toolsListChanged: true } }).catch(() => {});
  await join("idle", newest);
  await (await join("session", newest)).request("tools/list", {});
  const all = ["idle", "session", "stateless"];
  await expect
    .poll(() => {
      server.tools.notifyListChanged();
      return [...received].sort();
    })
    .toEqual(all);

  await listener.close();
  received.clear();
  server = createUpstream(revision);
  listener = await serveHttp(server, { port: Number(new URL(url).port) });
  await expect.poll(() => [...received].sort()).toEqual(all);
  received.clear();
  server.tools.notifyListChanged();
  await expect.poll(() => [...received].sort()).toEqual(all);
});

/** Opens a gateway whose connection to the server reports that notifications are lost, for a reason. */
async function lose(
  reason: Error,
): Promise<{ readonly pings: readonly unknown[]; readonly received: readonly string[] }> {
  const pings: unknown[] = [];
  const notified: string[] = [];
  const opened: ConnectionFactoryOptions[] = [];
  const server = createUpstream(newest);
  const gateway = await createGateway(
    (options) => {
      opened.push(options);
      const [near, far] = createInMemoryTransports();
      const received = (message: unknown): void => {
        if (isObject(message) && message.method === "ping") pings.push(message);
      };
      serve(server, observeChannel(far, { sent() {}, received, unreadable() {} }));
      return connect(near, options);
    },
    { revisions },
  );
  ends.push(() => gateway.close());
  const handlers = { toolListChanged: () => void notified.push("tools") };
  const client = await joinGateway(gateway, newest, { handlers });
  ends.push(() => client.close());
  opened[0]?.onNotificationsLost(reason);
  return { pings, received: notified };
}

test("a lost stream is opened again by a request; one that the server does not offer is not", async () => {
  const rejected = await lose(new Error("The server offers no stream"));
  const lost = await lose(new LostError("The stream could not be resumed"));
  await expect.poll(() => lost.received).toEqual(["tools"]);
  expect(lost.pings).toHaveLength(1);
  expect(rejected).toEqual({ pings: [], received: [] });
});

test("changes are reported again when the stream of a new session opens", async () => {
  const opened: ConnectionFactoryOptions[] = [];
  const received: string[] = [];
  const gateway = await createGateway(
    (options) => {
      opened.push(options);
      const [near, far] = createInMemoryTransports();
      serve(createUpstream(newest), far);
      return connect(near, options);
    },
    { revisions },
  );
  ends.push(() => gateway.close());
  const client = await joinGateway(gateway, newest, {
    handlers: { toolListChanged: () => void received.push("tools") },
  });
  ends.push(() => client.close());
  opened[0]?.onNewSession();
  await expect.poll(() => received).toEqual(["tools"]);
  opened[0]?.onNotificationsOpened?.();
  await expect.poll(() => received).toEqual(["tools", "tools"]);
  opened[0]?.onNotificationsOpened?.();
  await client.request("tools/list", {});
  expect(received).toHaveLength(2);
});

/** Restores notifications. Each attempt to open the stream has the next outcome. */
function restore(outcomes: readonly (Error | undefined | "lost" | "ended")[]) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const ended = new AbortController();
  const onRestored = vi.fn();
  let attempts = 0;
  const notifications = new LostNotifications({
    ended: ended.signal,
    async open() {
      const outcome = outcomes[attempts];
      attempts += 1;
      if (outcome === "lost") notifications.restore();
      if (outcome === "ended") ended.abort();
      return outcome instanceof Error ? outcome : undefined;
    },
    onRestored,
  });
  notifications.restore();
  return { notifications, onRestored, ended, attempts: () => attempts };
}

const away = new LostError("The stream could not be resumed");
const rejected = new PeerError({ code: -32601, message: "Method not found" });

test.each<readonly [string, Parameters<typeof restore>[0], { attempts: number; restored: number }]>([
  ["at the first attempt", [undefined], { attempts: 1, restored: 1 }],
  ["at the third attempt, after two that fail", [away, away, undefined], { attempts: 3, restored: 1 }],
  ["at the second attempt, after a loss during the first", ["lost", undefined], { attempts: 2, restored: 1 }],
  ["not at all when the server rejects it", [rejected], { attempts: 1, restored: 0 }],
  ["not at all when the connection ends", ["ended"], { attempts: 1, restored: 0 }],
])("lost notifications are restored %s", async (_when, outcomes, expected) => {
  const { onRestored, attempts } = restore(outcomes);
  await vi.advanceTimersByTimeAsync(60_000);
  expect({ attempts: attempts(), restored: onRestored.mock.calls.length }).toEqual(expected);
});

test.each([
  ["restored", undefined, 2],
  ["rejected", rejected, 1],
])("notifications that are lost after they were %s are restored once more", async (_how, first, restored) => {
  const { notifications, onRestored, attempts } = restore([first, undefined]);
  notifications.restore();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(attempts()).toBe(1);
  notifications.restore();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([attempts(), onRestored.mock.calls.length]).toEqual([2, restored]);
});

test("attempts to restore notifications are delayed by half a second, and longer if what was restored has not lasted", async () => {
  const { notifications, attempts } = restore([undefined, undefined, undefined]);
  const pass = async (milliseconds: number): Promise<number> => {
    await vi.advanceTimersByTimeAsync(milliseconds);
    return attempts();
  };
  expect([await pass(499), await pass(1)]).toEqual([0, 1]);
  notifications.restore();
  expect([await pass(999), await pass(1)]).toEqual([1, 2]);
  await pass(10_000);
  notifications.restore();
  expect([await pass(499), await pass(1)]).toEqual([2, 3]);
});

test("lost notifications are not restored when the connection has ended before the attempt", async () => {
  const { ended, onRestored, attempts } = restore([undefined]);
  ended.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([attempts(), onRestored.mock.calls.length]).toEqual([0, 0]);
});
