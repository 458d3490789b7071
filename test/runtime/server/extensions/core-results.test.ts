import { afterEach, describe, expect, test } from "vitest";
import {
  fail,
  isObject,
  type Check,
  type Extension,
  type NoRows,
  type NotificationRow,
  type RequestRow,
} from "../../../../generated/support.ts";
import { connect } from "../../../../runtime/client/connect.ts";
import { connectHttp } from "../../../../runtime/client/connect-http.ts";
import type { ConnectionFactory } from "../../../../runtime/client/connection-factory.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import { defineExtension } from "../../../../runtime/server/extensions/define-extension.ts";
import { serve } from "../../../../runtime/server/run/acceptor.ts";
import { serveHttp } from "../../../../runtime/server/run/serve-http.ts";
import { createInMemoryTransports } from "../../../../runtime/transport/memory.ts";
import { createGateway } from "../../../../runtime/gateway/gateway.ts";
import { serveGatewayHttp } from "../../../../runtime/gateway/serve.ts";
import type { MiddlewareMessage, Next } from "../../../../runtime/protocol/peer/message-middleware.ts";
import type { ServerRequest } from "../../../../runtime/server/middleware/middleware.ts";
import { statelessRevision } from "../../../kit/revisions.ts";

/*
 * An extension that adds to methods of the core, with nothing but middleware: calls of tools return a ticket, with which the client fetches the result,
 * and a subscription may contain tickets to be notified of.
 */

const id = "com.example/ticket";
const gate = { side: "server", path: ["extensions", id] } as const;
const checkTicket: Check = (value) =>
  isObject(value) && typeof value.ticket === "string" ? undefined : fail("string", "ticket");

interface Ticket {
  readonly ticket: string;
}

const fetchRow: RequestRow<Ticket, object> = {
  kind: "request",
  method: "ticket/fetch",
  handler: "fetchTicket",
  params: checkTicket,
  paramsOptional: false,
  result: () => undefined,
  gate,
  needs: { side: "client", path: gate.path },
};

const readyRow: NotificationRow<Ticket> = {
  kind: "notification",
  method: "notifications/ticket/ready",
  handler: "ticketReady",
  params: checkTicket,
  paramsOptional: false,
  gate,
};

const checkTickets: Check = (value) =>
  isObject(value) && (value.tickets === undefined || Array.isArray(value.tickets))
    ? undefined
    : fail("array", "tickets");

const extension: Extension<{
  readonly clientRequests: { readonly "ticket/fetch": RequestRow<Ticket, object> };
  readonly serverRequests: NoRows;
  readonly clientNotifications: NoRows;
  readonly serverNotifications: { readonly "notifications/ticket/ready": NotificationRow<Ticket> };
}> = {
  id,
  status: "released",
  lifecycles: ["per-request"],
  declared: { client: () => undefined, server: () => undefined },
  clientRequests: { "ticket/fetch": fetchRow },
  serverRequests: {},
  clientNotifications: {},
  serverNotifications: { "notifications/ticket/ready": readyRow },
  headers: [],
  results: [{ method: "tools/call", kind: "ticket", check: checkTicket }],
  members: [
    { method: "subscriptions/listen", at: ["notifications"], check: checkTickets },
    { method: "notifications/subscriptions/acknowledged", at: ["notifications"], check: checkTickets },
  ],
};

