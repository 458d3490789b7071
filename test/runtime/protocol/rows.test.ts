import { describe, expect, test } from "vitest";
import { isObject, type Issue, type Progress, type RequestRow } from "../../../generated/support.ts";
import type { ErrorReport } from "../../../runtime/jsonrpc/error-report.ts";
import { CapabilityError, PeerError } from "../../../runtime/jsonrpc/errors.ts";
import { checkParams, toOutgoingMessage } from "../../../runtime/protocol/peer/outgoing-params.ts";
import { createNoRequests } from "../../../runtime/protocol/peer/request-table.ts";
import { Throttle, toProgress, toProgressRate, toProgressToken } from "../../../runtime/protocol/peer/progress.ts";
import { checkResult, createRoutes } from "../../../runtime/protocol/peer/routes.ts";
import { missingCapability, toStatelessError } from "../../../runtime/protocol/peer/stateless-request.ts";
import { createRevisionConverter } from "../../../runtime/protocol/revision/revision-converter.ts";
import { statelessRevision, newest, revisionOf, row } from "../../kit/revisions.ts";
import { plainSession } from "./open-peer.ts";

/* Functions that read and write the parts of messages as the rows of a revision say. */

const work = row("work", "work");

describe("results that deviate from the revision", () => {
  const result = (value: unknown): Issue | undefined => {
    if (!isObject(value)) return { path: "", expected: "an object" };
    const { ttlMs = 0, title = "" } = value;
    if (typeof ttlMs !== "number" || ttlMs < 0 || ttlMs > 10) return { path: "ttlMs", expected: "0 to 10" };
    if (typeof title !== "string") return { path: "title", expected: "a string" };
    return value.bad === undefined ? undefined : { path: String(value.bad), expected: "nothing" };
  };
  const lenient: RequestRow = { ...work, result, nulls: ["title"], minimums: { ttlMs: 0 } };
  const strict: RequestRow = { ...work, result };

  test.each<readonly [RequestRow, unknown, unknown]>([
    [lenient, { ttlMs: 3, title: "x" }, { ttlMs: 3, title: "x" }],
    [lenient, { ttlMs: -5, rest: 1 }, { ttlMs: 0, rest: 1 }],
    [lenient, { title: null, rest: 1 }, { rest: 1 }],
    [lenient, { ttlMs: -5, title: null }, { ttlMs: 0 }],
    [lenient, { title: "x", rest: null }, { title: "x", rest: null }],
    [lenient, { ttlMs: null }, {}],
    [strict, { title: null, ttlMs: null, rest: 1 }, { rest: 1 }],
  ])("%# a result is read with the minimum, and without null: %o, %j", (known, value, read) => {
    expect(checkResult(known, value)).toStrictEqual(read);
  });

  test.each<readonly [RequestRow, unknown, string]>([
    [lenient, { ttlMs: 11 }, "ttlMs"],
    [lenient, { ttlMs: "-5" }, "ttlMs"],
    [lenient, { title: 5 }, "title"],
    [lenient, { title: 5, ttlMs: 1 }, "title"],
    [lenient, { bad: "constructor" }, "constructor"],
    [lenient, { bad: "ttlMs", ttlMs: 0 }, "ttlMs"],
    [lenient, null, ""],
    [lenient, "text", ""],
    [strict, { ttlMs: -5 }, "ttlMs"],
    [strict, { title: null, ttlMs: "5" }, "ttlMs"],
  ])("%# any other result is rejected: %o, %j", (known, value, path) => {
    expect(() => checkResult(known, value)).toThrow(
      expect.objectContaining({
        name: "InvalidMessageError",
        part: "result",
        issue: expect.objectContaining({ path }),
      }),
    );
  });
});

test.each([
  ["2024-11-05", ["cancelled"]],
  [newest.id, []],
])("the routes of %s have the names of its messages, and those that SDKs have sent", (id, more) => {
  const revision = revisionOf(id);
  const { requests, notifications } = createRoutes(revision, { role: "server", handlers: {} });
  expect([...requests.keys()]).toEqual(Object.keys(revision.clientRequests));
  expect(new Set(notifications.keys())).toEqual(new Set([...Object.keys(revision.clientNotifications), ...more]));
});

