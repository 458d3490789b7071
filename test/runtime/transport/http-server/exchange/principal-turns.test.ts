import { afterEach, describe, expect, it } from "vitest";
import { requireApiKey } from "../../../../../runtime/auth/server/api-key.ts";
import { createServiceHandler, type HttpHandler } from "../../../../../runtime/transport/http-server/handler.ts";
import { PrincipalTurns } from "../../../../../runtime/transport/http-server/exchange/principal-turns.ts";
import { acceptBoth, call, createService } from "../http-rig.ts";

describe("turns of principals", () => {
  it("requests of one principal are handled in their order, four in a turn of the event loop", async () => {
    const turns = new PrincipalTurns();
    const handled: number[] = [];
    for (let id = 0; id < 10; id += 1) void take(turns, "one").then(() => handled.push(id));
    const counts: number[] = [];
    while (handled.length < 10) {
      await nextTurn();
      counts.push(handled.length);
    }
    expect(handled).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    // The first four need no further turn.
    expect(counts).toEqual([8, 10]);
  });

  it("a request that arrives while others of its principal wait comes after them", async () => {
    const turns = new PrincipalTurns();
    const handled: string[] = [];
    for (let id = 0; id < 9; id += 1) void take(turns, "one").then(() => handled.push(`early ${id}`));
    await nextTurn();
    await take(turns, "one").then(() => handled.push("late"));
    expect(handled.at(-1)).toBe("late");
    expect(handled).toHaveLength(10);
  });

  it("a principal does not wait for the requests of another", () => {
    const turns = new PrincipalTurns();
    for (let id = 0; id < 100; id += 1) void turns.take("one");
    expect(turns.take("other")).toBeUndefined();
  });

  it("a principal has all of its turn again when none of its requests waits", async () => {
    const turns = new PrincipalTurns();
    for (let round = 0; round < 3; round += 1) {
      const taken = Array.from({ length: 5 }, () => turns.take("one"));
      expect(taken.map((wait) => wait === undefined)).toEqual([true, true, true, true, false]);
      await Promise.all(taken.map(async (wait) => wait));
      await nextTurn();
    }
  });
});

let handler: HttpHandler | undefined;
afterEach(() => handler?.close());

it("a server handles a request while a hundred of another principal wait", async () => {
  const called: unknown[] = [];
  const service = createService({ note: (_, { text }) => (called.push(text), "noted") });
  const names = ["many", "one"];
  const keys = names.map((principal) => ({ principal, key: keyOf(principal) }));
  const served = createServiceHandler(service, { authenticate: requireApiKey({ keys }), sessions: false });
  handler = served;
  const send = (name: string, id: number): Promise<Response> => {
    const headers = { accept: acceptBoth, "content-type": "application/json", "x-api-key": keyOf(name) };
    const body = JSON.stringify(call(id, "note", { text: name }));
    return served.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }));
  };
  const responses = [...Array.from({ length: 100 }, (_, id) => send("many", id)), send("one", 100)];
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual(responses.map(() => 200));
  expect(called.filter((name) => name === "many")).toHaveLength(100);
  expect(called.indexOf("one")).toBeLessThan(20);
});

const keyOf = (principal: string): string => principal.padEnd(40, "0");

async function take(turns: PrincipalTurns, principal: string): Promise<void> {
  await turns.take(principal);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
