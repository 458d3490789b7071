import { describe, expect, test } from "vitest";
import { ClientCalls } from "../../../../generated/2025-11-25/client.ts";
import { createAjvValidator } from "../../../../runtime/adapters/ajv.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import { isToolOutputError } from "../../../../runtime/client/errors.ts";
import type { DefaultClientSession } from "../../../../runtime/client/session/default-session.ts";
import { Metrics } from "../../../../runtime/jsonrpc/metrics.ts";
import type { Telemetry } from "../../../../runtime/protocol/session/telemetry.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import { runTranscript, type TranscriptLine } from "../../../../runtime/testing/transcript.ts";
import type { Wire } from "../../../../runtime/testing/wire.ts";
import { handshakeRevisions } from "../../../kit/revisions.ts";
import { openSession, type RawServer } from "./session-wire.ts";

const watched: RawServer = { capabilities: { tools: { listChanged: true }, prompts: { listChanged: true } } };
const everything: RawServer = {
  capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
};

function tool(name: string, more: object = {}): object {
  return { name, inputSchema: { type: "object" }, ...more };
}

/** Responds to the next request of the client. */
function respond(id: number, request: object, result: object): readonly TranscriptLine[] {
  return [
    ["~", { id, ...request }],
    [">", { id, result }],
  ];
}

/** Returns the outcome of a call to a server that follows a script. */
async function during<Result>(wire: Wire, call: Promise<Result>, script: readonly TranscriptLine[]): Promise<Result> {
  call.catch(() => {});
  await runTranscript(wire, script);
  return call;
}

const listTools = { method: "tools/list" };
const changed: TranscriptLine = '> {"method": "notifications/tools/list_changed"}';