describe("outgoing params", () => {
  const own = { "example.com/version": "1" };
  const message = { kind: "request", method: "work" } as const;
  const withMetadata = { ...plainSession, toMetadata: () => own };

  test.each<readonly [string, object, object | undefined, unknown]>([
    ["no metadata and no token", { params: { a: 1 } }, undefined, { a: 1 }],
    ["a token", { params: { a: 1 }, progressToken: 7 }, undefined, { _meta: { progressToken: 7 }, a: 1 }],
    ["a token and no params", { params: undefined, progressToken: 7 }, undefined, { _meta: { progressToken: 7 } }],
    ["metadata", { params: { a: 1 } }, withMetadata, { _meta: own, a: 1 }],
    ["both", { params: {}, progressToken: 7 }, withMetadata, { _meta: { progressToken: 7, ...own } }],
    ["given metadata", { params: { _meta: { b: 2 } } }, withMetadata, { _meta: { ...own, b: 2 } }],
    [
      "given metadata and a token",
      { params: { _meta: { b: 2 } }, progressToken: 7 },
      undefined,
      { _meta: { b: 2, progressToken: 7 } },
    ],
    ["a notification", { kind: "notification", params: { a: 1 } }, withMetadata, { a: 1 }],
  ])("a message with %s is completed", (_, given, session, expected) => {
    const known = session && { ...plainSession, ...session };
    expect(toOutgoingMessage(known, { ...message, params: undefined, ...given })).toStrictEqual(expected);
  });

  test("metadata is checked where it is given, and nowhere else", () => {
    const checkMetadata = (): Issue => ({ path: "_meta", expected: "something else" });
    const session = { ...withMetadata, checkMetadata };
    expect(toOutgoingMessage(session, { ...message, params: {} })).toEqual({ _meta: own });
    expect(() => toOutgoingMessage(session, { ...message, params: { _meta: {} } })).toThrow(
      expect.objectContaining({ name: "InvalidMessageError", method: "work", part: "params" }),
    );
  });

  test.each([
    [true, undefined, true],
    [true, {}, false],
    [false, undefined, false],
  ])("params are checked unless they may be absent and are: %s, %j", (paramsOptional, params, isValid) => {
    const check = (): Issue => ({ path: "", expected: "something else" });
    const send = (): void => checkParams({ ...work, params: check, paramsOptional }, params);
    if (isValid) expect(send).not.toThrow();
    else expect(send).toThrow(expect.objectContaining({ name: "InvalidMessageError", part: "params" }));
  });
});

test("an end without requests reports every response, and sends nothing", () => {
  const reports: ErrorReport[] = [];
  const none = createNoRequests({ report: (report) => reports.push(report) });
  none.resolve(1, {});
  none.reject("a", { code: 1, message: "" });
  none.reject(undefined, { code: 1, message: "" });
  none.progress(2, { progress: 1 });
  const error = new Error("The response has an unknown request id");
  expect(reports).toStrictEqual([
    { kind: "protocol", id: 1, error },
    { kind: "protocol", id: "a", error },
    { kind: "protocol", error: new PeerError({ code: 1, message: "" }) },
    { kind: "protocol", id: 2, error: new Error("The progress has an unknown token") },
  ]);
  const listener = { resolve() {}, reject() {} };
  expect(() => none.start(work, undefined, listener, {})).toThrow(
    "The project is generated without requests to the peer; work cannot be sent",
  );
  none.hold(1)();
  expect([none.size, none.discard(1, error), none.sweep(5)]).toEqual([0, false, Infinity]);
});

describe("progress", () => {
  test.each<readonly [Progress, object]>([
    [{ progress: 1 }, { progress: 1 }],
    [
      { progress: 1, total: 2, message: "x" },
      { progress: 1, total: 2, message: "x" },
    ],
    [
      { progress: 1, total: 0, message: "" },
      { progress: 1, total: 0, message: "" },
    ],
    [{ progress: 1, total: Infinity }, { progress: 1 }],
  ])("a report is sent with the members that it has: %o", (report, sent) => {
    expect(toProgress(report)).toStrictEqual(sent);
  });

  test.each([
    ["a", "a"],
    [0, 0],
    [{}, undefined],
    [undefined, undefined],
  ])("a token is a text or a number: %j", (given, token) => {
    expect(toProgressToken(given)).toBe(token);
  });

  test("a rate that permits nothing is rejected", () => {
    expect(() => toProgressRate({ burst: 0, perSecond: 1 })).toThrow(/^progressRate has burst 0/);
    expect(toProgressRate(undefined)).toEqual({ burst: 100, perSecond: 20 });
  });

  test("a report that is held is sent when a token is there, even if it is checked earlier", async () => {
    const sent: number[] = [];
    const waits: number[] = [];
    const host = { now: () => 0, deadlineAfter: (wait: number) => (waits.push(wait), wait - 10) };
    const throttle = new Throttle(host, { burst: 1, perSecond: 10 }, async ({ progress }) => void sent.push(progress));
    for (const progress of [1, 2, 3]) await throttle.report({ progress });
    expect([sent, waits]).toEqual([[1], [100]]);
    expect(throttle.sweep(33.5)).toBe(90);
    expect(throttle.sweep(90)).toBe(101);
    expect(sent).toEqual([1]);
    expect(throttle.sweep(101)).toBe(Infinity);
    expect(sent).toEqual([1, 3]);
  });
});

test("an error about a capability of the client says what to declare; one about the server's stays", () => {
  const declared = new CapabilityError("roots/list", { side: "client", path: ["roots", "listChanged"] });
  const { code } = missingCapability(statelessRevision, declared.gate);
  expect(toStatelessError(declared, statelessRevision)).toMatchObject({
    name: "RpcError",
    code,
    message: "The client has not declared the capability roots.listChanged",
    data: { requiredCapabilities: { roots: { listChanged: {} } } },
  });
  expect([code, missingCapability(newest, declared.gate).code]).toEqual([
    statelessRevision.errors.missingRequiredClientCapability?.code,
    -32600,
  ]);
  const other = new CapabilityError("tools/call", { side: "server", path: ["tools"] });
  for (const error of [other, new Error("any")]) expect(toStatelessError(error, statelessRevision)).toBe(error);
});

test("a request without a handler has none at an older revision either", () => {
  const oldest = revisionOf("2024-11-05");
  const options = { role: "server", written: newest, mode: undefined, onError: undefined } as const;
  const converter = createRevisionConverter(oldest, options);
  const { requests } = createRoutes(oldest, { role: "server", handlers: {}, converter });
  expect(converter).toBeDefined();
  expect(requests.get("tools/call")).toMatchObject({ handle: undefined });
});
