import { describe, expect, onTestFinished, test } from "vitest";
import { joinCluster } from "../../../../cluster/cluster.ts";
import { isObject } from "../../../../generated/support.ts";
import { createMemoryCluster } from "../../../../cluster/memory-engine.ts";
import type { Engine } from "../../../../cluster/stores/engine.ts";
import type { LiveSessions } from "../../../../runtime/transport/http-server/session/session-directory.ts";
import { createServiceHandler } from "../../../../runtime/transport/http-server/handler.ts";
import type { Authenticate } from "../../../../runtime/transport/http-server/identity.ts";
import type { HttpOptions } from "../../../../runtime/transport/http-server/settings.ts";
import { override } from "../../../kit/override.ts";
import { createGate, type Gate, inTime } from "../../../kit/time.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { initialized, request } from "../../../kit/messages.ts";
import { acceptBoth, call, initialize, textOf } from "../../../kit/http-exchange.ts";
import { createService, type Tool } from "../../../kit/http-server.ts";

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

interface HttpResponse {
  readonly status: number;
  readonly session: string;
  readonly text: string;
}

interface Node {
  readonly name: string;
  readonly sessions: LiveSessions;
  fetch(sent?: Sent): Promise<Response>;
  send(sent?: Sent): Promise<HttpResponse>;
  /** Opens a session, and returns the headers of its requests. */
  open(headers?: Record<string, string>, revision?: string): Promise<Record<string, string>>;
  close(drain?: number): Promise<void>;
}

interface NodeOptions extends HttpOptions {
  readonly tools?: Record<string, Tool>;
  readonly areSessionsBound?: boolean;
  readonly readBoundState?: (params: unknown) => string | undefined;
}

/** Starts a node of a cluster, without a port. */
async function startNode(engine: Engine, options: NodeOptions = {}): Promise<Node> {
  const { tools = { echo: (_, args) => args.text }, areSessionsBound = false, readBoundState, ...given } = options;
  const cluster = await joinCluster(engine, { keys: [new Uint8Array(32).fill(1)], onError: () => {} });
  const captured: LiveSessions[] = [];
  const names: string[] = [];
  const watched = override(cluster, {
    createNode() {
      const directory = cluster.createNode();
      return override(directory, {
        start(sessions, ...rest) {
          captured.push(sessions);
          names.push(directory.createId({ isBound: true }).split(".")[1] ?? "");
          directory.start(sessions, ...rest);
        },
      });
    },
  });
  const clients = { audiences: [], attach() {}, setLogLevel() {}, notify() {}, notifyUpdated() {}, notifyTopic() {} };
  const service = { ...createService(tools), areSessionsBound, clients, ...(readBoundState && { readBoundState }) };
  const handler = createServiceHandler(service, { cluster: watched, authenticate: byName, ...given });
  onTestFinished(async () => {
    await handler.close({ drain: 0 });
    await cluster.close();
  });
  const [[sessions], [name = ""]] = [captured, names];
  if (!sessions) throw new Error("The node has not started");
  const fetch = ({ method = "POST", headers, body }: Sent = {}): Promise<Response> => {
    const fields = { accept: acceptBoth, "content-type": "application/json", ...headers };
    const init = { method, headers: fields, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return handler.fetch(new Request("http://localhost/mcp", init));
  };
  const send = async (sent: Sent = {}): Promise<HttpResponse> => {
    const response = await fetch(sent);
    const text = await response.text();
    return {
      status: response.status,
      session: response.headers.get("mcp-session-id") ?? "",
      // A relaying node responds with a stream.
      text: /^data: (\{.*)$/m.exec(text)?.[1] ?? text,
    };
  };
  return {
    name,
    sessions,
    fetch,
    send,
    async open(extra = {}, revision = "2025-03-26") {
      const { session } = await send({ body: initialize(revision), headers: extra });
      const headers = { ...extra, "mcp-session-id": session };
      await send({ body: initialized, headers });
      return headers;
    },
    close: (drain = 0) => handler.close({ drain }),
  };
}

/** Two nodes of one cluster. */
async function startTwo(options: NodeOptions = {}, wrap: (engine: Engine) => Engine = (engine) => engine) {
  const memory = createMemoryCluster();
  const first = await startNode(wrap(memory.connect()), options);
  const second = await startNode(memory.connect(), options);
  return { first, second };
}

const byName: Authenticate = (head) => ({ principal: head.header("x-user") ?? "ann" });
const echo = (id: number): object => call(id, "echo", { text: `echo ${id}` });
const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } } as const;
const unfit = { "mcp-protocol-version": "1999-01-01" };

