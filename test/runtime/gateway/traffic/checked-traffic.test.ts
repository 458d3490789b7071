import { expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import type { Conversion, Loss, Revision } from "../../../../generated/support.ts";
import { TrafficChecker } from "../../../../runtime/gateway/traffic/check-traffic.ts";
import { LossRecorder } from "../../../../runtime/gateway/traffic/record-losses.ts";
import { statelessRevision, newest } from "../../../kit/revisions.ts";
import { request } from "../../../kit/messages.ts";

/* The revision, the problem and the losses of messages, which are known only from those before them. */

const toServer = "to-server";
const toClient = "to-client";

/** Creates a checker of a connection on which a session was opened. */
function openSession(id: string): TrafficChecker {
  const checker = new TrafficChecker(revisions);
  const params = { protocolVersion: id, capabilities: {}, clientInfo: { name: "test", version: "1" } };
  checker.check(toServer, { jsonrpc: "2.0", id: 0, method: "initialize", params });
  const result = { protocolVersion: id, capabilities: {}, serverInfo: { name: "a", version: "1" } };
  expect(checker.check(toClient, { jsonrpc: "2.0", id: 0, result })).toMatchObject({ protocol: id });
  return checker;
}

const cancelled = { requestId: 1 };

test.each<readonly [string, string, string, object, object | undefined]>([
  ["a notification", newest.id, "notifications/cancelled", cancelled, undefined],
  ["an older name of a notification", "2024-11-05", "cancelled", cancelled, undefined],
  ["an older name with wrong params", "2024-11-05", "cancelled", {}, { path: expect.stringMatching("^params") }],
  ["a name of an older revision", newest.id, "cancelled", cancelled, { path: "method" }],
])("%s is checked at the revision of its session", (_what, id, method, params, problem) => {
  const checker = openSession(id);
  for (const direction of [toServer, toClient] as const) {
    const entry = checker.check(direction, { jsonrpc: "2.0", method, params });
    expect(entry).toMatchObject({ direction, protocol: id });
    if (problem) expect(entry.problem).toMatchObject(problem);
    else expect(entry.problem).toBeUndefined();
  }
});

test("a response is checked by the method of its request, once, in the other direction", () => {
  const checker = openSession(newest.id);
  const wrong = { jsonrpc: "2.0", id: 7, result: { tools: 5 } };
  checker.check(toServer, { jsonrpc: "2.0", id: 7, method: "tools/list" });
  expect(checker.check(toServer, wrong).problem).toBeUndefined();
  expect(checker.check(toClient, { ...wrong, id: "7" }).problem).toBeUndefined();
  expect(checker.check(toClient, wrong).problem).toMatchObject({ path: "result/tools" });
  expect(checker.check(toClient, wrong)).toEqual({ direction: toClient, protocol: newest.id, message: wrong });
});

test("a message before the session is opened has no revision, and its opening request is checked at the proposed one", () => {
  const checker = new TrafficChecker(revisions);
  const before = checker.check(toServer, { jsonrpc: "2.0", method: "no/such" });
  expect(before).toEqual({ direction: toServer, protocol: undefined, message: expect.anything() });
  const opening = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: newest.id } };
  expect(checker.check(toServer, opening)).toMatchObject({
    protocol: undefined,
    problem: { path: expect.stringMatching("^params") },
  });
});

test("a session that was opened on another connection has its revision, and a stateless request its own", () => {
  expect(
    new TrafficChecker(revisions, newest).check(toServer, { jsonrpc: "2.0", id: 1, method: "ping" }),
  ).toMatchObject({
    protocol: newest.id,
  });
  const checker = new TrafficChecker(revisions);
  expect(checker.check(toServer, request(1, "tools/list"))).toMatchObject({ protocol: statelessRevision.id });
  const error = { code: -32603, message: "no" };
  expect(checker.check(toClient, { jsonrpc: "2.0", id: 1, error })).toMatchObject({ protocol: statelessRevision.id });
  expect(checker.describe(toClient, { kind: "depth", message: "too deep", value: 5 })).toMatchObject({
    protocol: statelessRevision.id,
    message: 5,
    problem: { path: "", message: "too deep" },
  });
});

/** Creates a recorder, and converters that report losses and return a copy. */
function record(losses: readonly Loss[]) {
  const recorder = new LossRecorder();
  const none = { clientRequests: {}, serverRequests: {}, clientNotifications: {}, serverNotifications: {} };
  const convert: Conversion["params"] = (value, onLoss) => {
    if (typeof value !== "object" || value === null) return value;
    if ("isLossy" in value) for (const loss of losses) onLoss?.(loss);
    return { ...value };
  };
  const row: Conversion = { params: convert, result: convert };
  const old: Revision = { ...newest, conversions: { ...none, embeddedRequests: {}, clientRequests: { call: row } } };
  const [followed] = recorder.follow([old]);
  const { params, result } = followed?.conversions?.clientRequests.call ?? {};
  if (!params || !result) return expect.unreachable("the conversions are followed");
  return { recorder, params, result };
}

const losses: readonly Loss[] = [
  { type: "Tool", member: "icons", rule: "drop" },
  { type: "Tool", member: "", rule: "text" },
  { type: "Tool", member: "icons", rule: "drop" },
];
const described = [
  { path: "Tool.icons", reason: "omitted: the revision does not have it" },
  { path: "Tool", reason: "converted by the rule text" },
];

test("a revision without conversions is followed as it is", () => {
  const { conversions: _none, ...plain } = newest;
  expect(new LossRecorder().follow([plain])[0]).toBe(plain);
});

test("a result has the losses of its conversion, and its converter reports them as before", () => {
  const { recorder, result } = record(losses);
  const reported: Loss[] = [];
  const converted = result({ isLossy: true }, (loss) => void reported.push(loss));
  expect(reported).toEqual(losses);
  expect(recorder.of({ jsonrpc: "2.0", id: 1, result: Object(converted) })).toEqual(described);
  expect(recorder.of({ jsonrpc: "2.0", id: 1, result: Object(result({})) })).toBeUndefined();
  expect(recorder.of({ jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } })).toBeUndefined();
});

test("params have the losses of their conversion once, although they are sent as a copy after others", () => {
  const { recorder, params } = record(losses);
  params({ isLossy: true, name: "a" });
  for (let count = 0; count < 20; count += 1) params({});
  const sent = (name: string): ReturnType<LossRecorder["of"]> =>
    recorder.of({
      jsonrpc: "2.0",
      id: 1,
      method: "call",
      params: { isLossy: true, name, _meta: { progressToken: 1 } },
    });
  expect(sent("b")).toBeUndefined();
  expect(sent("a")).toEqual(described);
  expect(sent("a")).toBeUndefined();
});

test("the losses of params that are never sent are forgotten in the end", () => {
  const { recorder, params } = record(losses);
  for (let index = 0; index < 17; index += 1) params({ isLossy: true, index });
  const sent = (index: number): ReturnType<LossRecorder["of"]> =>
    recorder.of({ jsonrpc: "2.0", method: "call", params: { isLossy: true, index } });
  expect([0, 1, 16].map((index) => sent(index) === undefined)).toEqual([true, false, false]);
});
