import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, expect, test } from "vitest";
import { alone } from "../runtime/lifecycle/alone.ts";
import { joinGateway, openGateway } from "./join.ts";

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

test("a gateway subscribes to a resource for as long as somebody listens, however many do", async () => {
  const log: string[] = [];
  const client = await joinGateway(await openGateway(() => createServer(log), { ends }), alone);
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
  const refused = client.request("subscriptions/listen", { notifications: { resourceSubscriptions: many } });
  await expect(refused).rejects.toThrow("1000");
  expect(log).toHaveLength(4);
  await client.close();
});
