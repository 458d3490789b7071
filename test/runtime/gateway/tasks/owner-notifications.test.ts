import { afterEach, expect, test } from "vitest";
import { knownExtensions, withExtensions } from "../../../../runtime/gateway/extensions.ts";
import { OwnerNotifications } from "../../../../runtime/gateway/tasks/task-notifications.ts";
import type { Listener } from "../../../../runtime/gateway/upstream/upstream.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { meta } from "../../../kit/messages.ts";
import { createCall } from "../../../kit/calls.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";

/* The connections on which a server notifies of the tasks of clients: how many there are, and how long they stay open. */

const [revision = statelessRevision] = withExtensions([statelessRevision], knownExtensions);
const server = createServer({ name: "a", version: "1" }, [statelessRevision]);

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Subscribing {
  readonly signal: AbortSignal;
  onId(id: number): void;
}

/** Creates notifications of a server that knows all tasks. */
function create(isKept: boolean) {
  const counts = { opened: 0, closed: 0 };
  let ids = 0;
  const open = async (listener: Listener) => {
    counts.opened += 1;
    const connection = {
      closed: new Promise(() => {}),
      request(_row: unknown, { notifications }: { notifications: object }, { signal, onId }: Subscribing) {
        ids += 1;
        onId(ids);
        const acknowledged = { notifications, _meta: { [meta.subscription]: ids } };
        queueMicrotask(() => listener.notify("subscriptionsAcknowledged", acknowledged));
        return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    };
    const close = async (): Promise<void> => void (counts.closed += 1);
    return Object.create({ revision, connection, close });
  };
  let key = "a";
  const notifications = new OwnerNotifications({ notify() {}, connectionOf: () => ({ key, isKept, open }) });
  ends.push(() => notifications.close());
  const subscribe = async (owner = "a"): Promise<AbortController> => {
    key = owner;
    const stop = new AbortController();
    const { honoured } = await notifications.watch(createCall(server, revision, { signal: stop.signal }), ["t"]);
    expect(honoured).toEqual(["t"]);
    return stop;
  };
  return { counts, subscribe, notifications };
}

test("a connection is closed when its last subscriber leaves, and opened again for the next one", async () => {
  const { counts, subscribe } = create(false);
  const [first, second] = [await subscribe(), await subscribe()];
  expect(counts).toEqual({ opened: 1, closed: 0 });
  first.abort();
  await settle();
  expect(counts).toEqual({ opened: 1, closed: 0 });
  second.abort();
  await settle();
  expect(counts).toEqual({ opened: 1, closed: 1 });
  await subscribe();
  expect(counts).toEqual({ opened: 2, closed: 1 });
});

test("a kept connection stays open without subscribers, until the gateway closes", async () => {
  const { counts, subscribe, notifications } = create(true);
  for (const stop of [await subscribe(), await subscribe()]) stop.abort();
  await settle();
  await subscribe();
  expect(counts).toEqual({ opened: 1, closed: 0 });
  await notifications.close();
  expect(counts).toEqual({ opened: 1, closed: 1 });
});

test("clients that the server distinguishes have connections of their own", async () => {
  const { counts, subscribe } = create(false);
  const first = await subscribe("a");
  await subscribe("b");
  expect(counts).toEqual({ opened: 2, closed: 0 });
  first.abort();
  await settle();
  expect(counts).toEqual({ opened: 2, closed: 1 });
});

test("a call that was cancelled before subscribes to nothing", async () => {
  const { counts, notifications } = create(false);
  const watched = await notifications.watch(createCall(server, revision, { signal: AbortSignal.abort() }), ["t"]);
  expect(watched).toMatchObject({ honoured: [], ended: { aborted: true } });
  expect(counts).toEqual({ opened: 0, closed: 0 });
});