/** Tools of which one waits until the test lets it end, or its call is cancelled. */
function createWait(): { tools: Record<string, Tool>; begun: Gate; over: Gate; aborts: readonly boolean[] } {
  const [begun, over] = [createGate(), createGate()];
  const aborts: boolean[] = [];
  const tools: Record<string, Tool> = {
    echo: (_, args) => args.text,
    async wait({ signal }) {
      signal.addEventListener("abort", over.open);
      begun.open();
      await over.opened;
      aborts.push(signal.aborted);
      return "done";
    },
  };
  return { tools, begun, over, aborts };
}

/** Sends a call again until its id is free: the end of a reservation is stored in the background. */
async function repeat(node: Node, headers: Record<string, string>, id: number): Promise<string> {
  let text = "";
  const send = async (): Promise<number> => {
    const response = await node.send({ headers, body: echo(id) });
    text = response.text;
    return response.status;
  };
  await expect.poll(send).toBe(200);
  return textOf(text);
}

describe("the ids of a rejected POST of a cluster", () => {
  test.each([
    ["that any node can serve", false],
    ["that only its own node can serve", true],
  ])("the ids of a rejected POST of a session %s may be used again at each node", async (_which, areSessionsBound) => {
    const { first, second } = await startTwo({ areSessionsBound });
    const headers = await first.open();
    for (const [id, rejecting] of [first, second].entries()) {
      const rejected = await rejecting.send({ headers: { ...headers, ...unfit }, body: [echo(id), echo(id + 10)] });
      expect([rejected.status, rejected.text]).toEqual([400, expect.stringContaining("Unsupported protocol version")]);
      for (const [repeated, node] of [
        [id, second],
        [id + 10, first],
      ] as const) {
        expect(await repeat(node, headers, repeated)).toBe(`echo ${repeated}`);
      }
    }
  });

  test.each([
    ["that any node can serve", false],
    ["that only its own node can serve", true],
  ])(
    "the id of a running call of a session %s stays reserved when it is rejected",
    async (_which, areSessionsBound) => {
      const { tools, begun, over } = createWait();
      const { first, second } = await startTwo({ tools, areSessionsBound });
      const headers = await first.open();
      const running = first.send({ headers, body: call(1, "wait") });
      await begun.opened;
      for (const node of [first, second]) {
        expect((await node.send({ headers: { ...headers, ...unfit }, body: [echo(1), echo(2)] })).status).toBe(400);
        const repeated = await node.send({ headers, body: echo(1) });
        expect([repeated.status, repeated.text]).toEqual([
          400,
          expect.stringContaining("already used by a running request"),
        ]);
      }
      over.open();
      expect(textOf((await running).text)).toBe("done");
    },
  );
});

/** Holds the next access of a node to its sessions, once it has been performed. */
function holdAccesses(): { wrap(engine: Engine): Engine; hold(): { readonly held: Gate; readonly let: Gate } } {
  let next: { readonly held: Gate; readonly let: Gate } | undefined;
  return {
    wrap: (engine) =>
      override(engine, {
        sessions: override(engine.sessions, {
          async access(key, access) {
            const found = await engine.sessions.access(key, access);
            const holding = next;
            next = undefined;
            holding?.held.open();
            await holding?.let.opened;
            return found;
          },
        }),
      }),
    hold() {
      next = { held: createGate(), let: createGate() };
      return next;
    },
  };
}

describe("a node that closes while it searches for a session", () => {
  test.each([false, true])(
    "the ids of a POST may be used at another node; the session lives here: %s",
    async (lives) => {
      const accesses = holdAccesses();
      const { first, second } = await startTwo({}, accesses.wrap);
      const headers = await (lives ? first : second).open();
      const search = accesses.hold();
      const late = first.send({ headers, body: echo(1) });
      await search.held.opened;
      const closed = first.close();
      search.let.open();
      expect((await late).status).toBe(503);
      await closed;
      expect(await repeat(second, headers, 1)).toBe("echo 1");
    },
  );

  test("a cancellation is accepted by the node that runs the call", async () => {
    const accesses = holdAccesses();
    const { tools, begun, aborts } = createWait();
    const { first } = await startTwo({ tools }, accesses.wrap);
    const headers = await first.open();
    const running = first.send({ headers, body: call(1, "wait") });
    await begun.opened;
    const search = accesses.hold();
    const late = first.send({ headers, body: cancelled });
    await search.held.opened;
    const closed = first.close(60_000);
    search.let.open();
    expect((await late).status).toBe(202);
    await Promise.all([closed, running]);
    expect(aborts).toEqual([true]);
  });

  test("a session that DELETE names is not ended by a node that rejects the request", async () => {
    const accesses = holdAccesses();
    const { first, second } = await startTwo({}, accesses.wrap);
    const headers = await second.open();
    const search = accesses.hold();
    const late = first.send({ method: "DELETE", headers });
    await search.held.opened;
    const closed = first.close();
    search.let.open();
    expect((await late).status).toBe(503);
    await closed;
    expect((await second.send({ headers, body: echo(1) })).status).toBe(200);
  });
});

