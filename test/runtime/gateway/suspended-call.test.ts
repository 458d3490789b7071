import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { SuspendedCall } from "../../../runtime/gateway/proxy/suspended-call.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { statelessRevision } from "../../kit/revisions.ts";
import { createCall } from "../../kit/calls.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";

/* A call of a client without a session, whose server requests input. */

const form = { mode: "form", message: "?", requestedSchema: { type: "object", properties: {} } };
const server = createServer({ name: "a", version: "1" }, [statelessRevision]);
const context = (principal = "alice", signal?: AbortSignal): ReturnType<typeof createCall> =>
  createCall(server, statelessRevision, { origin: { identity: { principal } }, ...(signal && { signal }) });

interface Suspended {
  readonly call: SuspendedCall;
  end(): void;
  request(signal?: AbortSignal, method?: string, params?: object): Promise<unknown>;
}

function suspend(method = "tools/call"): Suspended {
  const row = statelessRevision.clientRequests[method];
  if (!row) return expect.unreachable("the revision has tools");
  const call = new SuspendedCall(context(), row, { name: "a" });
  let end = (): void => {};
  call.begin(new Promise((resolve) => (end = () => resolve({ content: [] }))));
  return {
    call,
    end: () => end(),
    request: (signal = new AbortController().signal, requested = "elicitation/create", params = form) =>
      call.ask(requested, params, signal),
  };
}

test("input requests of a call that is suspended leave no listeners on the signal of the server", async () => {
  const { signal } = new AbortController();
  const { call, request, end } = suspend();
  const pending = request(signal);
  const unanswered = request(signal);
  expect(await call.next()).toEqual({ kind: "asked" });
  call.respond({ "createElicitation-1": { action: "decline" }, "elicit-1": { action: "decline" } });
  end();
  await Promise.allSettled([pending, unanswered]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("an input request is rejected after the end of its call, or when its signal is aborted", async () => {
  const { request, end } = suspend();
  await expect(request(AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
  end();
  await new Promise((resolve) => setImmediate(resolve));
  await expect(request(new AbortController().signal)).rejects.toThrow("The call of the client has ended");
});

test("input requests at the same time are in one result, and each gets its response", async () => {
  const { call, request, end } = suspend();
  const [first, second] = [request(), request(undefined, "roots/list", {})];
  const turn = call.next();
  expect(await turn).toEqual({ kind: "asked" });
  expect(call.toResult("s")).toEqual({
    resultType: "input_required",
    inputRequests: {
      "elicit-1": { method: "elicitation/create", params: form },
      "listRoots-2": { method: "roots/list" },
    },
    requestState: "s",
  });
  for (const responses of [undefined, "text", {}, { "elicit-9": { action: "decline" } }]) call.respond(responses);
  expect(await call.next()).toEqual({ kind: "asked" });
  call.respond({ "elicit-1": { action: "decline" } });
  expect(await first).toEqual({ action: "decline" });
  expect(call.toResult("t")).toMatchObject({ inputRequests: { "listRoots-2": {} }, requestState: "t" });
  call.respond({ "listRoots-2": { roots: [] } });
  expect(await second).toEqual({ roots: [] });
  end();
  expect(await call.next()).toEqual({ kind: "done", result: { content: [] } });
});

test("an invalid response is rejected with its key, and no other response is taken", async () => {
  const { call, request } = suspend();
  const [first, second] = [request(), request()];
  const wrong = { "elicit-1": { action: "decline" }, "elicit-2": { action: 5 } };
  expect(() => call.respond(wrong)).toThrow(
    expect.objectContaining({ code: -32602, data: expect.objectContaining({ key: "elicit-2", path: "action" }) }),
  );
  call.respond({ "elicit-1": { action: "cancel" }, "elicit-2": { action: "cancel" } });
  expect(await Promise.all([first, second])).toEqual([{ action: "cancel" }, { action: "cancel" }]);
});

test.each<readonly [string, string, string, object, object]>([
  ["of an unknown method", "tools/call", "x/y", {}, { code: -32601 }],
  ["during a list, whose result cannot have it", "tools/list", "elicitation/create", form, { code: -32601 }],
  ["with invalid params", "tools/call", "elicitation/create", {}, { name: "InvalidMessageError", part: "params" }],
])("an input request %s is rejected", async (_what, method, requested, params, error) => {
  const { call, request } = suspend(method);
  await expect(request(undefined, requested, params)).rejects.toMatchObject(error);
  expect(call.toResult("s")).toMatchObject({ inputRequests: {} });
});

test("an input request that the server cancels is not shown, and the call goes on", async () => {
  const { call, request, end } = suspend();
  const stop = new AbortController();
  const cancelled = request(stop.signal);
  const turn = call.next();
  stop.abort(new Error("not any more"));
  await expect(cancelled).rejects.toThrow("not any more");
  expect(call.toResult("s")).toEqual({ resultType: "input_required", inputRequests: {}, requestState: "s" });
  expect(await turn).toEqual({ kind: "asked" });
  const next = call.next();
  await settle();
  end();
  expect(await next).toEqual({ kind: "done", result: { content: [] } });
});

test("input requests are rejected when their call ends", async () => {
  const { call, request, end } = suspend();
  const pending = request();
  end();
  await expect(pending).rejects.toMatchObject({ code: -32603, message: "The call of the client has ended" });
  expect(call.toResult("s")).toMatchObject({ inputRequests: {} });
});

test("a call is aborted with the request that represents it now, and with no earlier one", () => {
  const { call } = suspend();
  const [first, second] = [new AbortController(), new AbortController()];
  const leave = call.follow(context("alice", first.signal));
  leave();
  const later = context("alice", second.signal);
  call.follow(later);
  expect(call.call).toBe(later);
  first.abort();
  expect(call.signal.aborted).toBe(false);
  second.abort(new Error("enough"));
  expect(call.signal.reason).toEqual(new Error("enough"));
});

test.each<readonly [string, string, string, unknown, boolean]>([
  ["is the same", "alice", "tools/call", { name: "a" }, true],
  ["has the responses is the same", "alice", "tools/call", { name: "a", requestState: "s", inputResponses: {} }, true],
  ["is of another principal differs", "bob", "tools/call", { name: "a" }, false],
  ["has another method differs", "alice", "prompts/get", { name: "a" }, false],
  ["has other params differs", "alice", "tools/call", { name: "b" }, false],
  ["has no params differs", "alice", "tools/call", undefined, false],
])("a retry that %s", (_what, principal, method, params, isSame) => {
  expect(suspend().call.isSame(context(principal), method, params)).toBe(isSame);
});
