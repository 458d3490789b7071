import { describe, expect, test } from "vitest";
import { categoryOf, errorRanges, toErrorCategory } from "../../../runtime/compatibility/error-categories.ts";
import { communityProfile, guideKey } from "../../../runtime/compatibility/community-profile.ts";
import {
  createRejection,
  readRejection,
  rejections,
  type Rejection,
} from "../../../runtime/compatibility/rejections.ts";
import { createClient } from "../../../runtime/client/create-client.ts";
import { defaultLimits, defaultTimeouts } from "../../../runtime/jsonrpc/limits.ts";
import { PeerError, RpcError } from "../../../runtime/jsonrpc/errors.ts";
import { rejectionCodes } from "../../../runtime/jsonrpc/rejection-codes.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { handshakeRevisions, newest } from "../../kit/revisions.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { initialize, initialized } from "../../kit/messages.ts";
import { runTranscript } from "../../../runtime/testing/transcript.ts";
import { serveWire } from "../../kit/wire.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { revisions } from "../../../generated/revisions.ts";

const rows: readonly (readonly [string, Rejection])[] = Object.entries(rejections);

describe("the catalogue of rejections", () => {
  test("the catalogue of rejections has exactly the numbers of the guides, and nothing in the gaps between them", () => {
    const ranges = [
      [1001, 1005],
      [1011, 1016],
      [1021, 1029],
      [1036, 1040],
      [1046, 1052],
      [1056, 1060],
      [1066, 1070],
      [1076, 1080],
      [1086, 1089],
    ] as const;
    const expected = ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
    expect(rows.map(([, { code }]) => code)).toEqual(expected);
  });

  test("the catalogue of rejections gives every range one category", () => {
    const blocks = new Map(rows.map(([, { code, category }]) => [category, Math.floor((code - 1) / 5)]));
    expect([...blocks.keys()]).toHaveLength(9);
    expect(rows.every(([, { status }]) => status >= 400 && status < 600)).toBe(true);
  });

  test("a temporary rejection may be tried again, a permanent one may not", () => {
    for (const [name, { retryable, status }] of rows) {
      if (retryable) expect([429, 503], name).toContain(status);
    }
    expect(rejections.quotaExceeded.retryable).toBe(false);
    expect(rejections.circuitOpen.retryable).toBe(true);
  });

  test("a rejection that is thrown can be read again at the client", () => {
    const error = createRejection("backpressure", "Busy", { retryAfter: 3, data: { queue: "a" } });
    expect([error.code, error.data]).toEqual([1005, { queue: "a", category: "load", retryable: true, retryAfter: 3 }]);
    expect(readRejection(new PeerError({ code: error.code, message: error.message }))).toBe(rejections.backpressure);
    expect([readRejection(new RpcError(1006, "reserved")), readRejection(new Error("x"))]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe("the ranges of errors", () => {
  test("the ranges of errors do not overlap", () => {
    const codes = errorRanges.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, n) => from + n));
    expect(new Set(codes).size).toBe(codes.length);
  });

  test.each([
    [-32001, "core"],
    [-32031, "tools"],
    [-32113, "completion"],
    [-32600, undefined],
    [-32105, undefined],
  ])("the error %i belongs to %s", (code, category) => {
    expect(toErrorCategory(code)).toBe(category);
  });

  test("every method of every revision has a category, most of them their own", () => {
    const methods = revisions.flatMap(({ clientRequests }) => Object.keys(clientRequests));
    expect(methods.filter((method) => method.startsWith("tools/")).every((method) => categoryOf(method) === "tools"));
    expect(["initialize", "ping", "tasks/get"].map(categoryOf)).toEqual(["negotiation", "core", "tasks"]);
  });
});

const server = createServer(
  {
    name: "server",
    version: "1",
    onError() {},
    tools: [
      { name: "good", execute: () => "fine" },
      { name: "bad", execute: () => Promise.reject(new Error("secret")) },
      {
        name: "busy",
        execute: () => {
          throw new RpcError(rejectionCodes.tooMany, "Later", { data: { retryAfter: 2 } });
        },
      },
    ],
    middleware: [
      (request, next) => {
        if (request.method === "prompts/list") throw createRejection("degraded", "Half asleep");
        return next();
      },
    ],
    prompts: [{ name: "p", arguments: { a: { complete: () => ["b"] } }, get: () => "" }],
  },
  handshakeRevisions,
);

async function open(profiled: boolean, revision = newest.id): Promise<Wire> {
  const wire = new Wire();
  serve(server, wire, profiled ? { profile: communityProfile } : {});
  wire.post(initialize(revision), initialized);
  await settle();
  wire.sent.length = 0;
  return wire;
}

async function send(wire: Wire, method: string, params?: object): Promise<unknown> {
  wire.post({ jsonrpc: "2.0", id: 7, method, ...(params && { params }) });
  await settle();
  return wire.sent.splice(0).at(-1);
}

describe("the community profile", () => {
  test.each([
    [undefined, -32600],
    [communityProfile, -32005],
  ])("every method but ping is rejected before the handshake: profile %#", async (profile, code) => {
    const { wire } = await serveWire(profile ? { profile } : {});
    await runTranscript(wire, [
      [">", { id: 1, method: "tools/list" }],
      ["<", { id: 1, error: { code, message: "The session is not initialized; send initialize first" } }],
      [">", { id: 2, method: "ping" }],
      ["<", { id: 2, result: {} }],
    ]);
  });

  test.each(handshakeRevisions.map(({ id }) => id))("errors name their origin, at %s", async (id) => {
    const wire = await open(true, id);
    expect(await send(wire, "tools/call", { name: "none" })).toMatchObject({
      error: { code: -32602, data: { category: "tools", guideCode: -32031, name: "none" } },
    });
    expect(await send(wire, "tools/call", {})).toMatchObject({
      error: { code: -32602, data: { category: "tools", guideCode: -32033 } },
    });
    expect(await send(wire, "no/such")).toMatchObject({ error: { code: -32601, data: { category: "core" } } });
    expect(await send(wire, "prompts/list")).toMatchObject({
      error: { code: 1088, data: { category: "health", retryable: true } },
    });
    expect(await send(wire, "tools/call", { name: "bad" })).toMatchObject({
      result: { isError: true, _meta: { [guideKey]: { category: "tools", code: -32032 } } },
    });
    expect(await send(wire, "tools/call", { name: "good" })).toEqual({
      jsonrpc: "2.0",
      id: 7,
      result: { content: [{ type: "text", text: "fine" }] },
    });
  });

  test("the codes for too many requests and forbidden ones become those of the catalogue", async () => {
    const call = { name: "busy" };
    expect(await send(await open(false), "tools/call", call)).toMatchObject({ error: { code: 429 } });
    expect(await send(await open(true), "tools/call", call)).toMatchObject({
      error: { code: 1056, data: { category: "rate", retryable: true, retryAfter: 2 } },
    });
  });

  test("a server without the profile sends none of its members", async () => {
    const wire = await open(false);
    const responses = [
      await send(wire, "tools/call", { name: "none" }),
      await send(wire, "tools/call", { name: "bad" }),
      await send(wire, "shutdown"),
    ];
    expect(JSON.stringify(responses)).not.toMatch(/category|guide|-320[03]/);
    expect(responses[2]).toMatchObject({ error: { code: -32601 } });
    expect(wire.isClosed).toBe(false);
  });

  test("`shutdown` gets a response, and then the connection is closed", async () => {
    const wire = await open(true);
    expect(await send(wire, "shutdown")).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
    await settle();
    expect(wire.isClosed).toBe(true);
  });

  test("the profile leaves out `tasks/create` and completion for tools, and requires arguments to be an object", async () => {
    const wire = await open(true);
    const complete = (type: string): Promise<unknown> =>
      send(wire, "completion/complete", { ref: { type, name: "p" }, argument: { name: "a", value: "" } });
    expect(await send(wire, "tasks/create", { type: "good", input: {} })).toMatchObject({ error: { code: -32601 } });
    expect(await complete("ref/prompt")).toMatchObject({ result: { completion: { values: ["b"] } } });
    expect(await complete("ref/tool")).toMatchObject({ error: { code: -32602 } });
    expect(await send(wire, "tools/call", { name: "good", arguments: null })).toMatchObject({
      error: { code: -32602 },
    });
  });

  test("notifications without their prefix are accepted: `requests/cancel` ends a call", async () => {
    let aborted = false;
    const hanging = createServer(
      {
        name: "server",
        version: "1",
        tools: [
          {
            name: "hang",
            execute: (_args, { signal }) =>
              new Promise((_resolve, reject) => {
                signal.addEventListener("abort", () => {
                  aborted = true;
                  reject(signal.reason);
                });
              }),
          },
        ],
      },
      handshakeRevisions,
    );
    const wire = new Wire();
    serve(hanging, wire, { profile: communityProfile });
    wire.post(initialize(newest.id), initialized);
    wire.post({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "hang" } });
    await settle();
    wire.post({ jsonrpc: "2.0", method: "requests/cancel", params: { requestId: 7 } });
    await settle();
    expect(aborted).toBe(true);
  });

  test("a client accepts `completion`, and takes `enabled: false` as absent", async () => {
    const wire = new Wire();
    const client = createClient({
      info: { name: "client", version: "1" },
      revisions: [newest],
      profile: communityProfile,
    });
    const opening = client.connect(wire);
    await settle();
    wire.post({
      jsonrpc: "2.0",
      id: idOf(wire.sent[0]),
      result: {
        protocolVersion: newest.id,
        capabilities: { completion: {}, logging: { enabled: false }, tools: { enabled: true } },
        serverInfo: { name: "old", version: "1" },
      },
    });
    const session = await opening;
    expect(Object.keys(session.serverCapabilities)).toEqual(["completions", "tools"]);
    wire.end();
    await client.close();
  });

  test("the times and sizes of the profile are the defaults: 30 s, 5 s, 16 MiB", () => {
    expect(communityProfile.timeouts).toEqual({
      initialize: defaultTimeouts.initialize,
      request: defaultTimeouts.request,
    });
    expect(defaultLimits.maxMessageBytes).toBe(16_777_216);
  });

  test("a connection has one of four states (seed 7)", async () => {
    const [near, far] = createInMemoryTransports();
    const connection = serve(server, far, { profile: communityProfile });
    const seen = [connection.state];
    const client = createClient({ info: { name: "client", version: "1" }, revisions: [newest] });
    await client.connect(near);
    await settle();
    seen.push(connection.state);
    await client.close();
    await connection.closed;
    seen.push(connection.state);
    expect(seen).toEqual(["NOT_INITIALIZED", "INITIALIZED", "DISCONNECTED"]);
  });
});

function idOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "id" in message ? message.id : undefined;
}
