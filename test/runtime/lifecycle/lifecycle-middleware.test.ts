import { describe, expect, test } from "vitest";
import { isObject } from "../../../generated/support.ts";
import type { LifecycleMiddleware, LifecycleRequest } from "../../../runtime/lifecycle/lifecycle-middleware.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { requestMetadata, initialize, request } from "../../kit/messages.ts";
import { serveWire } from "../../kit/wire.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";

function record(seen: LifecycleRequest[]): LifecycleMiddleware {
  return (received, next) => {
    seen.push(received);
    return next();
  };
}

async function rest(turns = 4): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await settle();
}

describe("middleware around the lifecycle", () => {
  test("middleware receives initialize, and ping in the session", async () => {
    const seen: LifecycleRequest[] = [];
    const { wire, connection } = await serveWire({ around: record(seen) });
    const messages = [initialize(newest.id), { jsonrpc: "2.0", id: 1, method: "ping", params: { _meta: { a: 1 } } }];
    for (const message of messages) {
      wire.post(message);
      await rest();
    }
    expect(seen.map(({ method, params, call }) => ({ jsonrpc: "2.0", id: call.requestId, method, params }))).toEqual(
      messages,
    );
    for (const { session } of seen) expect(session).toBe(connection.session);
    expect(wire.sent).toMatchObject([
      { id: 0, result: { protocolVersion: newest.id } },
      { id: 1, result: {} },
    ]);
  });

  test("middleware receives server/discover with the session of the request", async () => {
    const seen: LifecycleRequest[] = [];
    const { wire } = await serveWire({ revisions: [statelessRevision], around: record(seen) });
    wire.post(request(7, "server/discover"));
    await rest();
    expect(seen).toMatchObject([
      {
        method: "server/discover",
        params: { _meta: requestMetadata() },
        session: { revision: { id: statelessRevision.id }, peer: { info: { name: "test" } } },
        call: { requestId: 7 },
      },
    ]);
    expect(wire.sent).toMatchObject([{ id: 7, result: { supportedVersions: [statelessRevision.id] } }]);
  });

  test("middleware may change the result of initialize", async () => {
    const { wire } = await serveWire({
      around: async (_, next) => {
        const result = await next();
        return isObject(result) ? { ...result, instructions: "Be kind" } : result;
      },
    });
    wire.post(initialize(newest.id));
    await rest();
    expect(wire.sent).toMatchObject([{ id: 0, result: { protocolVersion: newest.id, instructions: "Be kind" } }]);
  });

  test("a result of initialize that middleware makes invalid is not sent", async () => {
    const { wire, connection, reports } = await serveWire({
      around: async (_, next) => {
        await next();
        return { protocolVersion: 1 };
      },
    });
    wire.post(initialize(newest.id));
    await rest();
    expect(wire.sent).toEqual([{ jsonrpc: "2.0", id: 0, error: { code: -32603, message: "Internal error" } }]);
    const error = expect.objectContaining({ name: "InvalidMessageError", method: "initialize", part: "result" });
    expect(reports).toMatchObject([{ kind: "handler", method: "initialize", error }]);
    expect(connection.session).toBeUndefined();
  });

  test("middleware that does not continue opens no session", async () => {
    const result = { protocolVersion: newest.id, capabilities: {}, serverInfo: { name: "other", version: "1" } };
    const { wire, connection } = await serveWire({ around: () => result });
    wire.post(initialize(newest.id));
    await rest();
    expect(wire.sent).toEqual([{ jsonrpc: "2.0", id: 0, result }]);
    expect(connection.session).toBeUndefined();
  });

  test("middleware around two concurrent requests of initialize opens one session", async () => {
    let opened = 0;
    const { wire } = await serveWire({
      limits: { maxCalls: 2 },
      around: async (_, next) => {
        await settle();
        return next();
      },
      onOpen: () => (opened += 1),
    });
    // The second one is read at once, because no more messages may wait.
    const waiting = [1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "tools/list" }));
    wire.post(initialize(newest.id), ...waiting, initialize(newest.id, {}, 3));
    await rest();
    expect(wire.sent).toContainEqual({
      jsonrpc: "2.0",
      id: 3,
      error: { code: -32600, message: "The session is already initialized" },
    });
    expect(wire.sent).toContainEqual(expect.objectContaining({ id: 0, result: expect.anything() }));
    expect(opened).toBe(1);
  });
});