describe("lists", () => {
  test("lists are read page by page until there is no cursor; an empty one is a cursor (N-01, N-03)", async () => {
    const { wire, session } = await openSession();
    const tools = await during(wire, session.listTools(), [
      ...respond(2, { method: "tools/list", params: {} }, { tools: [tool("a"), tool("b")], nextCursor: "" }),
      ...respond(3, { method: "tools/list", params: { cursor: "" } }, { tools: [], nextCursor: "x" }),
      ...respond(4, { method: "tools/list", params: { cursor: "x" } }, { tools: [tool("c")] }),
    ]);
    expect(tools).toEqual([tool("a"), tool("b"), tool("c")]);
  });

  test("lists that do not end in time are an error with the items that were read", async () => {
    const { wire, session } = await openSession({ maxPages: 2 });
    const calling = during(wire, session.listTools(), [
      ...respond(2, listTools, { tools: [tool("a")], nextCursor: "a" }),
      ...respond(3, listTools, { tools: [tool("b")], nextCursor: "b" }),
    ]);
    const error: unknown = await calling.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "IncompleteListError", items: [tool("a"), tool("b")] });
    const again = during(wire, session.listTools(), respond(4, listTools, { tools: [tool("c")] }));
    expect(await again).toEqual([tool("c")]);
  });

  test.each(handshakeRevisions.map(({ id }) => id))(
    "lists end with a cursor that is null at revision %s",
    async (revision) => {
      const { wire, session } = await openSession({}, { ...everything, revision });
      const lists = [
        ["tools/list", { tools: [tool("a")] }, () => session.listTools()],
        ["prompts/list", { prompts: [{ name: "p" }] }, () => session.listPrompts()],
        ["resources/list", { resources: [] }, () => session.listResources()],
        ["resources/templates/list", { resourceTemplates: [] }, () => session.listResourceTemplates()],
      ] as const;
      for (const [index, [method, result, read]] of lists.entries()) {
        const reading: Promise<readonly object[]> = read();
        const items = await during(wire, reading, respond(index + 2, { method }, { ...result, nextCursor: null }));
        expect(items).toEqual(Object.values(result)[0]);
      }
    },
  );

  const one = { uri: "file:///a", name: "a" };
  test.each([
    ["resources/list", { resources: [one] }, (session: DefaultClientSession) => session.listResources()],
    [
      "resources/templates/list",
      { resourceTemplates: [{ name: "a", uriTemplate: "file:///{a}" }] },
      (session: DefaultClientSession) => session.listResourceTemplates(),
    ],
    ["prompts/list", { prompts: [{ name: "a" }] }, (session: DefaultClientSession) => session.listPrompts()],
  ])("lists of every kind are read: %s (N-05)", async (method, page, read) => {
    const { wire, session } = await openSession({}, everything);
    expect(await during(wire, read(session), respond(2, { method }, page))).toEqual(Object.values(page)[0]);
  });

  test("lists are read only as far as needed when iterated", async () => {
    const { wire, session } = await openSession();
    const pages = session.pages("tools");
    const items = session.items("tools");
    const page = { tools: [tool("a")], nextCursor: "x" };
    expect(await during(wire, pages.next(), respond(2, listTools, page))).toEqual({ done: false, value: page });
    expect(await during(wire, items.next(), respond(3, listTools, page))).toEqual({ done: false, value: tool("a") });
    await runTranscript(wire, []);
  });

  test("lists are cached while the server declares list changes, and read again after one (TL-01)", async () => {
    const lists: string[] = [];
    const { wire, session } = await openSession({ onListChanged: (list) => lists.push(list) }, watched);
    await during(wire, session.listTools(), respond(2, listTools, { tools: [tool("a")] }));
    expect(await during(wire, session.listTools(), [])).toEqual([tool("a")]);
    await runTranscript(wire, ['> {"method": "notifications/prompts/list_changed"}']);
    expect(await during(wire, session.listTools(), [])).toEqual([tool("a")]);
    await runTranscript(wire, [changed]);
    expect(await during(wire, session.listTools(), respond(3, listTools, { tools: [] }))).toEqual([]);
    const again = during(wire, session.listTools({ refresh: true }), respond(4, listTools, { tools: [tool("b")] }));
    expect(await again).toEqual([tool("b")]);
    expect(lists).toEqual(["prompts", "tools"]);
  });

  test.each([
    ["tools", "tools", (session: DefaultClientSession) => session.listTools()],
    ["prompts", "prompts", (session: DefaultClientSession) => session.listPrompts()],
    ["resources", "resources", (session: DefaultClientSession) => session.listResources()],
    ["resources/templates", "resources", (session: DefaultClientSession) => session.listResourceTemplates()],
  ])("lists of %s are cached until the server notifies of changed %s", async (list, kind, read) => {
    const { wire, session } = await openSession({}, { capabilities: { [kind]: { listChanged: true } } });
    const member = list === "resources/templates" ? "resourceTemplates" : list;
    const request = { method: `${list}/list` };
    await during(wire, read(session), respond(2, request, { [member]: [] }));
    expect(await during(wire, read(session), [])).toEqual([]);
    await runTranscript(wire, [[">", { method: `notifications/${kind}/list_changed` }]]);
    await during(wire, read(session), respond(3, request, { [member]: [] }));
  });

  test("lists that change while they are being read are not cached", async () => {
    const { wire, session } = await openSession({}, watched);
    await during(wire, session.listTools(), [
      ["~", { id: 2, ...listTools }],
      changed,
      [">", { id: 2, result: { tools: [tool("old")] } }],
    ]);
    const fresh = during(wire, session.listTools(), respond(3, listTools, { tools: [tool("new")] }));
    expect(await fresh).toEqual([tool("new")]);
  });

  test.each([
    ["the server promises nothing", {}, {}],
    ["it is switched off", { cacheLists: false }, watched],
  ])("lists are read every time when %s", async (_, options, server) => {
    const { wire, session } = await openSession(options, server);
    for (const id of [2, 3]) await during(wire, session.listTools(), respond(id, listTools, { tools: [] }));
  });

  test("lists that were not read to their end are not cached as complete", async () => {
    const { wire, session } = await openSession({}, watched);
    const page = { tools: [tool("a")], nextCursor: "x" };
    expect(await during(wire, session.listTools({ maxPages: 1 }), respond(2, listTools, page))).toEqual([tool("a")]);
    const whole = during(wire, session.listTools(), [
      ...respond(3, listTools, page),
      ...respond(4, listTools, { tools: [tool("b")] }),
    ]);
    expect(await whole).toEqual([tool("a"), tool("b")]);
  });

  test("lists are not cached while the server cannot send notifications", async () => {
    const { wire, session, opening } = await openSession({}, watched);
    await during(wire, session.listTools(), respond(2, listTools, { tools: [] }));
    opening.onNotificationsLost();
    for (const id of [3, 4]) await during(wire, session.listTools(), respond(id, listTools, { tools: [] }));
  });

  test("lists are read from their start when the session changes in between (N-02)", async () => {
    const { wire, session, opening } = await openSession();
    const listing = session.listTools();
    await runTranscript(wire, [["~", { id: 2, ...listTools }]]);
    opening.onNewSession();
    const tools = await during(wire, listing, [
      [">", { id: 2, result: { tools: [tool("old")], nextCursor: "x" } }],
      ...respond(3, { method: "tools/list", params: {} }, { tools: [tool("new")] }),
    ]);
    expect(tools).toEqual([tool("new")]);
  });

  test("lists never carry a cursor into another session (N-02)", async () => {
    const { wire, session, opening } = await openSession();
    const pages = session.pages("tools");
    await during(wire, pages.next(), respond(2, listTools, { tools: [], nextCursor: "x" }));
    opening.onNewSession();
    await expect(pages.next()).rejects.toMatchObject({ name: "SessionExpiredError" });
    await runTranscript(wire, []);
  });
});

