import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import type { AnyServerDefinition } from "../../../../runtime/server/any-definition.ts";
import type { Session } from "../../../../runtime/protocol/session/session.ts";
import { SessionSubscriptions } from "../../../../runtime/server/resources/subscriptions.ts";
import { createSessionRegistry } from "../../../../runtime/server/subscriptions/session-registry.ts";
import { openPeer } from "../../protocol/open-peer.ts";
import { open, settle } from "../connected.ts";
import { handshakeRevisions, newest } from "../../../kit/revisions.ts";

const read = (): string => "";
const resources = ["note://a", "note://b", "dir://x"].map((uri) => ({ uri, name: uri, read }));

function create(definition: Partial<AnyServerDefinition> = {}): Server {
  const resourceTemplates = [{ uriTemplate: "file:///{+path}", name: "file", read }];
  return createServer(
    { name: "test", version: "1", resources, resourceTemplates, subscribe: true, ...definition },
    revisions,
  );
}

describe.each(handshakeRevisions.map((revision) => [revision.id, revision] as const))(
  "at revision %s",
  (_id, revision) => {
    test("an update reaches exactly the subscribed sessions (R-01, R-03)", async () => {
      const server = create();
      const [one, both, none] = await Promise.all([
        open(server, revision),
        open(server, revision),
        open(server, revision),
      ]);
      expect(one.client.serverCapabilities).toMatchObject({ resources: { subscribe: true } });
      expect(await one.client.request("resources/subscribe", { uri: "note://a" })).toEqual({});
      await both.client.request("resources/subscribe", { uri: "note://a" });
      await both.client.request("resources/subscribe", { uri: "note://b" });
      server.resources.notifyUpdated("note://a");
      server.resources.notifyUpdated("note://b");
      server.resources.notifyUpdated("note://unknown");
      await settle();
      expect(one.notices).toEqual(["resourceUpdated note://a"]);
      expect(both.notices).toEqual(["resourceUpdated note://a", "resourceUpdated note://b"]);
      expect(none.notices).toEqual([]);
      await server.close();
    });
  },
);

test("an update below a subscribed URI is notified with its own URI, once (R-03)", async () => {
  const server = create();
  const { client, notices } = await open(server);
  await client.request("resources/subscribe", { uri: "dir://x" });
  await client.request("resources/subscribe", { uri: "file:///x/1" });
  server.resources.notifyUpdated("file:///x/1", { under: "dir://x" });
  server.resources.notifyUpdated("file:///x/2", { under: "dir://x" });
  server.resources.notifyUpdated("file:///x/3");
  await settle();
  expect(notices).toEqual(["resourceUpdated file:///x/1", "resourceUpdated file:///x/2"]);
  await client.close();
});

test.each([
  ["note://ü", "note://%C3%BC"],
  ["note://%C3%BC", "note://ü"],
  ["note://%c3%bc", "note://%C3%BC"],
])("a subscription to %s is notified when the server names %s", async (requested, named) => {
  const server = create({ resources: [{ uri: "note://ü", name: "note", read }] });
  const { client, notices } = await open(server);
  await client.request("resources/subscribe", { uri: requested });
  server.resources.notifyUpdated(named);
  await settle();
  expect(notices).toEqual([`resourceUpdated ${requested}`]);
  await client.close();
});

test("no notifications follow an unsubscription, and repeated requests have no effect", async () => {
  const server = create();
  const { client, notices } = await open(server);
  for (const method of ["resources/subscribe", "resources/subscribe"])
    await client.request(method, { uri: "note://a" });
  server.resources.notifyUpdated("note://a");
  for (const method of ["resources/unsubscribe", "resources/unsubscribe"]) {
    expect(await client.request(method, { uri: "note://a" })).toEqual({});
  }
  server.resources.notifyUpdated("note://a");
  await settle();
  expect(notices).toEqual(["resourceUpdated note://a"]);
  await client.close();
});

