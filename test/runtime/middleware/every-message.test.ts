import { afterEach, describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../generated/support.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { connectHttp } from "../../../runtime/client/connect-http.ts";
import type { Connectable } from "../../../runtime/client/connection-factory.ts";
import { createUntypedClient } from "../../../runtime/client/create-client.ts";
import { createGateway } from "../../../runtime/gateway/gateway.ts";
import { observeChannel } from "../../../runtime/gateway/traffic/observe-channel.ts";
import type { MessageMiddleware, MiddlewareMessage } from "../../../runtime/protocol/peer/message-middleware.ts";
import type { Telemetry } from "../../../runtime/protocol/session/telemetry.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import type { HttpListener } from "../../../runtime/transport/http-server/listen.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { settle } from "../server/connected.ts";

/* One scripted session. Middleware of a client, a gateway and a server sees what is on the wire at its end: each message once. */

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Messages with a method at both ends of one party: on the wire, and in its middleware. */
class Party {
  readonly wire: string[] = [];
  readonly seen: string[] = [];

  readonly telemetry: Telemetry = {
    observe: (channel, { role }) => {
      const note = (way: string, message: unknown): void => {
        if (!isObject(message) || typeof message.method !== "string") return;
        this.wire.push(`${role} ${way} ${"id" in message ? "request" : "notification"} ${message.method}`);
      };
      return observeChannel(channel, {
        sent: (message) => note("send", message),
        received: (message) => note("receive", message),
        unreadable: ({ message }) => note("receive", { method: message }),
      });
    },
  };

  readonly middleware: MessageMiddleware = {
    receive: { request: this.#record("receive request"), notification: this.#record("receive notification") },
    send: { request: this.#record("send request"), notification: this.#record("send notification") },
  };

  #record(kind: string): (message: MiddlewareMessage, next: () => Promise<unknown>) => unknown {
    return ({ method, role, session }, next) => {
      this.seen.push(`${role} ${kind} ${method}`);
      if (session) expect(session.role).toBe(role);
      return next();
    };
  }
}

interface Parties {
  readonly client: Party;
  readonly server: Party;
  readonly gateway: Party;
}

interface Scripted {
  readonly server: Server;
  /** Resolves when the tool that waits for its cancellation has begun. */
  readonly waiting: Promise<void>;
}

function defineServer({ middleware }: Party): Scripted {
  let begin = (): void => {};
  const waiting = new Promise<void>((resolve) => (begin = resolve));
  const server = createServer(
    {
      name: "scripted",
      version: "1",
      listChanged: true,
      subscribe: true,
      middleware: [middleware],
      tools: [
        {
          name: "work",
          async execute(_args, { progress, log, sample }) {
            await progress(1, 2);
            await log("info", "working");
            await progress(2, 2);
            if (typeof sample === "function") await sample("Tell", { maxTokens: 10 });
            return "done";
          },
        },
        {
          name: "wait",
          execute: (_args, { signal }) =>
            new Promise((resolve) => {
              signal.addEventListener("abort", () => resolve(""));
              begin();
            }),
        },
      ],
      resources: [{ uri: "a://b", name: "b", read: () => "text" }],
    },
    revisions,
  );
  return { server, waiting };
}

interface Setup {
  readonly server: Server;
  readonly parties: Parties;
}

async function openMemory({ server, parties }: Setup): Promise<Connectable> {
  return (options) => {
    const [near, far] = createInMemoryTransports();
    serve(server, far, { telemetry: parties.server.telemetry });
    return connect(near, options);
  };
}

async function listen({ server, parties }: Setup, sessions: boolean): Promise<HttpListener> {
  const listener = await serveHttp(server, {
    port: 0,
    closeTimeout: 0,
    telemetry: parties.server.telemetry,
    ...(!sessions && { sessions: false }),
  });
  ends.push(() => listener.close());
  return listener;
}

async function openGateway(setup: Setup, upstream: Connectable): Promise<Connectable> {
  if (typeof upstream !== "function") throw new Error("The gateway needs a function");
  const { telemetry, middleware } = setup.parties.gateway;
  const gateway = await createGateway(upstream, { revisions, telemetry, middleware: [middleware] });
  ends.push(() => gateway.close());
  return (options) => {
    const [near, far] = createInMemoryTransports();
    gateway.accept(far);
    return connect(near, options);
  };
}

const ways: readonly (readonly [string, (setup: Setup) => Promise<Connectable>])[] = [
  ["a channel", openMemory],
  [
    "HTTP",
    async (setup) => {
      const { url } = await listen(setup, true);
      return (options) => connectHttp(url, options);
    },
  ],
  [
    "HTTP without sessions",
    async (setup) => {
      const { url } = await listen(setup, false);
      return (options) => connectHttp(url, options);
    },
  ],
  ["a gateway", async (setup) => openGateway(setup, await openMemory(setup))],
  [
    "a gateway before HTTP",
    async (setup) => {
      const { url } = await listen(setup, true);
      return openGateway(setup, (options) => connectHttp(url, options));
    },
  ],
];

const cases = ways.flatMap(([way, open]) => revisions.map((revision) => ({ way, open, revision, id: revision.id })));

describe("a scripted session", () => {
  test.each(cases)("middleware sees each message once over $way at $id", async ({ way, open, revision }) => {
    const parties = { client: new Party(), server: new Party(), gateway: new Party() };
    const { server, waiting } = defineServer(parties.server);
    const hasSessions = way !== "HTTP without sessions";
    const setup = { server, parties, revision, waiting, hasSessions };
    await run(await open(setup), setup);
    for (const end of ends.splice(0).reverse()) await end();
    for (const { wire, seen } of Object.values(parties)) expect(seen.toSorted()).toEqual(wire.toSorted());
    const isWhole = way === "a channel" || way === "HTTP";
    const expected = revision.lifecycle === "handshake" ? handshakeMethods : statelessMethods;
    if (isWhole) for (const one of expected) expect(parties.server.seen).toContain(one);
  });
});

const common: readonly string[] = [
  "server receive request tools/list",
  "server receive request tools/call",
  "server send notification notifications/progress",
  "server send notification notifications/message",
  "server send notification notifications/tools/list_changed",
  "server send notification notifications/resources/updated",
];

const handshakeMethods: readonly string[] = [
  ...common,
  "server receive request initialize",
  "server receive request ping",
  "server receive request resources/subscribe",
  "server receive notification notifications/initialized",
  "server receive notification notifications/cancelled",
  "server send request sampling/createMessage",
];

const statelessMethods: readonly string[] = [
  ...common,
  "server receive request server/discover",
  "server receive request subscriptions/listen",
  "server send notification notifications/subscriptions/acknowledged",
];

interface Script extends Setup {
  readonly revision: Revision;
  readonly waiting: Promise<void>;
  readonly hasSessions: boolean;
}

/** Uses everything that the revision has. Steps that the transport does not offer may fail. */
async function run(source: Connectable, { server, parties, revision, waiting, hasSessions }: Script): Promise<void> {
  const { telemetry, middleware } = parties.client;
  const client = createUntypedClient({
    info: { name: "test", version: "1" },
    revisions: [revision],
    telemetry,
    middleware: [middleware],
    sampling: { createMessage: () => ({ role: "assistant", content: { type: "text", text: "42" }, model: "m" }) },
    roots: [],
    logLevel: "debug",
    onListChanged() {},
    onLog() {},
  });
  ends.push(() => client.close());
  const session = await client.connect(source);
  const attempt = (step: Promise<unknown>): Promise<unknown> => step.catch(() => {});
  await session.listTools();
  await attempt(session.callTool("work", {}, { onProgress() {} }));
  if (revision.lifecycle === "handshake") await session.ping();
  await attempt(session.subscribe("a://b", () => {}));
  const controller = new AbortController();
  const cancelled = attempt(session.callTool("wait", {}, { signal: controller.signal }));
  await waiting;
  controller.abort();
  await cancelled;
  server.resources.notifyUpdated("a://b");
  server.tools.add({ name: "added", execute: () => "" });
  // A POST without a session does not declare the roots of its client: the server ignores the notification.
  if (hasSessions) client.roots.notifyListChanged();
  await settle();
  await session.readResource("a://b");
  await settle();
}
