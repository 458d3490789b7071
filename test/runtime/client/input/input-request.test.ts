import { describe, expect, test } from "vitest";
import { findRow } from "../../../../runtime/protocol/methods/method-rows.ts";
import type { CallContext } from "../../../../runtime/protocol/peer/incoming-call.ts";
import type { ClientConnection } from "../../../../runtime/client/connect.ts";
import { handleInputRequest } from "../../../../runtime/client/input/input-request.ts";
import { joinProgress, resolveInputRequired } from "../../../../runtime/client/input/input-required.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import type { Wire } from "../../../../runtime/testing/wire.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { begin, discovered } from "../discovery.ts";

async function open(): Promise<{ readonly wire: Wire; readonly connection: ClientConnection }> {
  const { wire, connecting } = await begin();
  wire.post({ jsonrpc: "2.0", id: 1, result: discovered });
  const connection = await connecting;
  await settle();
  wire.sent.splice(0);
  return { wire, connection };
}

const form = { message: "?", requestedSchema: { type: "object", properties: {} } };
const elicit = { method: "elicitation/create", params: form };
const roots = { roots: [{ uri: "file:///a" }] };
const { signal } = new AbortController();

/** Handles an input request by the handler with this name. */
async function handle(
  request: unknown,
  name: string,
  handler: unknown,
): Promise<{ readonly wire: Wire; readonly response: unknown }> {
  const { wire, connection } = await open();
  const responder = { connection, handlers: { [name]: handler } };
  const response = await handleInputRequest(responder, { key: "k", request, result: { a: 1 } }, signal).catch(
    (error: unknown) => error,
  );
  return { wire, response };
}

describe("an input request in a result", () => {
  test.each([
    ["an elicitation", elicit, "elicit", form, { action: "decline" }],
    ["a request without params, which are optional", { method: "roots/list" }, "listRoots", undefined, roots],
    ["a request with empty params", { method: "roots/list", params: {} }, "listRoots", {}, roots],
  ])("an input request has the response of its handler: %s", async (_what, request, name, params, result) => {
    const given: unknown[] = [];
    const { response } = await handle(request, name, (...args: readonly unknown[]) => (given.push(args[0]), result));
    expect([response, given]).toEqual([result, [params]]);
  });

  test.each([
    ["no object", "elicitation/create", "undefined"],
    ["without a method", { params: form }, "undefined"],
    ["with a method that is no text", { method: 5, params: form }, "5"],
    ["of a method that is no input request", { method: "tools/list" }, "tools/list"],
    ["of a method without a handler", { method: "roots/list" }, "roots/list"],
  ])("an input request %s is not handled", async (_what, request, method) => {
    const { response } = await handle(request, "elicit", () => ({ action: "decline" }));
    expect(response).toMatchObject({ name: "InputRequiredError", result: { a: 1 } });
    expect(String(response)).toContain(`by ${method}, which this client does not handle`);
  });

  test("an input request is not handled by a member that is no function", async () => {
    const { response } = await handle(elicit, "elicit", {});
    expect(response).toMatchObject({ name: "InputRequiredError" });
  });

  test.each([
    ["params that are missing", { method: "elicitation/create" }, { action: "decline" }, "params"],
    ["params that do not fit", { ...elicit, params: { message: 5 } }, { action: "decline" }, "params"],
    ["a response that does not fit", elicit, { action: "sleep" }, "result"],
    ["no response", elicit, undefined, "result"],
  ])("an input request fails with %s", async (_what, request, response, part) => {
    let count = 0;
    const outcome = await handle(request, "elicit", () => ((count += 1), response));
    expect(outcome.response).toMatchObject({ name: "InvalidMessageError" });
    expect(String(outcome.response)).toContain(part);
    expect(count).toBe(part === "params" ? 0 : 1);
  });
});

