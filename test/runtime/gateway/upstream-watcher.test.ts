import type { Declarations } from "../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { createGateway } from "../../../runtime/gateway/gateway.ts";
import type { Channel } from "../../../runtime/jsonrpc/channel.ts";
import { RpcError } from "../../../runtime/jsonrpc/errors.ts";
import type { CoreServer } from "../../../runtime/server/server.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import type { ListenParams } from "../../../runtime/server/methods/served-handlers.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, expect, test } from "vitest";
import { statelessRevision, handshakeRevisions } from "../../kit/revisions.ts";
import { joinGateway, openGateway } from "./connect-client.ts";

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** An official server that writes down who hears of what. */
function createServer(log: string[]): Server {
  const server = new Server({ name: "news", version: "1" }, { capabilities: { resources: { subscribe: true } } });
  const note = (word: string, uri: string): object => {
    log.push(`${word} ${uri}`);
    return {};
  };
  server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) => note("+", uri));
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => note("-", uri));
  return server;
}

test("a gateway subscribes to a resource while it has listeners, whatever their number", async () => {
  const log: string[] = [];
  const client = await joinGateway(await openGateway(() => createServer(log), { ends }), statelessRevision);
  const listen = (...resourceSubscriptions: string[]): AbortController => {
    const stop = new AbortController();
    const params = { notifications: { resourceSubscriptions } };
    client.request("subscriptions/listen", params, { signal: stop.signal }).catch(() => {});
    return stop;
  };
  const first = listen("test://a", "test://b", "test://b");
  const second = listen("test://a");
  await expect.poll(() => log).toEqual(["+ test://a", "+ test://b"]);
  first.abort();
  await expect.poll(() => log.slice(2)).toEqual(["- test://b"]);
  second.abort();
  await expect.poll(() => log.slice(3)).toEqual(["- test://a"]);

  const many = Array.from({ length: 1_001 }, (_, index) => `test://${index}`);
  const rejected = client.request("subscriptions/listen", { notifications: { resourceSubscriptions: many } });
  await expect(rejected).rejects.toThrow("1000");
  expect(log).toHaveLength(4);
  await client.close();
});

test("a gateway responds to a subscription when the server has acknowledged it", async () => {
  const { defineServer, defineResource } = forRevisions<Declarations>([statelessRevision]);
  const resource = defineResource({ uri: "test://a", name: "a", read: () => "text" });
  const server = defineServer({ name: "news", version: "1", resources: [resource], subscribe: true });
  const held: (() => void)[] = [];
  const gateway = await createGateway(
    (options) => {
      const [near, far] = createInMemoryTransports();
      serve(server, holdAcknowledgements(far, held));
      return connect(near, options);
    },
    { revisions },
  );
  ends.push(() => gateway.close());
  const client = await joinGateway(gateway, handshakeRevisions[0] ?? statelessRevision);
  ends.push(() => client.close());
  let hasResponse = false;
  const subscribed = client.request("resources/subscribe", { uri: "test://a" }).then(() => (hasResponse = true));
  await expect.poll(() => held.length).toBe(1);
  await client.request("ping");
  expect(hasResponse).toBe(false);
  for (const release of held) release();
  await subscribed;
});

test("a resource that a server without sessions rejects does not end the subscriptions to others", async () => {
  const { defineServer, defineResource } = forRevisions<Declarations>([statelessRevision]);
  const resource = defineResource({ uri: "test://a", name: "a", read: () => "text" });
  const server = defineServer({ name: "news", version: "1", resources: [resource], subscribe: true });
  const gateway = await createGateway(
    (options) => {
      const [near, far] = createInMemoryTransports();
      serve(rejectSubscriptions(server, "test://secret"), far);
      return connect(near, options);
    },
    { revisions },
  );
  ends.push(() => gateway.close());
  const received: string[] = [];
  const handlers = { resourceUpdated: ({ uri }: { readonly uri: string }) => void received.push(uri) };
  const client = await joinGateway(gateway, handshakeRevisions[0] ?? statelessRevision, { handlers });
  ends.push(() => client.close());
  const secret = client.request("resources/subscribe", { uri: "test://secret" });
  await expect(secret).rejects.toMatchObject({ code: -32002 });
  expect(await client.request("resources/subscribe", { uri: "test://a" })).toEqual({});
  server.resources.notifyUpdated("test://a");
  await expect.poll(() => received).toEqual(["test://a"]);
});

/** Rejects subscription requests that contain a resource. */
function rejectSubscriptions(server: CoreServer, uri: string): CoreServer {
  return {
    ...server,
    createAcceptor: (options) =>
      server.createAcceptor({
        ...options,
        handlers(revision) {
          const { handlers } = server.implement(revision);
          const listen: unknown = Reflect.get(handlers, "subscriptionsListen");
          return {
            ...handlers,
            subscriptionsListen(params: ListenParams, call: unknown): unknown {
              if (params.notifications.resourceSubscriptions?.includes(uri))
                throw new RpcError(-32002, "Resource not found");
              return typeof listen === "function" ? listen(params, call) : undefined;
            },
          };
        },
      }),
  };
}

/** Keeps back acknowledgements of subscriptions to resources until they are released. */
function holdAcknowledgements(channel: Channel, held: (() => void)[]): Channel {
  const send: Channel["send"] = (message, related) => {
    const text = JSON.stringify(message);
    if (!text.includes("subscriptions/acknowledged") || !text.includes("test://a"))
      return channel.send(message, related);
    held.push(() => void channel.send(message, related));
  };
  return new Proxy(channel, {
    get(target, name) {
      const value: unknown = name === "send" ? send : Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
