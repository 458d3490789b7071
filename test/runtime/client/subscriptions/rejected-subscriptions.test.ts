import { describe, expect, test } from "vitest";
import { ListenServer, settleAll } from "./listen-client.ts";

const statuses = (outcomes: readonly PromiseSettledResult<unknown>[]): readonly string[] =>
  outcomes.map(({ status }) => status);

describe("a resource for which the server responds with an error", () => {
  test("a rejected resource does not affect those of the same moment", async () => {
    const server = new ListenServer();
    server.unknown.add("x:bad");
    const session = await server.open();
    const uris = ["x:1", "x:bad", "x:2"];
    const outcomes = await Promise.allSettled(uris.map((uri) => session.subscribe(uri, () => {})));
    expect(statuses(outcomes)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(outcomes[1]).toMatchObject({ reason: { message: "Unknown resource x:bad" } });
    await settleAll();
    expect(server.takeFilters().at(-1)).toEqual(["x:1", "x:2"]);
    expect(server.takeEvents()).toEqual([]);
  });

  test("a rejected resource does not affect earlier ones, and may be tried again", async () => {
    const server = new ListenServer();
    server.unknown.add("x:bad");
    const session = await server.open();
    await session.subscribe("x:1", () => {});
    await expect(session.subscribe("x:bad", () => {})).rejects.toThrow("Unknown resource x:bad");
    await session.subscribe("x:2", () => {});
    expect(server.takeFilters().at(-1)).toEqual(["x:1", "x:2"]);
    server.unknown.clear();
    await session.subscribe("x:bad", () => {});
    expect(server.takeFilters()).toEqual([["x:1", "x:2", "x:bad"]]);
    expect(server.takeEvents()).toEqual([]);
  });

  test("a deleted resource does not affect a new one", async () => {
    const server = new ListenServer();
    const session = await server.open();
    await session.subscribe("x:deleted", () => {});
    server.unknown.add("x:deleted");
    await session.subscribe("x:1", () => {});
    expect(server.takeFilters().at(-1)).toEqual(["x:1"]);
    expect(server.takeEvents()).toEqual(["restoreFailed x:deleted"]);
  });

  test("a deleted resource does not affect the others after a loss of the stream", async () => {
    const server = new ListenServer();
    const session = await server.open();
    for (const uri of ["x:1", "x:deleted", "x:2", "x:3"]) await session.subscribe(uri, () => {});
    server.unknown.add("x:deleted");
    await server.endListen();
    await server.clock.pass(2_000);
    expect(server.takeFilters().at(-1)).toEqual(["x:1", "x:2", "x:3"]);
    expect(server.takeEvents()).toEqual(["notificationsLost", "restoreFailed x:deleted", "hearing"]);
  });

  test("a server that rejects all resources receives a bounded number of requests", async () => {
    const server = new ListenServer();
    const session = await server.open();
    const uris = Array.from({ length: 100 }, (_, index) => `x:${index}`);
    for (const uri of uris) server.unknown.add(uri);
    const outcomes = await Promise.allSettled(uris.map((uri) => session.subscribe(uri, () => {})));
    expect(new Set(statuses(outcomes))).toEqual(new Set(["rejected"]));
    const filters = server.takeFilters();
    expect(filters).toHaveLength(33);
    expect(filters.every((uris) => uris.length > 0)).toBe(true);
    expect(server.takeEvents()).toEqual([]);
  });

  test("a server that rejects the lists of a client as well receives no request for the resources apart from them", async () => {
    const server = new ListenServer();
    server.isBusy = true;
    const session = await server.open({ onListChanged: () => {} });
    await settleAll();
    expect(server.takeFilters()).toEqual([[]]);
    expect(server.takeEvents()).toEqual(["restoreFailed"]);
    await expect(session.subscribe("x:1", () => {})).rejects.toThrow("Too many requests");
    expect(server.takeFilters()).toEqual([["x:1"], []]);
  });

  test("a server that rejects everything after a loss of the stream notifies of neither lists nor resources", async () => {
    const server = new ListenServer();
    const session = await server.open({ onListChanged: () => {} });
    for (const uri of ["x:1", "x:2"]) await session.subscribe(uri, () => {});
    server.isBusy = true;
    await server.endListen();
    await server.clock.pass(2_000);
    const lost = ["restoreFailed x:1", "restoreFailed x:2", "restoreFailed"];
    expect(server.takeEvents()).toEqual(["notificationsLost", ...lost]);
  });
});
