import { AsyncLocalStorage } from "node:async_hooks";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Declarations } from "../../../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../../../generated/revisions.ts";
import { forRevisions } from "../../../../../runtime/server/for-revisions.ts";
import { createServiceHandler } from "../../../../../runtime/transport/http-server/handler.ts";
import { toHttpService } from "../../../../../runtime/server/run/http-handler.ts";
import { WriteBatcher } from "../../../../../runtime/transport/http-server/exchange/write-batcher.ts";
import { alone, request } from "../../../lifecycle/stateless.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("writes at the end of a turn", () => {
  it("batched writes wait for the end of the turn, and keep their order", async () => {
    const turns = new WriteBatcher();
    const seen: string[] = [];
    turns.after(() => seen.push("first"));
    await Promise.resolve();
    turns.after(() => seen.push("second"));
    expect(seen).toEqual([]);
    await nextTurn();
    expect(seen).toEqual(["first", "second"]);
  });

  it("batched writes do not wait for slow handlers", async () => {
    const turns = new WriteBatcher();
    const seen: string[] = [];
    turns.after(() => seen.push("first"));
    const busyUntil = performance.now() + 3;
    while (performance.now() < busyUntil);
    turns.after(() => seen.push("second"));
    await Promise.resolve();
    expect(seen).toEqual(["first", "second"]);
    turns.after(() => seen.push("third"));
    await Promise.resolve();
    expect(seen).toEqual(["first", "second"]);
    await nextTurn();
    expect(seen).toEqual(["first", "second", "third"]);
  });

  it("batched writes run in the asynchronous context of their caller", async () => {
    const store = new AsyncLocalStorage<string>();
    const turns = new WriteBatcher();
    const seen: (string | undefined)[] = [];
    for (const name of ["a", "b"]) store.run(name, () => turns.after(() => seen.push(store.getStore())));
    turns.after(() => seen.push(store.getStore()));
    await nextTurn();
    expect(seen).toEqual(["a", "b", undefined]);
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
    "mcp-protocol-version": alone.id,
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
    const answers = await Promise.all([1, 2, 3, 4, 5].map(call));
    expect(answers.every((answer) => answer.includes("done"))).toBe(true);
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
    await vi.waitFor(() => expect(ends).toEqual(["closed"]));
  });
});