test("a session closes at the end of its block", async () => {
  const { session, client } = await openSession();
  {
    await using closing = session;
    expect(closing).toBe(session);
  }
  await expect(session.ping()).rejects.toMatchObject({ name: "ClosedError" });
  await client.close();
});

test("the settings of a client reach each connection", async () => {
  const metrics = new Metrics();
  const observed: string[] = [];
  const telemetry: Telemetry = {
    observe(channel, { role }) {
      observed.push(role);
      return channel;
    },
  };
  const { opening, client } = await openSession({ metrics, telemetry, progressRate: { burst: 1, perSecond: 1 } });
  expect(observed).toEqual(["client"]);
  expect(metrics.read().connections).toBe(1);
  expect(opening.progressRate).toEqual({ burst: 1, perSecond: 1 });
  await client.close();
});

describe("calls", () => {
  const content = [{ type: "text", text: "ok" }];

  test.each([
    [
      "tools/call",
      { name: "t", arguments: { a: 1 } },
      { content },
      (session: DefaultClientSession) => session.callTool("t", { a: 1 }),
    ],
    ["tools/call", { name: "t" }, { content, isError: true }, (session: DefaultClientSession) => session.callTool("t")],
    [
      "resources/read",
      { uri: "a:b" },
      { contents: [] },
      (session: DefaultClientSession) => session.readResource("a:b"),
    ],
    [
      "prompts/get",
      { name: "p", arguments: { a: "1" } },
      { messages: [] },
      (session: DefaultClientSession) => session.getPrompt("p", { a: "1" }),
    ],
  ])("calls of the session: %s", async (method, params, result, call) => {
    const { wire, session } = await openSession({}, everything);
    expect(await during(wire, call(session), respond(2, { method, params }, result))).toEqual(result);
  });

  test("calls complete with the arguments that were chosen before (K-04)", async () => {
    const { wire, session } = await openSession({}, everything);
    const params = {
      ref: { type: "ref/prompt", name: "p" },
      argument: { name: "b", value: "x" },
      context: { arguments: { a: "1" } },
    };
    const completion = { values: ["xy"], hasMore: false };
    const request = { method: "completion/complete", params };
    expect(await during(wire, session.complete(params), respond(2, request, { completion }))).toEqual(completion);
  });

  test("calls carry metadata, a signal and progress (G-01, C-01)", async () => {
    const { wire, session } = await openSession();
    const controller = new AbortController();
    const seen: unknown[] = [];
    const call = session.callTool("t", undefined, {
      meta: { trace: 1 },
      signal: controller.signal,
      onProgress: (progress) => seen.push(progress),
    });
    call.catch(() => {});
    await runTranscript(wire, [
      ["<", { id: 2, method: "tools/call", params: { name: "t", _meta: { trace: 1, progressToken: 2 } } }],
      [">", { method: "notifications/progress", params: { progressToken: 2, progress: 1 } }],
    ]);
    controller.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await runTranscript(wire, [
      ["<", { method: "notifications/cancelled", params: { requestId: 2, reason: "enough" } }],
    ]);
    expect(seen).toEqual([{ progress: 1 }]);
  });

  test("calls of generated proxies use a session as well", async () => {
    const { wire, session } = await openSession();
    const calls = new ClientCalls(session);
    const result = await during(wire, calls.callTool({ name: "t" }), respond(2, { method: "tools/call" }, { content }));
    expect(result.content).toEqual(content);
    expect(await during(wire, calls.ping(), respond(3, { method: "ping" }, {}))).toEqual({});
  });

  test("calls without a capability of the server fail at the client (L-17)", async () => {
    const { wire, session } = await openSession();
    await expect(session.listPrompts()).rejects.toMatchObject({ name: "CapabilityError" });
    await expect(session.setLogLevel("info")).rejects.toMatchObject({ name: "CapabilityError" });
    await expect(session.subscribe("a:b", () => {})).rejects.toMatchObject({ name: "CapabilityError" });
    await runTranscript(wire, []);
  });

  test("calls of a tool return no task without a request for one (TK-06)", async () => {
    const { wire, session } = await openSession();
    const task = { taskId: "1", status: "working", createdAt: "x", lastUpdatedAt: "x", ttl: null };
    const call = during(wire, session.callTool("t"), respond(2, { method: "tools/call" }, { task }));
    await expect(call).rejects.toMatchObject({ name: "InvalidMessageError" });
  });
});