test.each([
  ["that another node has opened", false, false],
  ["that this node has opened", true, false],
  ["that only this node can serve", true, true],
])(
  "a call does not run if another node ends its session, %s, while it is checked",
  async (_which, lives, areSessionsBound) => {
    const accesses = holdAccesses();
    const ran: string[] = [];
    const tools = { note: () => void ran.push("note") };
    const { first, second } = await startTwo({ tools, areSessionsBound }, accesses.wrap);
    const headers = await (lives ? first : second).open();
    const search = accesses.hold();
    const late = first.send({ headers, body: call(1, "note") });
    await search.held.opened;
    expect((await second.send({ method: "DELETE", headers })).status).toBe(204);
    search.let.open();
    expect([(await late).status, ran]).toEqual([404, []]);
    const key = { id: String(headers["mcp-session-id"]), owner: "ann" };
    expect(first.sessions.findLive(key)).toBeUndefined();
  },
);

test.each([false, true])(
  "a stream that GET opens ends if another node ends its session meanwhile; the session lives here: %s",
  async (lives) => {
    const accesses = holdAccesses();
    const { first, second } = await startTwo({}, accesses.wrap);
    const headers = await (lives ? first : second).open();
    const search = accesses.hold();
    const opened = first.fetch({ method: "GET", headers });
    await search.held.opened;
    expect((await second.send({ method: "DELETE", headers })).status).toBe(204);
    search.let.open();
    await inTime((await opened).text(), "the end of the stream");
    const key = { id: String(headers["mcp-session-id"]), owner: "ann" };
    expect(first.sessions.findLive(key)).toBeUndefined();
  },
);

describe("the sessions of a node for other nodes", () => {
  test("a session is found by its owner, and no longer when the node has closed", async () => {
    const { first, second } = await startTwo();
    const headers = await first.open({ "x-user": "ann" });
    const id = String(headers["mcp-session-id"]);
    const owned = { id, owner: "ann" };
    for (const owner of ["bob", undefined]) {
      expect(first.sessions.findLive({ id, owner })).toBeUndefined();
      expect(await first.sessions.use({ id, owner })).toBeUndefined();
    }
    expect(first.sessions.findLive(owned)?.key).toEqual(owned);
    expect(await first.sessions.use(owned)).toBe(first.sessions.findLive(owned));
    expect(second.sessions.findLive(owned)).toBeUndefined();
    expect((await second.sessions.use(owned))?.key).toEqual(owned);
    await second.close();
    expect(await second.sessions.use(owned)).toBeUndefined();
  });

  test("a session that only its own node can serve names that node, and is not served by another", async () => {
    const { first, second } = await startTwo({ areSessionsBound: true });
    const headers = await first.open({ "x-user": "ann" });
    const key = { id: String(headers["mcp-session-id"]), owner: "ann" };
    expect(key.id).toMatch(/\.[0-9a-z]{13}$/);
    expect(await second.sessions.use(key)).toBeUndefined();
    const { status, text } = await second.send({ headers, body: echo(1) });
    expect([status, textOf(text)]).toEqual([200, "echo 1"]);
    for (const [method, foreign] of [["POST", echo(2)], ["DELETE"]] as const) {
      const sent = { method, headers: { ...headers, "x-user": "bob" }, ...(foreign && { body: foreign }) };
      expect((await second.send(sent)).status).toBe(404);
    }
    expect((await second.send({ method: "DELETE", headers })).status).toBe(204);
    expect((await first.send({ headers, body: echo(3) })).status).toBe(404);
  });

  test("a session of any node has an id without the name of a node", async () => {
    const { first } = await startTwo();
    expect((await first.open())["mcp-session-id"]).not.toContain(".");
  });
});

