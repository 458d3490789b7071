import { expect, test } from "vitest";
import { ResourceSubscriptions } from "../../../../runtime/client/subscriptions/resource-subscriptions.ts";

/* Subscriptions of single resources that were lost and are resumed, while a request about them is pending. */

interface Sent {
  readonly request: string;
  accept(value?: unknown): void;
}

function create(): { readonly subscriptions: ResourceSubscriptions; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const subscriptions = new ResourceSubscriptions({
    send: (handler, uri) => new Promise((accept) => sent.push({ request: `${handler} ${uri}`, accept })),
    fail: (error) => expect.unreachable(String(error)),
  });
  return { subscriptions, sent };
}

/** Adds a listener to a resource; the server accepts it. */
async function listen({ subscriptions, sent }: ReturnType<typeof create>, uri: string): Promise<() => Promise<void>> {
  const added = subscriptions.add(uri, () => {}, {});
  await expect.poll(() => sent.map(({ request }) => request)).toEqual([`subscribe ${uri}`]);
  sent.shift()?.accept();
  return added;
}

test("a resource whose last listener is being removed is not resumed", async () => {
  const made = create();
  const remove = await listen(made, "a:1");
  const removed = remove();
  await expect.poll(() => made.sent.map(({ request }) => request)).toEqual(["unsubscribe a:1"]);
  expect(made.subscriptions.resume()).toEqual([]);
  made.sent[0]?.accept();
  await removed;
});

test("a resumed resource is not resumed again, and is unsubscribed from with its last listener", async () => {
  const made = create();
  const remove = await listen(made, "a:1");
  made.subscriptions.lose("a:1");
  expect([made.subscriptions.resume(), made.subscriptions.resume()]).toEqual([["a:1"], []]);
  const removed = remove();
  await expect.poll(() => made.sent.map(({ request }) => request)).toEqual(["unsubscribe a:1"]);
  made.sent[0]?.accept();
  await removed;
});

test("a resource that is subscribed to while the end of its last subscription is completed keeps its listener", async () => {
  const received: string[] = [];
  const sent: string[] = [];
  const subscriptions = new ResourceSubscriptions({
    send: async (handler) => void sent.push(handler),
    fail: (error) => expect.unreachable(String(error)),
  });
  const add = (name: string): ReturnType<ResourceSubscriptions["add"]> =>
    subscriptions.add("a:1", () => void received.push(name), {});
  const [first, second] = [await add("first"), await add("second")];
  const removed = [first(), second()];
  await removed[0];
  const added = add("third");
  await removed[1];
  await added;
  subscriptions.deliver("a:1");
  expect([sent, received]).toEqual([["subscribe", "unsubscribe", "subscribe"], ["third"]]);
});
