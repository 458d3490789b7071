import { describe, expect, test } from "vitest";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { CapabilityError } from "../../../runtime/jsonrpc/errors.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import type { HandlerContext } from "../../../runtime/server/protocol-types.ts";
import type { AnyServerDefinition } from "../../../runtime/server/any-definition.ts";
import { callServer, createSession, meta, type CallSetup, type Sent } from "../../kit/calls.ts";
import { newest, handshakeRevisions } from "../../kit/revisions.ts";

/** A handler of the newest revision with a handshakeRevisions: it has all that contexts may have. */
type Run = (args: unknown, context: HandlerContext<Declarations>) => unknown;

type Execute = NonNullable<AnyServerDefinition["tools"]>[number]["execute"];

function create(run: Run, definition: Partial<AnyServerDefinition> = {}): Server {
  return createServer({ name: "test", version: "1", ...definition, tools: [{ name: "t", execute: run }] }, revisions);
}

function call(server: Server, setup?: CallSetup, revision = newest): Promise<unknown> {
  return callServer(server, revision, ["tools/call", { name: "t", ...meta(revision) }], setup);
}

describe("the context of a handler", () => {
  test.each(revisions.map((revision) => [revision.id, revision] as const))(
    "a handler learns about its request at revision %s",
    async (id, revision) => {
      const server = create((_args, { client, requestId, revision: spoken, signal }) =>
        JSON.stringify({ client, requestId, spoken, aborted: signal.aborted }),
      );
      const session = createSession(server, revision, { roots: {} });
      expect(await call(server, { session }, revision)).toMatchObject({
        content: [
          {
            text: JSON.stringify({
              client: { info: { name: "test", version: "1" }, capabilities: { roots: {} } },
              requestId: 1,
              spoken: id,
              aborted: false,
            }),
          },
        ],
      });
    },
  );
});

test("functions of the context work without the context object", async () => {
  const sent: Sent[] = [];
  const server = create(async (_args, { progress, log }) => {
    await progress(1);
    await progress(2, 4, "half");
    await log("warning", { disk: "full" }, "storage");
    return "";
  });
  await call(server, { sent });
  expect(sent).toEqual([
    { method: "notifications/progress", params: { progress: 1 } },
    { method: "notifications/progress", params: { progress: 2, total: 4, message: "half" } },
    { method: "notifications/message", params: { level: "warning", data: { disk: "full" }, logger: "storage" } },
  ]);
});

describe("logging", () => {
  const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
  const logAll: Run = async (_args, { log }) => {
    for (const level of levels) await log(level, level);
    return "";
  };

  const logEach =
    (names: readonly string[]): Execute =>
    async (_args, { log }) => {
      for (const name of names) await log(name, name);
      return "";
    };

  async function count(server: Server, setup: CallSetup): Promise<number> {
    const sent: Sent[] = [];
    await call(server, { ...setup, sent });
    return sent.length;
  }

  test.each([
    ["debug", 8],
    ["info", 7],
    ["error", 4],
    ["emergency", 1],
  ])("a client that sets level %s receives %d of 8 log messages (O-02)", async (level, expected) => {
    const server = create(logAll);
    const session = createSession(server, newest);
    expect(await callServer(server, newest, ["logging/setLevel", { level }], { session })).toEqual({});
    expect(await count(server, { session })).toBe(expected);
  });

  test("the server decides about log messages until a level is set (O-03)", async () => {
    expect(await count(create(logAll), {})).toBe(7);
    expect(await count(create(logAll, { logLevel: "error" }), {})).toBe(4);
  });

  test("the log level of one session does not apply to another session", async () => {
    const server = create(logAll);
    const [one, other] = [createSession(server, newest), createSession(server, newest)];
    await callServer(server, newest, ["logging/setLevel", { level: "emergency" }], { session: one });
    expect(await count(server, { session: one })).toBe(1);
    expect(await count(server, { session: other })).toBe(7);
  });

  test.each([
    [undefined, 0],
    ["debug", 8],
    ["error", 4],
  ])("a stateless request with level %s receives %d of 8 log messages", async (level, expected) => {
    const revision = revisions.find((candidate) => candidate.lifecycle === "per-request");
    const key = revision?.reservedMeta.find((reserved) => reserved.type === "LoggingLevel")?.key;
    const sent: Sent[] = [];
    await call(create(logAll), { sent, meta: { [key ?? ""]: level } }, revision);
    expect(sent).toHaveLength(expected);
  });

  test.each([
    ["info", 7],
    ["notice", 5],
    ["emergency", 1],
  ])(
    "log levels are those of the newest revision: an older client at level %s receives %d of 8",
    async (level, expected) => {
      const logLevels = ["debug", "info", "hint", "warning", "error", "critical", "alert", "disaster"];
      const server = createServer({ name: "test", version: "1", tools: [{ name: "t", execute: logEach(logLevels) }] }, [
        { ...newest, id: "newer", logLevels },
        newest,
      ]);
      const session = createSession(server, newest);
      expect(await callServer(server, newest, ["logging/setLevel", { level }], { session })).toEqual({});
      expect(await count(server, { session })).toBe(expected);
    },
  );

  test("a server of a revision without the usual levels sends all messages, and its note at their level", async () => {
    const revision = { ...newest, logLevels: ["low", "high"] };
    const tools = [{ name: "t", execute: logEach(["low", "high"]) }];
    const definition = { name: "test", version: "1", logRate: { burst: 1, perSecond: 0.001 }, tools };
    const sent: Sent[] = [];
    await callServer(createServer(definition, [revision]), revision, ["tools/call", { name: "t" }], { sent });
    expect(sent.map(({ params }) => params)).toEqual([
      { level: "low", data: "low" },
      { level: "high", data: "Too many log messages; some are dropped" },
    ]);
  });

  test("an unknown log level is rejected (O-04)", async () => {
    const unknown = callServer(create(logAll), newest, ["logging/setLevel", { level: "loud" }]);
    await expect(unknown).rejects.toThrow(/params level/);
    expect(() => create(logAll, { logLevel: "loud" })).toThrow(/Unknown log level "loud"/);
  });
});

