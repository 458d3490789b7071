import { AsyncLocalStorage } from "node:async_hooks";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Declarations } from "../../../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../../../generated/revisions.ts";
import { forRevisions } from "../../../../../runtime/server/for-revisions.ts";
import { createServiceHandler } from "../../../../../runtime/transport/http-server/handler.ts";
import { toHttpService } from "../../../../../runtime/server/run/http-handler.ts";
import { TurnBatcher } from "../../../../../runtime/transport/http-server/exchange/turn-batcher.ts";
import { statelessRevision } from "../../../../kit/revisions.ts";
import { request } from "../../../../kit/messages.ts";
import { nextTurn } from "../../../../kit/time.ts";

/** Milliseconds of the clock, which stands still: a machine that is busy would count as a slow handler. */
let now = 0;

beforeEach(() => {
  vi.spyOn(performance, "now").mockImplementation(() => now);
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("writes at the end of a turn", () => {
  it("batched writes wait for the end of the turn, and keep their order", async () => {
    const turns = new TurnBatcher();
    const seen: string[] = [];
    turns.write(() => seen.push("first"));
    await Promise.resolve();
    turns.write(() => seen.push("second"));
    expect(seen).toEqual([]);
    await nextTurn();
    expect(seen).toEqual(["first", "second"]);
  });

  it("batched writes do not wait for slow handlers", async () => {
    const turns = new TurnBatcher();
    const seen: string[] = [];
    turns.write(() => seen.push("first"));
    now += 3;
    turns.write(() => seen.push("second"));
    await Promise.resolve();
    expect(seen).toEqual(["first", "second"]);
    turns.write(() => seen.push("third"));
    await Promise.resolve();
    expect(seen).toEqual(["first", "second"]);
    await nextTurn();
    expect(seen).toEqual(["first", "second", "third"]);
  });

  it("batched writes run in the asynchronous context of their caller", async () => {
    const store = new AsyncLocalStorage<string>();
    const turns = new TurnBatcher();
    const seen: (string | undefined)[] = [];
    for (const name of ["a", "b"]) store.run(name, () => turns.write(() => seen.push(store.getStore())));
    turns.write(() => seen.push(store.getStore()));
    await nextTurn();
    expect(seen).toEqual(["a", "b", undefined]);
  });
});

describe("requests at the end of a turn", () => {
  it("the requests of a turn are handled one after the other, and then their responses are written", async () => {
    const turns = new TurnBatcher();
    const seen: string[] = [];
    const receive = (name: string): void =>
      turns.handle(() => {
        seen.push(`begin ${name}`);
        queueMicrotask(() => {
          seen.push(`end ${name}`);
          turns.write(() => seen.push(`write ${name}`));
        });
      });
    receive("a");
    await Promise.resolve();
    receive("b");
    expect(seen).toEqual([]);
    await nextTurn();
    expect(seen).toEqual(["begin a", "end a", "begin b", "end b", "write a", "write b"]);
  });

  it("a response that is ready before the requests of its turn are handled does not wait for a later turn", async () => {
    const turns = new TurnBatcher();
    const seen: string[] = [];
    turns.write(() => seen.push("early"));
    turns.handle(() => seen.push("handled"));
    await nextTurn();
    expect(seen).toEqual(["early", "handled"]);
  });

  it("the response of a request does not wait for requests that follow while others are handled", async () => {
    const turns = new TurnBatcher();
    const seen: string[] = [];
    turns.handle(() => {
      turns.handle(() => seen.push("later"));
      turns.write(() => seen.push("first"));
    });
    turns.handle(() => turns.write(() => seen.push("second")));
    await nextTurn();
    await nextTurn();
    expect(seen).toEqual(["first", "second", "later"]);
  });

  it("the response of a slow handler does not wait for the requests behind it", async () => {
    const turns = new TurnBatcher();
    const seen: string[] = [];
    for (const name of ["a", "b", "c"])
      turns.handle(() => {
        seen.push(name);
        now += 3;
        turns.write(() => seen.push(`write ${name}`));
      });
    await nextTurn();
    await nextTurn();
    expect(seen).toEqual(["a", "b", "write a", "write b", "c", "write c"]);
  });
});

const { defineTool, defineServer } = forRevisions<Declarations>(revisions);
const open: (() => unknown)[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const close of open.splice(0).reverse()) await close();
});

/** A server whose responses can be watched, and how to call its only tool. */
async function serve(
  watch: (response: ServerResponse, turn: number) => void,
): Promise<(id: number) => Promise<string>> {
  const quick = defineTool({ name: "quick", execute: () => "done" });
  const handler = createServiceHandler(toHttpService(defineServer({ name: "s", version: "1", tools: [quick] }), {}));
  let calls = 0;
  const server = createServer((incoming, response) => {
    watch(response, (calls += 1));
    handler.node(incoming, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(
    () => server.close(),
    () => handler.close(),
  );
  const { port } = server.address() as AddressInfo;
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    connection: "close",
    "mcp-protocol-version": statelessRevision.id,
    "mcp-method": "tools/call",
    "mcp-name": "quick",
  };
  return async (id) => {
    const body = JSON.stringify(request(id, "tools/call", { name: "quick", arguments: {} }));
    return (await fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers, body })).text();
  };
}

describe("a response over HTTP", () => {
  it("a response over HTTP is sent in the asynchronous context of its request", async () => {
    const store = new AsyncLocalStorage<number>();
    const seen: (number | undefined)[] = [];
    const call = await serve((response, turn) => {
      store.enterWith(turn);
      const { end } = response;
      response.end = (...given: never[]) => {
        seen.push(store.getStore());
        return Reflect.apply(end, response, given);
      };
    });
    const responses = await Promise.all([1, 2, 3, 4, 5].map(call));
    expect(responses.every((response) => response.includes("done"))).toBe(true);
    expect(seen.toSorted()).toEqual([1, 2, 3, 4, 5]);
  });

  it("a response over HTTP does not wait for a manual clock", async () => {
    const call = await serve(() => {});
    vi.useFakeTimers({ toFake: ["setImmediate", "performance"] });
    expect(await call(1)).toContain("done");
  });

  it("a response over HTTP is dropped without an error when its connection breaks in the same turn", async () => {
    const ends: unknown[] = [];
    const call = await serve((response) => {
      const { writeHead } = response;
      response.once("error", (error) => ends.push(error));
      response.writeHead = (...given: never[]) => {
        queueMicrotask(() => response.destroy());
        return Reflect.apply(writeHead, response, given);
      };
      response.once("close", () => ends.push("closed"));
    });
    await expect(call(1)).rejects.toThrow();
    await expect.poll(() => ends).toEqual(["closed"]);
  });
});
