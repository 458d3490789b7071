import { afterEach, describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../../../runtime/gateway/gateway.ts";
import { RpcError } from "../../../runtime/jsonrpc/errors.ts";
import type { MessageMiddleware } from "../../../runtime/protocol/peer/message-middleware.ts";
import type { Telemetry } from "../../../runtime/protocol/session/telemetry.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { newest } from "../../kit/revisions.ts";
import { joinGateway } from "./connect-client.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A gateway with middleware, and the names of the tools that its server has run. */
async function open(
  middleware: MessageMiddleware,
  more: Partial<GatewayOptions> = {},
): Promise<{ gateway: Gateway; ran: string[] }> {
  const ran: string[] = [];
  const tools = ["a", "b"].map((name) => ({ name, execute: () => (ran.push(name), name) }));
  const server = createServer({ name: "server", version: "1", tools }, revisions);
  const gateway = await createGateway(
    (options) => {
      const [near, far] = createInMemoryTransports();
      serve(server, far);
      return connect(near, options);
    },
    { revisions, middleware: [middleware], ...more },
  );
  ends.push(() => gateway.close());
  return { gateway, ran };
}

const cached = { content: [{ type: "text", text: "cached" }] };
const isCall = (method: string, role: string, end: string): boolean => method === "tools/call" && role === end;

const cases: readonly (readonly [string, MessageMiddleware, object, readonly string[]])[] = [
  [
    "responds to a client by itself",
    { receive: { request: ({ method, role }, next) => (isCall(method, role, "server") ? cached : next()) } },
    cached,
    [],
  ],
  [
    "responds in place of the server",
    { send: { request: ({ method, role }, next) => (isCall(method, role, "client") ? cached : next()) } },
    cached,
    [],
  ],
  [
    "changes what the server receives",
    {
      send: {
        request: ({ method, role }, next) =>
          isCall(method, role, "client") ? next({ params: { name: "b", arguments: {} } }) : next(),
      },
    },
    { content: [{ type: "text", text: "b" }] },
    ["b"],
  ],
  [
    "calls the server twice",
    {
      send: {
        async request({ method, role }, next) {
          if (isCall(method, role, "client")) await next();
          return next();
        },
      },
    },
    { content: [{ type: "text", text: "a" }] },
    ["a", "a"],
  ],
];

describe.each(revisions.map((revision) => [revision.id, revision] as const))("at revision %s", (_id, revision) => {
  test.each(cases)("middleware of a gateway %s", async (_what, middleware, result, expected) => {
    const { gateway, ran } = await open(middleware);
    const client = await joinGateway(gateway, revision);
    ends.push(() => client.close());
    expect(await client.request("tools/call", { name: "a" })).toMatchObject(result);
    expect(ran).toEqual(expected);
  });

  test("middleware of a gateway rejects a call", async () => {
    const { gateway, ran } = await open({
      receive: {
        request({ method, role }, next) {
          if (isCall(method, role, "server")) throw new RpcError(4711, "no");
          return next();
        },
      },
    });
    const client = await joinGateway(gateway, revision);
    ends.push(() => client.close());
    await expect(client.request("tools/call", { name: "a" })).rejects.toMatchObject({ code: 4711, message: "no" });
    expect(ran).toEqual([]);
  });
});

test("telemetry of a gateway observes the connections to its clients and to its server", async () => {
  const roles: string[] = [];
  const telemetry: Telemetry = { observe: (channel, { role }) => (roles.push(role), channel) };
  const { gateway } = await open({}, { telemetry });
  expect(roles.splice(0)).toEqual(["client"]);
  const client = await joinGateway(gateway, newest);
  ends.push(() => client.close());
  expect(roles.splice(0)).toEqual(["server"]);
  await client.request("tools/call", { name: "a" });
  expect(roles).toEqual(["client"]);
});