describe("requests for input from a handler", () => {
  const results: { readonly [method: string]: unknown } = {
    "sampling/createMessage": { role: "assistant", content: { type: "text", text: "4" }, model: "m" },
    "elicitation/create": { action: "accept", content: {} },
    "roots/list": { roots: [{ uri: "file:///a" }] },
  };
  const respond = (method: string): unknown => results[method];

  test("requests for input are sent as requests of the revision (S-17)", async () => {
    const sent: Sent[] = [];
    const server = create(async (_args, { sample, elicit, roots }) =>
      JSON.stringify([
        await sample({ messages: [], maxTokens: 1 }),
        await elicit({ message: "?", requestedSchema: { type: "object", properties: {} } }),
        await roots(),
      ]),
    );
    const session = createSession(server, newest, { sampling: {}, elicitation: {}, roots: {} });
    const result = await call(server, { sent, respond, session });
    const text = JSON.stringify([
      results["sampling/createMessage"],
      results["elicitation/create"],
      [{ uri: "file:///a" }],
    ]);
    expect(result).toEqual({ content: [{ type: "text", text }] });
    expect(sent.map(({ method }) => method)).toEqual(["sampling/createMessage", "elicitation/create", "roots/list"]);
  });

  test("a request for input that the client cannot serve gives a result with that message (RT-06)", async () => {
    const row = newest.serverRequests["roots/list"];
    const gate = row?.gate ?? { side: "client", path: ["roots"] };
    const server = create(() => Promise.reject(new CapabilityError("roots/list", gate)));
    expect(await call(server)).toEqual({
      content: [{ type: "text", text: "The tool requires the client capability roots" }],
      isError: true,
    });
  });

  test("a request for input that the revision does not have gives the same result as one that the client cannot serve", async () => {
    const oldest = handshakeRevisions.at(-1);
    const errors: string[] = [];
    const server = create(
      (_args, { elicit }) => elicit({ message: "?", requestedSchema: { type: "object", properties: {} } }),
      { onError: ({ error }) => errors.push(error.message) },
    );
    expect(await call(server, {}, oldest)).toEqual({
      content: [{ type: "text", text: "The tool requires the client capability elicitation" }],
      isError: true,
    });
    expect(errors).toEqual([]);
  });

  test("a request for input that the revision does not have throws an error of its own class", async () => {
    const server = create(async (_args, { elicit }) => {
      try {
        await elicit({ message: "?", requestedSchema: { type: "object", properties: {} } });
        return "answered";
      } catch (error) {
        if (!(error instanceof CapabilityError)) throw error;
        return `without ${error.method}`;
      }
    });
    expect(await call(server, {}, handshakeRevisions.at(-1))).toMatchObject({
      content: [{ text: "without elicitation/create" }],
    });
  });
});
