import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { Connection } from "../../../../runtime/protocol/peer/peer.ts";
import type { Exchange } from "../../../../runtime/transport/http-server/exchange/exchange.ts";
import { FetchExchange } from "../../../../runtime/transport/http-server/exchange/fetch-exchange.ts";
import { createServiceHandler } from "../../../../runtime/transport/http-server/handler.ts";
import { NodeExchange } from "../../../../runtime/transport/http-server/exchange/node-exchange.ts";
import { TurnBatcher } from "../../../../runtime/transport/http-server/exchange/turn-batcher.ts";
import type { Identity } from "../../../../runtime/transport/http-server/identity.ts";
import type { HttpOptions } from "../../../../runtime/transport/http-server/settings.ts";
import { changed, createService, start, type Rig } from "../../../kit/http-server.ts";
import { initialize } from "../../../kit/http-exchange.ts";
import { until } from "../../../kit/time.ts";

let rig: Rig | undefined;
let arrivals = 0;
let leavers = 0;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

/** Lets nobody in who asks for it before the client has gone away. */
const whenGone: HttpOptions["authenticate"] = async (head) => {
  if (head.header("x-leaves") === undefined) return me;
  arrivals += 1;
  await until(() => isGone(head), "the client's leaving");
  leavers += 1;
  return me;
};

const me: Identity = { principal: "me" };

function isGone(head: object): boolean {
  return "isGone" in head && head.isGone === true;
}

/** Asks for a stream and gives up as soon as the server has heard of it. */
async function sendAndLeave(send: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  arrivals = 0;
  const controller = new AbortController();
  const pending = send(controller.signal).catch(() => {});
  await until(() => arrivals === 1, "the request's arrival");
  controller.abort();
  await pending;
}

describe("a client that disconnects before its stream begins", () => {
  const headers = { accept: "text/event-stream", "x-leaves": "1" };

  it("a client that disconnects early leaves no session of HTTP with SSE behind on Node", async () => {
    rig = await start({}, { authenticate: whenGone, sse: {} });
    const { url, connections, listener } = rig;
    await sendAndLeave((signal) => fetch(new URL("/sse", url), { headers, signal }));
    await until(() => connections.length === 1, "the session");
    await until(() => listener.handler.sessions.size === 0, "its end");
  });

  it("a client that disconnects early leaves no session of HTTP with SSE behind on the web platform", async () => {
    const connections: Connection[] = [];
    const handler = createServiceHandler(createService({}, connections), { authenticate: whenGone, sse: {} });
    void sendAndLeave((signal) => handler.fetch(new Request("http://localhost/sse", { headers, signal })));
    await until(() => connections.length === 1, "the session");
    await until(() => handler.sessions.size === 0, "its end");
    await handler.close();
  });

  it("a client that disconnects early gets no messages that another stream can carry", async () => {
    rig = await start({}, { authenticate: whenGone });
    const { url, connections } = rig;
    const session = await rig.open();
    const stream = await session.listen();
    leavers = 0;
    await sendAndLeave((signal) => fetch(url, { headers: { ...session.headers, ...headers }, signal }));
    await until(() => leavers === 1, "the client's leaving");
    const [connection] = connections;
    if (connection) await changed(connection);
    expect(await stream.message()).toMatchObject({ method: "notifications/tools/list_changed" });
  });
});

describe("an exchange whose client has disconnected", () => {
  const createGone: readonly (readonly [string, () => Exchange])[] = [
    [
      "node:http",
      () => {
        const request = new IncomingMessage(new Socket());
        const response = new ServerResponse(request);
        request.destroy();
        response.destroy();
        return new NodeExchange(request, response, new TurnBatcher());
      },
    ],
    [
      "the web platform",
      () => {
        const body = new ReadableStream({ start: (controller) => controller.error(new Error("gone")) });
        const init = { method: "POST", body, duplex: "half", signal: AbortSignal.abort() };
        return new FetchExchange(new Request("http://localhost/", init));
      },
    ],
  ];

  it.each(createGone)("an exchange whose client has disconnected calls later listeners: %s", async (_, create) => {
    const exchange = create();
    expect(exchange.isGone).toBe(true);
    await new Promise<void>((resolve) => exchange.onClose(resolve));
    expect(await exchange.readBody({ maxBytes: 100, timeout: 10_000 })).toEqual({ kind: "lost" });
    const writer = exchange.stream({});
    await new Promise<void>((resolve) => writer.onClose(resolve));
    writer.write("x".repeat(100_000));
    await writer.drained();
  });
});

it("the stream of a client that leaves ends without an error, which frameworks of the web platform would log", async () => {
  const client = new AbortController();
  const exchange = new FetchExchange(new Request("http://localhost/", { signal: client.signal }));
  exchange.stream({}).write(": comment\n\n");
  const { body } = await exchange.response;
  client.abort();
  expect(await new Response(body).text()).toBe(": comment\n\n");
});

it("a client that is authenticated after the server has closed is not served", async () => {
  let admit = (_: Identity): void => {};
  let isRequested = false;
  const connections: Connection[] = [];
  const handler = createServiceHandler(createService({}, connections), {
    authenticate: () => {
      isRequested = true;
      return new Promise<Identity>((resolve) => (admit = resolve));
    },
  });
  const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  const body = JSON.stringify(initialize("2025-11-25"));
  const response = handler.fetch(new Request("http://localhost/", { method: "POST", headers, body }));
  await until(() => isRequested);
  await handler.close();
  admit(me);
  expect((await response).status).toBe(503);
  expect(connections).toEqual([]);
});