test("a subscription to an unknown resource is rejected (R-04, R-08)", async () => {
  const { client } = await open(create());
  await expect(client.request("resources/subscribe", { uri: "note://none" })).rejects.toMatchObject({
    code: -32002,
    data: { uri: "note://none" },
  });
  expect(await client.request("resources/subscribe", { uri: "file:///any" })).toEqual({});
  await client.close();
});

test("the number of subscriptions of a session is bounded", async () => {
  const { client } = await open(create({ maxSubscriptions: 2 }));
  for (const uri of ["file:///1", "file:///2", "file:///2"]) await client.request("resources/subscribe", { uri });
  await expect(client.request("resources/subscribe", { uri: "file:///3" })).rejects.toMatchObject({
    code: 429,
    data: { limit: 2 },
  });
  await client.request("resources/unsubscribe", { uri: "file:///1" });
  expect(await client.request("resources/subscribe", { uri: "file:///3" })).toEqual({});
  await client.close();
});

test("the characters of all subscriptions of a session are bounded: an engine stores them together", async () => {
  const { client } = await open(create({}));
  const subscribe = (index: number): Promise<unknown> =>
    client.request("resources/subscribe", { uri: `file:///${index}`.padEnd(8_000, "x") });
  // 131 of 8,000 characters are less than 1 Mi.
  for (let index = 0; index < 131; index += 1) await subscribe(index);
  await expect(subscribe(131)).rejects.toMatchObject({ code: 429, data: { limit: 1_048_576 } });
  await client.request("resources/unsubscribe", { uri: "file:///0".padEnd(8_000, "x") });
  expect(await subscribe(131)).toEqual({});
  await client.close();
});

test("the characters of all sessions are bounded, with a share for each principal", () => {
  const sessions = createSessionRegistry();
  const subscriptions = new SessionSubscriptions(sessions, 1_000);
  const join = (): Session => {
    const connection = openPeer().peer;
    sessions.join(connection);
    return connection.requireSession();
  };
  const uri = "x".repeat(1_000_000);
  const fill = (owner: string): void => subscriptions.subscribe(join(), uri, owner);
  // Half of 64 Mi.
  for (let count = 0; count < 33; count += 1) fill("alice");
  expect(() => fill("alice")).toThrow("Too many subscriptions are open");
  fill("bob");
  expect(() => fill("alice")).toThrow("Too many subscriptions are open");
});

describe("a server without subscriptions", () => {
  test("a server without subscriptions declares and accepts none (R-01, -32601)", async () => {
    const { client } = await open(create({ subscribe: false }));
    expect(client.serverCapabilities.resources).toEqual({});
    await expect(client.request("resources/subscribe", { uri: "note://a" })).rejects.toThrow(/resources\.subscribe/);
    await client.close();
  });

  test("notifying an update without subscriptions throws", () => {
    expect(() => create({ subscribe: false }).resources.notifyUpdated("note://a")).toThrow("subscribe: true");
  });
});

test("subscriptions are released with their sessions", async () => {
  const server = create();
  const sessions = await Promise.all([open(server), open(server)]);
  for (const { client } of sessions) await client.request("resources/subscribe", { uri: "note://a" });
  expect(server.sessionCount).toBe(2);
  await sessions[0]?.client.close();
  await settle();
  expect(server.sessionCount).toBe(1);
  server.resources.notifyUpdated("note://a");
  await server.close();
  await settle();
  expect(server.sessionCount).toBe(0);
});

test("10,000 sessions leave no memory behind (trap 22)", { timeout: 300_000 }, async () => {
  const server = create({ listChanged: true });
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("memory cannot be measured");
  const measure = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const churn = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const { client } = await open(server, newest);
      await client.request("resources/subscribe", { uri: `file:///${i}` });
      server.resources.notifyUpdated(`file:///${i}`);
      await client.close();
    }
    await settle();
  };
  await churn(500);
  const before = measure();
  await churn(10_000);
  expect(server.sessionCount).toBe(0);
  expect(measure() - before).toBeLessThan(2_000_000);
});
