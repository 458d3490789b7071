import { describe, expect, test } from "vitest";
import type { DefaultClientSession } from "../../../../runtime/client/session/default-session.ts";
import { ListenServer, settleAll } from "./listen-client.ts";

/** A server and a session whose subscriptions were lost in an outage that is over. */
async function openLost(): Promise<{ readonly server: ListenServer; readonly session: DefaultClientSession }> {
  const server = new ListenServer();
  const session = await server.open();
  await session.subscribe("a:1", () => {});
  await session.subscribe("a:2", () => {});
  await server.endListen();
  server.isDown = true;
  await server.clock.pass(60_000);
  expect(server.takeEvents()).toEqual(["notificationsLost", "restoreFailed a:1", "restoreFailed a:2"]);
  server.isDown = false;
  server.takeFilters();
  return { server, session };
}

describe("subscriptions that were lost in an outage", () => {
  test("lost subscriptions are restored after the next successful call", async () => {
    const { server, session } = await openLost();
    await server.clock.pass(60_000);
    expect(server.takeFilters()).toEqual([]);
    await session.callTool("t");
    await settleAll();
    expect(server.takeFilters()).toEqual([["a:1", "a:2"]]);
    expect(server.takeEvents()).toEqual(["hearing"]);
    await session.callTool("t");
    await settleAll();
    expect([server.takeFilters(), server.takeEvents()]).toEqual([[], []]);
  });

  test("lost subscriptions are reported again if they cannot be restored, and restored after a later call", async () => {
    const { server, session } = await openLost();
    server.isDown = true;
    await session.callTool("t");
    await server.clock.pass(60_000);
    expect(server.takeEvents()).toEqual(["restoreFailed a:1", "restoreFailed a:2"]);
    expect(server.takeFilters()).toHaveLength(6);
    server.isDown = false;
    await session.callTool("t");
    await settleAll();
    expect(server.takeFilters()).toEqual([["a:1", "a:2"]]);
    expect(server.takeEvents()).toEqual(["hearing"]);
  });

  test("a lost subscription is sent again by `subscribe`, and the others are restored", async () => {
    const { server, session } = await openLost();
    await session.subscribe("a:2", () => {});
    await settleAll();
    const [first, ...others] = server.takeFilters();
    expect(first).toEqual(["a:2"]);
    expect(others).toEqual([["a:2", "a:1"]]);
    expect(server.takeEvents()).toEqual(["hearing"]);
  });

  test("a lost subscription that has ended is not restored", async () => {
    const server = new ListenServer();
    const session = await server.open();
    const stop = await session.subscribe("a:1", () => {});
    await session.subscribe("a:2", () => {});
    await server.endListen();
    server.isDown = true;
    await server.clock.pass(60_000);
    server.isDown = false;
    await stop();
    server.takeFilters();
    await session.callTool("t");
    await settleAll();
    expect(server.takeFilters()).toEqual([["a:2"]]);
  });
});