describe("structured results and the output schema (TL-12, C-082, C-084)", () => {
  const sum = tool("sum", {
    outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
  });
  const validator = createAjvValidator();
  const call = { method: "tools/call" };

  test.each([
    ["a wrong type", { structuredContent: { sum: "1" } }, ["sum"]],
    ["a missing member", { structuredContent: {} }, ["sum"]],
    ["nothing at all", {}, undefined],
  ])("a structured result with %s is a typed error", async (_, more, path) => {
    const { wire, session } = await openSession({ validator });
    const calling = during(wire, session.callTool("sum"), [
      ...respond(2, listTools, { tools: [sum] }),
      ...respond(3, call, { content: [], ...more }),
    ]);
    const error: unknown = await calling.catch((thrown: unknown) => thrown);
    expect(isToolOutputError(error)).toBe(true);
    expect(error).toMatchObject({
      tool: "sum",
      issues: [path ? { path } : { message: "the result has no structuredContent" }],
    });
  });

  test.each([
    ["what fits", "sum", { structuredContent: { sum: 1 } }],
    ["failures, which have none", "sum", { isError: true }],
    ["tools without a schema", "plain", {}],
    ["tools that are not listed", "hidden", {}],
  ])("a structured result with %s passes", async (_, name, more) => {
    const { wire, session } = await openSession({ validator });
    const result = { content: [], ...more };
    const script = [...respond(2, listTools, { tools: [sum, tool("plain")] }), ...respond(3, call, result)];
    expect(await during(wire, session.callTool(name), script)).toEqual(result);
    expect(await during(wire, session.callTool(name), respond(4, call, result))).toEqual(result);
  });

  test("a structured result with an invalid schema is not trusted", async () => {
    const { wire, session } = await openSession({ validator });
    const broken = tool("sum", { outputSchema: { type: "object", $ref: "https://example.org/elsewhere" } });
    const calling = during(wire, session.callTool("sum"), [
      ...respond(2, listTools, { tools: [broken] }),
      ...respond(3, call, { content: [], structuredContent: {} }),
    ]);
    await expect(calling).rejects.toThrow("the schema cannot be used");
  });

  test("structured results are not checked, and tools not listed, without a validator", async () => {
    const { wire, session } = await openSession();
    const result = { content: [], structuredContent: { sum: "1" } };
    expect(await during(wire, session.callTool("sum"), respond(2, call, result))).toEqual(result);
  });
});

