import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { isObject, type Revision } from "../../../generated/support.ts";
import { examine } from "../../../tools/check/examine.ts";
import { findingsOf, type CheckReport } from "../../../tools/check/finding.ts";
import { createHttpWires } from "../../../tools/check/wires/http-wire.ts";
import { statelessRevision, handshakeRevisions, newest } from "../../kit/revisions.ts";
import { meta } from "../../kit/messages.ts";
import { readText, serveRaw } from "../../kit/raw-server.ts";

/*
 * `check` over HTTP with servers that are unusual, or mean harm.
 */

interface Call {
  readonly method: unknown;
  readonly params: Readonly<Record<string, unknown>>;
  readonly request: IncomingMessage;
}

interface Reply {
  /** Result or error, as JSON. */
  readonly outcome: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const withResult = (value: unknown): Reply => ({ outcome: `"result":${JSON.stringify(value)}` });

const withError = (code: number, status = 200): Reply => ({
  outcome: `"error":{"code":${code},"message":"rejected"}`,
  status,
});

/** Responses of a plain server, which checks neither origins nor revisions. */
function respondPlainly({ method, params, request }: Call): Reply {
  if (request.method !== "POST") return withError(-32600, 405);
  switch (method) {
    case "initialize":
      return withResult({
        protocolVersion: newest.id,
        capabilities: { tools: {} },
        serverInfo: { name: "plain", version: "1" },
      });
    case "ping":
      return withResult({});
    case "tools/list":
      return params.cursor === undefined ? withResult({ tools: [] }) : withError(-32602);
    case "tools/call":
      return withError(-32602);
    case undefined:
      return withError(-32700, 400);
    default:
      return withError(-32601);
  }
}

const rulesOfPlainServer: readonly string[] = ["http-origin", "http-unknown-revision"];

/** Examines a server at one revision. A call for which it has no response of its own gets that of the plain server. */
async function examineOdd(
  respond: (call: Call) => Reply | undefined | Promise<Reply | undefined>,
  tried: readonly Revision[] = [newest],
): Promise<CheckReport> {
  const { url, close } = await serveRaw(async (request, response) => {
    const text = await readText(request);
    const message: unknown = /^\{.*\}$/s.test(text) ? JSON.parse(text) : undefined;
    const { id, method, params } = isObject(message) ? message : {};
    const call = { method, params: isObject(params) ? params : {}, request };
    const own = await respond(call);
    if (!own && message !== undefined && id === undefined) return void response.writeHead(202).end();
    const { outcome, status = 200, headers } = own ?? respondPlainly(call);
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(`{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},${outcome}}`);
  });
  try {
    const wires = createHttpWires({ url: new URL(url), headers: {}, timeout: 50_000 });
    return await examine(wires, { target: "odd", revisions: tried });
  } finally {
    await close();
  }
}

function readFindings(report: CheckReport): readonly string[] {
  return findingsOf(report)
    .filter(({ rule }) => !rulesOfPlainServer.includes(rule))
    .map(({ rule, subject, message }) => `${rule}, ${subject}: ${message}`);
}

test("the plain server of these tests has two faults", async () => {
  const report = await examineOdd(() => undefined);
  expect(
    findingsOf(report)
      .map(({ rule }) => rule)
      .sort(),
  ).toEqual(rulesOfPlainServer);
});

test("a server that requires its session and the revision in every request has no fault because of it", async () => {
  const deleted: unknown[] = [];
  const report = await examineOdd((call) => {
    const { "mcp-session-id": session, "mcp-protocol-version": revision } = call.request.headers;
    if (call.method === "initialize") return { ...respondPlainly(call), headers: { "mcp-session-id": "one" } };
    if (revision !== newest.id) return withError(-32600, 400);
    if (session !== "one") return withError(-32600, session === undefined ? 400 : 404);
    if (call.request.method === "DELETE") deleted.push(session);
    return undefined;
  });
  expect(findingsOf(report).map(({ rule }) => rule)).toEqual(["http-origin"]);
  expect(deleted.length).toBeGreaterThan(1);
});

test("a stateless server that checks headers and metadata, and no origin, is reported", async () => {
  const report = await examineOdd(
    ({ method, params, request }) => {
      const { "mcp-method": named, "mcp-protocol-version": revision } = request.headers;
      if (request.method !== "POST") return withError(-32600, 405);
      if (method === undefined) return withError(-32700, 400);
      if (method === "initialize") return withError(-32601, 404);
      if (named !== method || revision !== statelessRevision.id) return withError(-32020, 400);
      if (method === "server/discover" && !isObject(params._meta)) return withError(-32602, 400);
      if (method !== "server/discover") return undefined;
      return withResult({
        resultType: "complete",
        supportedVersions: [statelessRevision.id],
        capabilities: {},
        ttlMs: 0,
        cacheScope: "private",
        _meta: { [meta.serverInfo]: { name: "stateless", version: "1" } },
      });
    },
    [statelessRevision],
  );
  expect(findingsOf(report).map(({ rule, message }) => `${rule}: ${message}`)).toEqual([
    "http-origin: the response is HTTP 200",
  ]);
});

test("revisions after the first supported one are examined at the same time", { timeout: 60_000 }, async () => {
  const others = handshakeRevisions.filter(({ id }) => id !== newest.id);
  const ids = others.map(({ id }) => id);
  const missing = new Set(ids);
  let openAll = (): void => {};
  const allTried = new Promise<void>((done) => (openAll = done));
  const report = await examineOdd(
    async ({ method, params }) => {
      const id = String(params.protocolVersion);
      if (method !== "initialize") return undefined;
      missing.delete(id);
      if (missing.size === 0) openAll();
      // Each of the others gets a response only once all of them have been tried.
      if (ids.includes(id)) await allTried;
      const serverInfo = { name: "plain", version: "1" };
      return withResult({ protocolVersion: id, capabilities: { tools: {} }, serverInfo });
    },
    [newest, ...others],
  );
  expect(report.revisions).toEqual([newest.id, ...ids]);
  const order = report.results.map(({ revision }) => revision).filter((id) => id !== "");
  expect([...new Set(order)]).toEqual(report.revisions);
});

test(
  "a server that permits one session at a time is examined at each of its revisions",
  { timeout: 60_000 },
  async () => {
    let isOpen = false;
    const report = await examineOdd(({ method, params, request }) => {
      if (request.method === "DELETE") isOpen = false;
      if (method !== "initialize") return undefined;
      if (isOpen) return withError(-32600, 503);
      isOpen = true;
      const serverInfo = { name: "plain", version: "1" };
      const reply = withResult({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
      return { ...reply, headers: { "mcp-session-id": "one" } };
    }, handshakeRevisions);
    expect(report.revisions).toEqual(handshakeRevisions.map(({ id }) => id));
  },
);

test("a list with more items than the stack has is read in part", { timeout: 60_000 }, async () => {
  const tools = Array.from({ length: 150_000 }, () => ({
    name: "a",
    description: "a",
    inputSchema: { type: "object" },
  }));
  const report = await examineOdd(({ method, params }) =>
    method === "tools/list" && params.cursor === undefined ? withResult({ tools }) : undefined,
  );
  expect(readFindings(report)).toEqual([
    "names-are-unique, tool a: it is listed more than once",
    "lists, tools/list: it has more than 10,000 items; the others were not read",
  ]);
});

test.each([
  ["rejects", withError(-32602)],
  [
    "returns the page again",
    withResult({ tools: [{ name: "a", description: "a", inputSchema: { type: "object" } }], nextCursor: "" }),
  ],
])("a server that ends a list with an empty cursor, which it %s, is reported once", async (_, last) => {
  const first = withResult({
    tools: [{ name: "a", description: "a", inputSchema: { type: "object" } }],
    nextCursor: "",
  });
  const report = await examineOdd(({ method, params }) => {
    if (method !== "tools/list") return undefined;
    if (params.cursor === undefined) return first;
    return params.cursor === "" ? last : undefined;
  });
  expect(readFindings(report)).toEqual([
    "lists, tools/list: it ends with an empty cursor, which clients follow: an empty string is a cursor",
  ]);
});

test("a server whose ping is an error is reported for that only", async () => {
  const report = await examineOdd(({ method }) => (method === "ping" ? withError(-32601) : undefined));
  expect(readFindings(report)).toEqual([expect.stringMatching(/ping.*-32601/)]);
});

const noText = { toString: 1, valueOf: 1 };
const deep = "[".repeat(20_000) + "]".repeat(20_000);

test.each<readonly [string, string, string, readonly string[]]>([
  [
    "a server whose name has members in place of methods",
    "initialize",
    JSON.stringify({ protocolVersion: newest.id, capabilities: {}, serverInfo: { name: noText, version: noText } }),
    ["fits-revision, initialize: the result at serverInfo/name should be string"],
  ],
  [
    "a tool whose name has members in place of methods",
    "tools/list",
    JSON.stringify({ tools: [{ name: noText, description: "a", inputSchema: { type: "object" } }] }),
    [
      "fits-revision, tools/list: the result at tools/0/name should be string",
      expect.stringMatching(/^tool-name, tool \{"toString":1,"valueOf":1\}: /),
    ],
  ],
  [
    "a dialect with more levels than the stack has",
    "tools/list",
    `{"tools":[{"name":"a","description":"a","inputSchema":{"type":"object","$schema":${deep}}}]}`,
    expect.arrayContaining([
      "schema-dialect, tool a: inputSchema declares the dialect a value with too many levels; some hosts reject all but 2020-12",
    ]),
  ],
])("%s is reported, and does not end the check", { timeout: 60_000 }, async (_name, odd, json, expected) => {
  const report = await examineOdd(({ method, params }) =>
    method === odd && params.cursor === undefined ? { outcome: `"result":${json}` } : undefined,
  );
  expect(readFindings(report)).toEqual(expected);
});