describe("a stateless request to a node of a cluster", () => {
  test.each([
    ["without a state", () => undefined, ["first"]],
    ["with a state of its own", (own: string) => `state.${own}`, ["first"]],
    ["with a state of another node", (_own: string, other: string) => `state.${other}`, ["second"]],
    ["with a state that names no node", () => "state", ["first"]],
  ])("a stateless request %s is handled by the right node", async (_what, stateOf, handled) => {
    const memory = createMemoryCluster();
    const seen: string[] = [];
    const node = (name: string) =>
      startNode(memory.connect(), {
        tools: { note: () => void seen.push(name) },
        readBoundState: (params) => {
          const state = isObject(params) && isObject(params.arguments) ? params.arguments.state : undefined;
          return typeof state === "string" ? state : undefined;
        },
      });
    const [first, second] = [await node("first"), await node("second")];
    const state = stateOf(first.name, second.name);
    const body = request(1, "tools/call", { name: "note", arguments: { ...(state !== undefined && { state }) } });
    const headers = { "mcp-protocol-version": statelessRevision.id, "mcp-method": "tools/call", "mcp-name": "note" };
    const { status, text } = await first.send({ headers, body });
    expect([status, JSON.parse(text), seen]).toEqual([200, expect.objectContaining({ id: 1 }), handled]);
  });
});

test("a batch of which some messages belong to another node is shared between the nodes", async () => {
  const { tools, begun, aborts } = createWait();
  const { first, second } = await startTwo({ tools });
  const headers = await first.open();
  const running = first.send({ headers, body: call(1, "wait") });
  await begun.opened;
  const { status, text } = await second.send({ headers, body: [cancelled, echo(2)] });
  expect([status, JSON.parse(text)]).toMatchObject([200, [{ id: 2, result: { content: [{ text: "echo 2" }] } }]]);
  expect((await running).status).toBe(202);
  expect(aborts).toEqual([true]);
  expect(await second.send({ headers, body: [cancelled, cancelled] })).toMatchObject({ status: 202, text: "" });
});

/** Opens a stream by GET and cuts it. Returns the headers with which it is resumed. */
async function cutStream(node: Node, headers: Record<string, string>): Promise<Record<string, string>> {
  const opened = (await node.fetch({ method: "GET", headers })).body?.getReader();
  const { value } = (await opened?.read()) ?? {};
  const [, last = ""] = /^id: (.+)$/m.exec(new TextDecoder().decode(value)) ?? [];
  await opened?.cancel();
  return { ...headers, "last-event-id": last };
}

test.each([
  ["that any node can serve", false],
  ["that only its own node can serve", true],
])(
  "a resumption gets 404 if another node ends its session, %s, while the events are read",
  async (_which, areSessionsBound) => {
    const [reading, read] = [createGate(), createGate()];
    const { first, second } = await startTwo({ areSessionsBound }, (engine) =>
      override(engine, {
        events: override(engine.events, {
          async read(...given) {
            reading.open();
            await read.opened;
            return engine.events.read(...given);
          },
        }),
      }),
    );
    const resume = await cutStream(second, await second.open({}, "2025-11-25"));
    const late = first.send({ method: "GET", headers: resume });
    await reading.opened;
    expect((await second.send({ method: "DELETE", headers: resume })).status).toBe(204);
    read.open();
    expect((await late).status).toBe(404);
  },
);

/** Resumes a stream at a node with two requests at once. The latter adopts the stream after a call of the returned function. */
async function resumeTwice() {
  const memory = createMemoryCluster();
  const engine = memory.connect();
  const [adopting, adopt] = [createGate(), createGate()];
  let adoptions = 0;
  const adoptLater: Engine["events"]["adopt"] = async (...given) => {
    adoptions += 1;
    if (adoptions === 2) {
      adopting.open();
      await adopt.opened;
    }
    return engine.events.adopt(...given);
  };
  const first = await startNode(memory.connect());
  const second = await startNode(override(engine, { events: override(engine.events, { adopt: adoptLater }) }));
  const headers = await first.open({}, "2025-11-25");
  const resume = { method: "GET", headers: await cutStream(first, headers) };
  const requests = [second.fetch(resume), second.fetch(resume)];
  await adopting.opened;
  // A slow store may adopt the stream for the later request first.
  const former = await Promise.race(requests);
  const latter = Promise.all(requests).then((responses) => responses.find((response) => response !== former) ?? former);
  return { second, headers, former, latter, adopt: adopt.open };
}

test("a stream that two requests resume at once ends with its session, though the first connection is gone", async () => {
  const { second, headers, former, latter, adopt } = await resumeTwice();
  await former.body?.cancel();
  adopt();
  const body = (await latter).text();
  expect((await second.send({ method: "DELETE", headers })).status).toBe(204);
  await inTime(body, "the end of the stream");
});

test("a stream that two requests resume at once has one connection: the other ends, so that its client resumes it again", async () => {
  const { former, latter, adopt } = await resumeTwice();
  adopt();
  const { body } = await latter;
  await inTime(former.text(), "the end of the connection");
  await body?.cancel();
});
