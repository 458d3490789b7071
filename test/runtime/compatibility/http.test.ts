import { afterEach, describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import { requireApiKey, requireBearerToken } from "../../../runtime/auth/server/index.ts";
import { connectClient, connectHttp } from "../../../runtime/index.ts";
import { communityProfile } from "../../../runtime/compatibility/community-profile.ts";
import { createRejection, rejections, type RejectionName } from "../../../runtime/compatibility/rejections.ts";
import { isRpcError } from "../../../runtime/jsonrpc/errors.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import type { ServeHttpOptions } from "../../../runtime/server/run/http-handler.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { acceptBoth, call, initialize } from "../../kit/http-exchange.ts";
import { initialized } from "../../kit/messages.ts";

const key = "correct-horse-battery-staple-0123";
const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const server = createServer(
  {
    name: "server",
    version: "1",
    onError() {},
    tools: [{ name: "refuse", execute: () => "fine" }],
    middleware: [
      (request, next) => {
        const args = isObject(request.params) && isObject(request.params.arguments) ? request.params.arguments : {};
        const name = Object.keys(rejections).find((one): one is RejectionName => one === args.refusal);
        if (name) throw createRejection(name, "Not now", { retryAfter: 2.5 });
        return next();
      },
    ],
  },
  revisions,
);

interface HttpResponse {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly session: string;
  readonly json: unknown;
}

type Send = (body: unknown, headers?: Record<string, string>, method?: string) => Promise<HttpResponse>;

async function start(options: ServeHttpOptions = { profile: communityProfile }): Promise<Send> {
  const { url, close } = await serveHttp(server, options);
  ends.push(close);
  return async (body, headers = {}, method = "POST") => {
    const response = await fetch(url, {
      method,
      headers: { accept: acceptBoth, "content-type": "application/json", ...headers },
      ...(method === "POST" && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      session: response.headers.get("mcp-session-id") ?? "",
      json: text.startsWith("{") ? JSON.parse(text) : text,
    };
  };
}

async function open(send: Send, headers: Record<string, string> = {}): Promise<Record<string, string>> {
  const { session } = await send(initialize("2025-11-25"), headers);
  const all = { ...headers, "mcp-session-id": session };
  await send(initialized, all);
  return all;
}

const list = { jsonrpc: "2.0", id: 7, method: "tools/list" } as const;

describe("a server with the community profile rejects over HTTP", () => {
  test.each(["POST", "GET", "DELETE"])(
    "a community server rejects %s before the handshake with -32005",
    async (method) => {
      const send = await start();
      expect(await send(list, {}, method)).toMatchObject({
        status: 400,
        json: { error: { code: -32005, data: { category: "core" } } },
      });
    },
  );

  test("a community server rejects an unknown session with 1016, and the status of the protocol", async () => {
    const send = await start();
    expect(await send(list, { "mcp-session-id": "x" })).toMatchObject({
      status: 404,
      json: { error: { code: 1016, data: { category: "authentication", retryable: false, guideCode: -32051 } } },
    });
  });

  test("a community server rejects missing and wrong API keys with 1015 and 1013", async () => {
    const authenticate = requireApiKey({ keys: [{ principal: "ci", key }] });
    const send = await start({ profile: communityProfile, authenticate });
    const data = { category: "authentication", retryable: false, guideCode: -32051 };
    expect(await send(list)).toMatchObject({ status: 401, json: { error: { code: 1015, data } } });
    expect(await send(list, { "x-api-key": "wrong" })).toMatchObject({
      status: 401,
      json: { error: { code: 1013, data } },
    });
    const session = await open(send, { "x-api-key": key });
    expect(await send(list, session)).toMatchObject({ status: 200, json: { id: 7, result: {} } });
  });

  test("a community server rejects missing, expired, wrong and unverifiable tokens with 1015, 1012, 1013 and 1078", async () => {
    const resource = "https://mcp.example/mcp";
    const claims = { iss: "https://login.example", aud: resource, sub: "ada" };
    const authenticate = requireBearerToken({
      resource,
      issuer: claims.iss,
      verify(token) {
        if (token === "down") throw new Error("down");
        return token === "old" ? { ...claims, exp: 1 } : undefined;
      },
    });
    const send = await start({ profile: communityProfile, authenticate });
    const codeOf = async (headers: Record<string, string>): Promise<unknown> => {
      const { json } = await send(list, headers);
      return isObject(json) && isObject(json.error) ? json.error.code : json;
    };
    const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
    expect(await codeOf({})).toBe(1015);
    expect(await codeOf(bearer("old"))).toBe(1012);
    expect(await codeOf(bearer("other"))).toBe(1013);
    expect(await send(list, bearer("down"))).toMatchObject({
      status: 503,
      retryAfter: "5",
      json: { error: { code: 1078, data: { category: "state", retryable: true, retryAfter: 5 } } },
    });
  });

  test.each([
    [401, {}, 1015],
    [401, { authorization: "Basic x" }, 1011],
    [403, {}, 1014],
    [429, {}, 1056],
  ] as const)(
    "a community server rejects with %i of a guard and a JSON-RPC error, with %j shown: %i",
    async (status, headers, code) => {
      const body = JSON.stringify({ jsonrpc: "2.0", error: { code: -32600, message: "No" } });
      const send = await start({ profile: communityProfile, authenticate: () => ({ status, body }) });
      expect(await send(list, headers)).toMatchObject({ status, json: { error: { code, message: "No" } } });
    },
  );

  test("a community server sends any body of a guard that is no JSON-RPC error", async () => {
    for (const body of ["no", "{", "{}", '{"error":"x"}', undefined]) {
      const response = { status: 401, ...(body !== undefined && { body }) };
      const send = await start({ profile: communityProfile, authenticate: () => response });
      const { status, json } = await send(list).catch(() => ({ status: 401, json: body }));
      expect([status, typeof json === "string" ? json : JSON.stringify(json)]).toEqual([401, body ?? ""]);
    }
  });

  test("a community server rejects large bodies, other media types and sessions above the limit with codes of the catalogue", async () => {
    const send = await start({
      profile: communityProfile,
      limits: { maxMessageBytes: 2_000 },
      sessions: { maxSessions: 1 },
    });
    expect(await send(" ".repeat(3_000))).toMatchObject({ status: 413, json: { error: { code: 1068 } } });
    expect(await send(list, { "content-type": "text/plain" })).toMatchObject({
      status: 415,
      json: { error: { code: 1024 } },
    });
    await open(send);
    expect(await send(initialize("2025-11-25"))).toMatchObject({
      status: 503,
      retryAfter: "30",
      json: { error: { code: 1078, data: { retryable: true, retryAfter: 30 } } },
    });
  });

  test("a community server rejects with the official code where the catalogue has none", async () => {
    const send = await start();
    expect(await send("{")).toMatchObject({
      status: 400,
      json: { error: { code: -32700, data: { category: "core" } } },
    });
  });
});

describe("a rejection of a handler", () => {
  const rejected = (rejection: RejectionName): object => call(7, "refuse", { refusal: rejection });

  test.each([
    ["backpressure", 503],
    ["rateExceeded", 429],
    ["circuitOpen", 503],
    ["quotaExceeded", 429],
  ] as const)(
    "a rejection of a handler with %s has the status %i, and names the time of a retry",
    async (name, status) => {
      const send = await start();
      expect(await send(rejected(name), await open(send))).toMatchObject({
        status,
        retryAfter: "3",
        json: { id: 7, error: { code: rejections[name].code, data: { retryAfter: 2.5 } } },
      });
    },
  );

  test.each(["resourceNotFound", "authenticationFailed", "forbidden", "invalidParams"] as const)(
    "a rejection of a handler with %s is a plain response: its status would mean something else to clients",
    async (name) => {
      const send = await start();
      expect(await send(rejected(name), await open(send))).toMatchObject({
        status: 200,
        json: { id: 7, error: { code: rejections[name].code } },
      });
    },
  );

  test("a rejection of a handler has its status where responses are streams, as long as none has begun", async () => {
    const send = await start({ profile: communityProfile, responseMode: "sse" });
    expect(await send(rejected("backpressure"), await open(send))).toMatchObject({
      status: 503,
      json: { error: { code: 1005 } },
    });
  });

  test("a rejection of a handler reaches a client of this package with code and data", async () => {
    const { url, close } = await serveHttp(server, { profile: communityProfile });
    ends.push(close);
    const client = await connectClient((options) => connectHttp(url, options), {
      info: { name: "client", version: "1" },
      revisions: revisions.filter(({ lifecycle }) => lifecycle === "handshake"),
      profile: communityProfile,
    });
    ends.push(() => client.close());
    const error: unknown = await client
      .callTool("refuse", { refusal: "backpressure" })
      .catch((thrown: unknown) => thrown);
    expect(isRpcError(error) && error).toMatchObject({ code: 1005, data: { retryable: true, retryAfter: 2.5 } });
  });
});

describe("servers and requests without the profile", () => {
  test("a server without the profile uses no code of the catalogue", async () => {
    const send = await start({});
    expect(await send(list)).toMatchObject({ status: 400, json: { error: { code: -32600 } } });
    expect(await send(call(7, "refuse", { refusal: "backpressure" }), await open(send))).toMatchObject({ status: 200 });
  });

  test("a stateless request gets no code of the catalogue", async () => {
    const send = await start({
      profile: communityProfile,
      authenticate: () => ({ status: 401, body: '{"error":{"code":-32600,"message":"No"}}' }),
    });
    const stateless = revisions.find(({ lifecycle }) => lifecycle !== "handshake");
    const headers = { "mcp-protocol-version": stateless?.id ?? "", "mcp-method": "tools/list" };
    expect(await send(list, headers)).toMatchObject({ status: 401, json: { error: { code: -32600 } } });
  });
});