/** Returns the extension of a server: the work goes on after the response. */
function serveTickets(): Extension {
  const work = new Map<string, Promise<unknown>>();
  const listening = new Map<unknown, { readonly tickets: unknown; notify(ticket: string): Promise<void> }>();
  const begin = (next: Next): object => {
    const ticket = String(work.size + 1);
    const result = next();
    work.set(ticket, result);
    void result.then(() => Promise.all([...listening.values()].map((listener) => listener.notify(ticket))));
    return { resultType: "ticket", ticket };
  };
  const listen = async ({ params, context }: ServerRequest, next: Next): Promise<unknown> => {
    const { notifications }: { readonly notifications?: unknown } = Object(params);
    const { tickets }: { readonly tickets?: unknown } = Object(notifications);
    listening.set(context.requestId, {
      tickets,
      async notify(ticket) {
        if (!Array.isArray(tickets) || !tickets.includes(ticket)) return;
        await context.notify(readyRow.method, { ticket, _meta: { [subscription]: context.requestId } });
      },
    });
    return next().finally(() => listening.delete(context.requestId));
  };
  return defineExtension(extension, {
    requests: {
      async "ticket/fetch"({ ticket }) {
        return { found: await work.get(ticket) };
      },
    },
    setup: () => ({
      middleware: [
        {
          receive: {
            request(request, next) {
              const { extensions }: { readonly extensions?: unknown } = request.session?.peer.capabilities ?? {};
              if (!isObject(extensions) || !(id in extensions)) return next();
              if (request.method === "tools/call") return begin(next);
              return request.method === "subscriptions/listen" && isServerRequest(request)
                ? listen(request, next)
                : next();
            },
          },
          send: {
            notification({ method, params }, next) {
              if (method !== "notifications/subscriptions/acknowledged" || !isObject(params)) return next();
              const { tickets } = listening.get(Object(params._meta)[subscription]) ?? {};
              return next({ params: { ...params, notifications: { ...Object(params.notifications), tickets } } });
            },
          },
        },
      ],
    }),
  });
}

/** True at a server, whose requests have a context. */
function isServerRequest(request: MiddlewareMessage): request is ServerRequest {
  return "context" in request;
}

const subscription = "io.modelcontextprotocol/subscriptionId";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const ways: Readonly<Record<string, (server: Server) => Promise<ConnectionFactory>>> = {
  "in memory": async (server) => (options) => {
    const [near, far] = createInMemoryTransports();
    serve(server, far);
    return connect(near, options);
  },
  "over HTTP": async (server) => {
    const { url, close } = await serveHttp(server, { port: 0 });
    closing.push(close);
    return (options) => connectHttp(url, options);
  },
  "through a gateway": async (server) => {
    const upstream = await serveHttp(server, { port: 0 });
    const gateway = await createGateway(
      { kind: "url", url: upstream.url },
      { revisions: [statelessRevision], extensions: [extension] },
    );
    const listener = await serveGatewayHttp(gateway);
    closing.push(
      () => upstream.close(),
      () => gateway.close(),
      () => listener.close(),
    );
    return (options) => connectHttp(listener.url, options);
  },
};

describe.each(Object.entries(ways))("%s", (way, open) => {
  test("an extension adds a result to calls of tools, work after the response, and a member of a subscription", async () => {
    let release = (): void => {};
    const tools = [
      {
        name: "slow",
        execute: async () => {
          await new Promise<void>((resolve) => (release = resolve));
          return "done";
        },
      },
    ];
    const ready: string[] = [];
    const server = createServer(
      { name: "test", version: "1", tools, listChanged: ["tools"], extensions: [serveTickets()] },
      [statelessRevision],
    );
    closing.push(() => server.close());
    const factory = await open(server);
    const join = async (extensions: readonly Extension[]) => {
      const client = createUntypedClient({
        info: { name: "test", version: "1" },
        revisions: [statelessRevision],
        extensions,
      });
      closing.push(() => client.close());
      return client.connect(factory);
    };
    const heard = defineExtension(extension, {
      notifications: { "notifications/ticket/ready": ({ ticket }) => void ready.push(ticket) },
    });
    const session = await join([heard]);
    void session.request("subscriptions/listen", { notifications: { tickets: ["1"] } }).catch(() => {});
    const given = await session.request("tools/call", { name: "slow", arguments: {} });
    expect(given).toMatchObject({ resultType: "ticket", ticket: "1" });
    release();
    expect(await session.request(fetchRow, { ticket: "1" })).toMatchObject({
      found: { content: [{ type: "text", text: "done" }] },
    });
    // A gateway passes on no members of filters that belong to extensions.
    if (way !== "through a gateway") await expect.poll(() => ready).toEqual(["1"]);
    const plain = (await join([])).request("tools/call", { name: "slow", arguments: {} });
    await expect
      .poll(() => (release(), Promise.race([plain, Promise.resolve()])))
      .toMatchObject({ content: [{ text: "done" }] });
  });
});
