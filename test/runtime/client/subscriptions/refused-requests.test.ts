import { expect, test } from "vitest";
import type { DefaultClientSession } from "../../../../runtime/client/session/default-session.ts";
import { ListenServer, settleAll } from "./listen-client.ts";

/* Requests to listen that a server or a network refuses for a moment, while other subscriptions work. */

async function subscribeAll(session: DefaultClientSession, uris: readonly string[]): Promise<void> {
  for (const uri of uris) await session.subscribe(uri, () => {});
}

async function passMinutes(server: ListenServer, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) await server.clock.pass(60_000);
  await settleAll();
}

test("a server that rejects a new subscription for a moment keeps the others", async () => {
  const server = new ListenServer();
  const session = await server.open();
  await subscribeAll(session, ["x:1", "x:2"]);
  server.isBusy = true;
  await expect(session.subscribe("x:3", () => {})).rejects.toThrow("Too many requests");
  server.isBusy = false;
  await session.subscribe("x:4", () => {});
  expect(server.takeFilters().at(-1)).toEqual(["x:1", "x:2", "x:4"]);
  expect(server.takeEvents()).toEqual([]);
});

test("a failure between the parts of a rejected request leaves no subscription without a stream", async () => {
  const server = new ListenServer();
  const session = await server.open();
  await subscribeAll(session, ["x:a", "x:b", "x:c", "x:d"]);
  server.unknown.add("x:a");
  let isCut = false;
  server.fails = (uris) => {
    if (isCut || uris.join() !== "x:b,x:c,x:d") return false;
    isCut = true;
    return true;
  };
  await expect(session.subscribe("x:new", () => {})).rejects.toThrow("not reachable");
  await passMinutes(server, 1);
  const whole = server.takeFilters().filter((uris) => uris.join() === "x:b,x:c,x:d");
  expect(whole).toHaveLength(2);
  expect(server.takeEvents()).toEqual(["restoreFailed x:a"]);
});

test("changes of lists are notified although the server rejects all resources", async () => {
  const server = new ListenServer();
  const session = await server.open({ onListChanged: () => {} });
  await subscribeAll(session, ["x:1", "x:2"]);
  for (const uri of ["x:1", "x:2"]) server.unknown.add(uri);
  await server.endListen();
  await passMinutes(server, 1);
  expect(server.takeFilters().at(-1)).toEqual([]);
  expect(server.takeEvents()).toEqual(["notificationsLost", "restoreFailed x:1", "restoreFailed x:2", "hearing"]);
});

test("subscriptions that cannot be restored beside an open stream are lost, and may be tried again", async () => {
  const server = new ListenServer();
  const session = await server.open();
  await subscribeAll(session, ["a:1", "a:2"]);
  await server.endListen();
  server.isDown = true;
  await passMinutes(server, 1);
  server.isDown = false;
  server.fails = (uris) => uris.length > 1;
  server.takeEvents();
  await session.subscribe("a:3", () => {});
  await passMinutes(server, 20);
  expect(server.takeEvents()).toEqual(["restoreFailed a:1", "restoreFailed a:2"]);
  server.fails = () => false;
  server.takeFilters();
  await session.callTool("t");
  await passMinutes(server, 1);
  expect(server.takeFilters()).toEqual([["a:3", "a:1", "a:2"]]);
  expect(server.takeEvents()).toEqual(["hearing"]);
});

test("a list from the cache does not count as a response of the server", async () => {
  const server = new ListenServer();
  const session = await server.open();
  await session.listTools();
  await subscribeAll(session, ["a:1"]);
  await server.endListen();
  server.isDown = true;
  await passMinutes(server, 1);
  await session.listTools();
  await passMinutes(server, 1);
  const requests = server.toolLists;
  server.takeFilters();
  for (let count = 0; count < 5; count += 1) await session.listTools();
  await passMinutes(server, 1);
  expect({ requests: server.toolLists - requests, listens: server.takeFilters() }).toEqual({
    requests: 0,
    listens: [],
  });
});