describe("the context of an input request", () => {
  async function contextOf(params: object): Promise<{ readonly wire: Wire; readonly call: CallContext }> {
    const calls: CallContext[] = [];
    const { wire } = await handle({ ...elicit, params }, "elicit", (_params: unknown, call: CallContext) => {
      calls.push(call);
      return { action: "decline" };
    });
    const [call] = calls;
    if (!call) throw new Error("The handler was not called");
    return { wire, call };
  }

  test("the context has the key, the signal, the session and no origin", async () => {
    const { call } = await contextOf(form);
    expect([call.requestId, call.meta, call.revision.id, call.origin]).toEqual([
      "k",
      {},
      statelessRevision.id,
      undefined,
    ]);
    expect(call.signal).toBe(signal);
    expect(call.session.revision).toBe(call.revision);
  });

  test("the context has the metadata of the input request", async () => {
    const { call } = await contextOf({ ...form, _meta: { "a/b": 1 } });
    expect(call.meta).toEqual({ "a/b": 1 });
  });

  test("the context reports no progress, and sends other messages on the connection", async () => {
    const { wire, call } = await contextOf(form);
    await call.progress({ progress: 1 });
    expect(wire.sent).toEqual([]);
    const cancelled = findRow(call.revision.clientNotifications, "cancelled");
    const list = findRow(call.revision.clientRequests, "listTools");
    if (!cancelled || !list) throw new Error("The revision has no such method");
    await call.notify(cancelled, { requestId: 9 });
    const stop = new AbortController();
    const listing = call.request(list, {}, { signal: stop.signal });
    await settle();
    expect(wire.sent).toMatchObject([
      { method: "notifications/cancelled", params: { requestId: 9 } },
      { id: 2, method: "tools/list" },
    ]);
    stop.abort(new Error("enough"));
    await expect(listing).rejects.toThrow("enough");
  });
});

describe("progress of a call with several retries", () => {
  test("progress is passed on beyond the highest before the retry", () => {
    const seen: number[] = [];
    const { options, next } = joinProgress({ onProgress: ({ progress }) => seen.push(progress), timeout: 5 });
    const rounds = [
      [1, 5, 3],
      [1, 5, 6, 4],
      [6, 5, 7],
    ];
    for (const round of rounds) {
      for (const progress of round) options.onProgress?.({ progress });
      next();
    }
    expect([seen, options.timeout]).toEqual([[1, 5, 3, 6, 7], 5]);
  });

  test("progress that no caller receives is not requested", () => {
    const given = { timeout: 5 };
    expect(joinProgress(given).options).toBe(given);
  });
});

describe("a result without an input request", () => {
  test.each<[object, object]>([
    [{ requestState: "s" }, { requestState: "s" }],
    [
      { requestState: "", inputRequests: {} },
      { requestState: "", inputResponses: {} },
    ],
    [{ inputRequests: "a" }, {}],
  ])("a result without an input request leads to a retry after a delay: %j", async (members, sent) => {
    const { connection } = await open();
    const clock = new ManualClock();
    const retries: unknown[] = [];
    const result = resolveInputRequired(
      { resultType: "input_required", ...members },
      {
        max: 1,
        clock,
        signal: undefined,
        responder: () => ({ connection, handlers: {} }),
        send: (params, session) => {
          retries.push(params, session);
          return Promise.resolve({ content: [] });
        },
      },
    );
    await clock.pass(249);
    expect(retries).toEqual([]);
    await clock.pass(1);
    expect([await result, retries]).toEqual([{ content: [] }, [sent, connection.session]]);
  });

  test("a wait without an input request ends with the signal of the call", async () => {
    const { connection } = await open();
    const clock = new ManualClock();
    const stop = new AbortController();
    const result = resolveInputRequired(
      { resultType: "input_required" },
      {
        max: 1,
        clock,
        signal: stop.signal,
        responder: () => ({ connection, handlers: {} }),
        send: () => Promise.reject(new Error("sent")),
      },
    );
    result.catch(() => {});
    await settle();
    stop.abort(new Error("enough"));
    await expect(result).rejects.toThrow("enough");
    expect(clock.active).toBe(0);
  });
});