describe("subscriptions", () => {
  const updated = (uri: string): TranscriptLine => [
    ">",
    { method: "notifications/resources/updated", params: { uri } },
  ];
  const subscribe = { method: "resources/subscribe", params: { uri: "file:///a" } };
  const unsubscribe = { method: "resources/unsubscribe", params: { uri: "file:///a" } };

  test("subscriptions call the listeners of a resource or of one above it (R-03)", async () => {
    const all: string[] = [];
    const received: string[] = [];
    const { wire, session } = await openSession({ onResourceUpdated: (uri) => all.push(uri) }, everything);
    const listen = session.subscribe("file:///a", (uri) => received.push(uri));
    await during(wire, listen, respond(2, subscribe, {}));
    await runTranscript(wire, ["file:///a", "file:///a/b", "file:///ab", "file:///"].map(updated));
    expect(received).toEqual(["file:///a", "file:///a/b"]);
    expect(all).toHaveLength(4);
  });

  test("subscriptions are one for the server, whatever the number of listeners, and end with the last", async () => {
    const { wire, session, reports } = await openSession({}, everything);
    const received: string[] = [];
    const first = await during(
      wire,
      session.subscribe("file:///a", () => received.push("1")),
      respond(2, subscribe, {}),
    );
    const second = await session.subscribe("file:///a", () => {
      received.push("2");
      throw new Error("listener");
    });
    await first();
    await first();
    await runTranscript(wire, [updated("file:///a")]);
    expect(received).toEqual(["2"]);
    expect(reports).toMatchObject([{ kind: "callback", error: { message: "listener" } }]);
    await during(wire, second(), respond(3, unsubscribe, {}));
    await runTranscript(wire, [updated("file:///a")]);
    expect(received).toEqual(["2"]);
  });

  test("subscriptions that the server rejects leave no state behind", async () => {
    const { wire, session } = await openSession({}, everything);
    const rejected = during(
      wire,
      session.subscribe("file:///a", () => {}),
      [
        ["~", { id: 2, ...subscribe }],
        [">", { id: 2, error: { code: -32002, message: "Not found" } }],
      ],
    );
    await expect(rejected).rejects.toMatchObject({ code: -32002 });
    await during(
      wire,
      session.subscribe("file:///a", () => {}),
      respond(3, subscribe, {}),
    );
  });

  test("subscriptions that the server rejects end at once, and each caller sends one request", async () => {
    const { wire, session } = await openSession({}, everything);
    const rejected: number[] = [];
    for (const caller of [1, 2]) session.subscribe("file:///a", () => {}).catch(() => rejected.push(caller));
    const error = { code: -32002, message: "Not found" };
    await runTranscript(wire, [
      ["~", { id: 2, ...subscribe }],
      [">", { id: 2, error }],
      ["~", { id: 3, ...subscribe }],
    ]);
    expect(rejected).toEqual([1]);
    await runTranscript(wire, [[">", { id: 3, error }]]);
    expect(rejected).toEqual([1, 2]);
  });

  test("subscriptions start again only when the server has ended the last one: requests may overtake each other (R-03)", async () => {
    const { wire, session } = await openSession({}, everything);
    const stop = await during(
      wire,
      session.subscribe("file:///a", () => {}),
      respond(2, subscribe, {}),
    );
    const stopping = stop();
    await runTranscript(wire, [["~", { id: 3, ...unsubscribe }]]);
    const again = session.subscribe("file:///a", () => {});
    await settle();
    expect(wire.sent).toEqual([]);
    await runTranscript(wire, [[">", { id: 3, result: {} }], ...respond(4, subscribe, {})]);
    await Promise.all([stopping, again]);
  });

  test("subscriptions that change several times end in the last state", async () => {
    const { wire, session } = await openSession({}, everything);
    const stop = await during(
      wire,
      session.subscribe("file:///a", () => {}),
      respond(2, subscribe, {}),
    );
    await Promise.all([stop(), session.subscribe("file:///a", () => {})]);
    await settle();
    await runTranscript(wire, []);
  });
});

