import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { requireApiKey } from "../../../../../runtime/auth/server/api-key.ts";
import { createServiceHandler } from "../../../../../runtime/transport/http-server/handler.ts";
import { listenHttp } from "../../../../../runtime/transport/http-server/listen.ts";
import { PrincipalTurns } from "../../../../../runtime/transport/http-server/exchange/principal-turns.ts";
import { acceptBoth, call } from "../../../../kit/http-exchange.ts";
import { createService } from "../../../../kit/http-server.ts";

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

const names = ["many", "one"];
const authenticate = requireApiKey({ keys: names.map((principal) => ({ principal, key: keyOf(principal) })) });
const requestOf = (name: string, id: number): { readonly headers: Record<string, string>; readonly body: string } => ({
  headers: { accept: acceptBoth, "content-type": "application/json", "x-api-key": keyOf(name) },
  body: JSON.stringify(call(id, "note", { text: name })),
});

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

it("a server on Node.js gives each request the turn of its principal", async () => {
  const take = vi.spyOn(PrincipalTurns.prototype, "take");
  onTestFinished(() => take.mockRestore());
  const service = createService({ note: (_, { text }) => text });
  const listener = await listenHttp(service, { port: 0, authenticate, sessions: false });
  close = () => listener.close();
  const sent = Array.from({ length: 20 }, (_, id) => requestOf(id % 5 === 0 ? "one" : "many", id));
  const responses = await Promise.all(sent.map((init) => fetch(listener.url, { method: "POST", ...init })));
  expect(responses.map(({ status }) => status)).toEqual(sent.map(() => 200));
  expect(take.mock.calls.filter(([principal]) => principal === "one")).toHaveLength(4);
  expect(take.mock.calls.filter(([principal]) => principal === "many")).toHaveLength(16);
});

it("a server on the web platform resumes no request from another, which workers forbid", async () => {
  const take = vi.spyOn(PrincipalTurns.prototype, "take");
  onTestFinished(() => take.mockRestore());
  const handler = createServiceHandler(createService({ note: (_, { text }) => text }), {
    authenticate,
    sessions: false,
  });
  close = () => handler.close();
  const sent = Array.from({ length: 10 }, (_, id) => requestOf("many", id));
  const responses = await Promise.all(
    sent.map((init) => handler.fetch(new Request("http://localhost/mcp", { method: "POST", ...init }))),
  );
  expect(responses.map(({ status }) => status)).toEqual(sent.map(() => 200));
  expect(take).not.toHaveBeenCalled();
});

function keyOf(principal: string): string {
  return principal.padEnd(40, "0");
}

async function take(turns: PrincipalTurns, principal: string): Promise<void> {
  await turns.take(principal);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
