import { expect, onTestFinished, test, vi } from "vitest";
import { revisions } from "../../generated/revisions.ts";
import { createAjvValidator } from "../../runtime/adapters/ajv.ts";
import { createCfworkerValidator } from "../../runtime/adapters/cfworker.ts";
import { connect } from "../../runtime/client/connect.ts";
import { connectHttp } from "../../runtime/client/connect-http.ts";
import { createServer } from "../../runtime/server/create-server.ts";
import { fromJsonSchema } from "../../runtime/server/json-schema.ts";
import { serveHttp } from "../../runtime/server/run/serve-http.ts";
import { createWsTransport, listenWebSocket } from "../../runtime/transport/websocket/index.ts";
import { request } from "../kit/messages.ts";
import { initialize } from "../kit/http-exchange.ts";
import { start } from "../kit/http-server.ts";
import { createSuiteServer } from "../runtime/transport/transport.suite-server.ts";

/* Attacks on a server that other tests of the classes do not play. */

test("ids of sessions have 128 random bits", async () => {
  const rig = await start();
  onTestFinished(() => rig.close());
  const sessions = await Promise.all(Array.from({ length: 100 }, () => rig.open()));
  const ids = sessions.map(({ id }) => BigInt(`0x${id}`));
  const varying = Array.from({ length: 128 }, (_value, bit) => {
    const ones = ids.filter((id) => (id >> BigInt(bit)) & 1n).length;
    // A random bit is outside of these bounds once in more than 100 million runs.
    return ones > 20 && ones < 80;
  });
  expect(varying.filter(Boolean)).toHaveLength(128);
  expect(new Set(ids).size).toBe(sessions.length);
});

test.each<readonly [name: string, outcome: unknown]>([
  ["nothing", undefined],
  ["null", null],
  ["an object without a principal", {}],
  ["the principal undefined", { principal: undefined, scopes: ["admin"] }],
  ["an empty principal", { principal: "" }],
  ["a text", "alice"],
  ["true", true],
])("a guard that returns %s lets no sender in", async (_name, outcome) => {
  const authenticate = vi.fn().mockReturnValue(outcome);
  const rig = await start({}, { authenticate, sse: {}, onError: () => {} });
  onTestFinished(() => rig.close());
  const responses = await Promise.all([
    rig.send({ body: initialize("2025-11-25") }),
    rig.send({
      body: request(1, "tools/list"),
      headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" },
    }),
    rig.send({ method: "GET", path: "/sse" }),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([500, 500, 500]);
  const sockets = await listenWebSocket({ accept: createSuiteServer(), authenticate, onError: () => {} });
  onTestFinished(() => sockets.close());
  const client = connect(createWsTransport(sockets.url), { info: { name: "test", version: "1" }, revisions });
  await expect(client).rejects.toMatchObject({ cause: { message: expect.stringContaining("401") } });
});

/** A filter that each of three kinds checks before its own name, as in many descriptions of APIs. */
const filters = {
  type: "object",
  properties: { filter: { $ref: "#/$defs/filter" } },
  $defs: {
    filter: {
      anyOf: ["and", "or", "not"].map((kind) => ({
        type: "object",
        properties: { filter: { $ref: "#/$defs/filter" }, kind: { pattern: `^${kind}$` } },
        required: ["kind"],
      })),
    },
  },
} as const;

test.each([
  ["ajv", createAjvValidator],
  ["cfworker", createCfworkerValidator],
])(
  "a small call that multiplies the work of %s does not keep the server from others",
  async (_name, createValidator) => {
    const inputSchema = fromJsonSchema<{ filter?: object }>(filters, { validate: createValidator() });
    const search = { name: "search", inputSchema, execute: () => "found" };
    const listener = await serveHttp(createServer({ name: "test", version: "1", tools: [search] }, revisions));
    onTestFinished(() => listener.close());
    const join = async () => {
      const timeouts = { request: 60_000 };
      const client = await connectHttp(listener.url, { info: { name: "test", version: "1" }, revisions, timeouts });
      onTestFinished(() => client.close());
      return client;
    };
    const [attacker, other] = [await join(), await join()];
    let filter: object = { kind: "xor" };
    for (let depth = 0; depth < 50; depth++) filter = { filter, kind: "xor" };
    const call = (args: object): Promise<unknown> =>
      attacker.request("tools/call", { name: "search", arguments: args });
    const [attack, served] = await Promise.all([call({ filter }), other.request("tools/list")]);
    expect(attack).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("too many evaluations") }],
    });
    expect(served).toMatchObject({ tools: [{ name: "search" }] });
    expect(await call({ filter: { kind: "and", filter: { kind: "not" } } })).toMatchObject({
      content: [{ text: "found" }],
    });
  },
);