describe("logging", () => {
  const entry = { level: "info", logger: "db", data: { a: 1 } };

  test("logging receives messages at the level that was set (O-02)", async () => {
    const entries: unknown[] = [];
    const { wire, session } = await openSession(
      { logLevel: "info", onLog: (taken) => entries.push(taken) },
      everything,
    );
    await runTranscript(wire, [
      ...respond(2, { method: "logging/setLevel", params: { level: "info" } }, {}),
      [">", { method: "notifications/message", params: entry }],
    ]);
    expect(entries).toEqual([entry]);
    const setting = session.setLogLevel("error");
    await during(wire, setting, respond(3, { method: "logging/setLevel", params: { level: "error" } }, {}));
  });

  test("logging sets no level where the server has no logging (O-01)", async () => {
    const { wire } = await openSession({ logLevel: "info" });
    await runTranscript(wire, []);
  });

  test("logging fails by itself when setting the level fails", async () => {
    const fail = (): never => {
      throw new Error("disk full");
    };
    const { wire, session, reports } = await openSession({ onLog: fail }, everything);
    await runTranscript(wire, [[">", { method: "notifications/message", params: entry }]]);
    expect(reports).toMatchObject([{ kind: "callback", error: { message: "disk full" } }]);
    await during(wire, session.ping(), respond(2, { method: "ping" }, {}));
  });
});

test.each<[what: string, options: object, message: string]>([
  ["an interval of 0", { keepAlive: { interval: 0 } }, "keepAlive.interval is 0; use a number above 0"],
  ["an interval that is no number", { keepAlive: { interval: NaN } }, "interval is NaN; use a number of 0 or more"],
  ["a timeout below 0", { requestTimeout: -1 }, "requestTimeout is -1; use a number of 0 or more"],
  ["a number of attempts that is no number", { reconnect: { attempts: NaN } }, "attempts is NaN"],
  ["a cache below 0", { cache: { maxEntries: -1 } }, "maxEntries is -1"],
])("a client with %s is not created", (_what, options, message) => {
  expect(() =>
    createUntypedClient({ info: { name: "c", version: "1" }, revisions: handshakeRevisions, ...options }),
  ).toThrow(message);
});

describe("keep-alive", () => {
  test("keep-alive pings at its interval while the server responds (P-03)", async () => {
    const clock = new ManualClock();
    const { wire } = await openSession({ clock, keepAlive: { interval: 10_000 } });
    await clock.pass(9_999);
    await runTranscript(wire, []);
    await clock.pass(1);
    await runTranscript(wire, respond(2, { method: "ping" }, {}));
    await clock.pass(10_000);
    await runTranscript(wire, respond(3, { method: "ping" }, {}));
  });

  test("keep-alive counts missing responses in a row, reports them and closes (P-02, P-04)", async () => {
    const clock = new ManualClock();
    const events: string[] = [];
    const { session, wire } = await openSession({
      clock,
      keepAlive: { interval: 10_000, timeout: 1_000, failures: 2 },
      onEvent: (event) => events.push(event.kind),
    });
    await clock.pass(11_000);
    expect(events).toEqual(["pingFailed"]);
    await clock.pass(10_000);
    await runTranscript(wire, [
      '~ {"method": "ping"}',
      '~ {"method": "notifications/cancelled"}',
      ...respond(3, { method: "ping" }, {}),
    ]);
    await clock.pass(22_000);
    expect(await session.closed).toMatchObject({ name: "TimeoutError" });
    expect(events).toEqual(["pingFailed", "pingFailed", "pingFailed", "disconnected", "closed"]);
    expect(session.state).toBe("DISCONNECTED");
  });

  test("keep-alive counts an error as a response", async () => {
    const clock = new ManualClock();
    const events: string[] = [];
    const { session, wire } = await openSession({
      clock,
      keepAlive: { interval: 10_000, failures: 1 },
      onEvent: (event) => events.push(event.kind),
    });
    for (const id of [2, 3]) {
      await clock.pass(10_000);
      await runTranscript(wire, [
        ["~", { id, method: "ping" }],
        [">", { id, error: { code: -32601, message: "Method not found" } }],
      ]);
    }
    expect([session.state, events]).toEqual(["INITIALIZED", []]);
  });

  test("keep-alive ends with the connection, without an event for the ping that is pending", async () => {
    const clock = new ManualClock();
    const events: string[] = [];
    const { wire } = await openSession({
      clock,
      keepAlive: { interval: 10_000 },
      onEvent: (event) => events.push(event.kind),
    });
    await clock.pass(10_000);
    wire.end();
    await settle();
    expect([events, clock.active]).toEqual([["disconnected", "closed"], 0]);
  });

  test("keep-alive is off by default (P-03)", async () => {
    const clock = new ManualClock();
    const { wire } = await openSession({ clock });
    await clock.pass(3_600_000);
    await runTranscript(wire, []);
  });
});
