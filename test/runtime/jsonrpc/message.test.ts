import { describe, expect, test } from "vitest";
import {
  StaticResult,
  classify,
  isBatch,
  isRequestId,
  responseIdOf,
  toResultText,
} from "../../../runtime/jsonrpc/message.ts";

const error = { code: 1, message: "no" };
const longId = "x".repeat(513);

describe("the kind of a message", () => {
  test.each([
    [
      "a request with params",
      { jsonrpc: "2.0", id: 1, method: "m", params: {} },
      { kind: "request", id: 1, method: "m", params: {} },
    ],
    ["a request whose id is 0", { jsonrpc: "2.0", id: 0, method: "m" }, { kind: "request", id: 0, method: "m" }],
    ["a request whose id is empty", { jsonrpc: "2.0", id: "", method: "m" }, { kind: "request", id: "", method: "m" }],
    [
      "a request whose id is negative",
      { jsonrpc: "2.0", id: -1, method: "m" },
      { kind: "request", id: -1, method: "m" },
    ],
    [
      "a request whose id is a name of the prototype",
      { jsonrpc: "2.0", id: "__proto__", method: "m" },
      { kind: "request", id: "__proto__", method: "m" },
    ],
    ["a notification (J-10)", { jsonrpc: "2.0", method: "m" }, { kind: "notification", method: "m" }],
    ["a result", { jsonrpc: "2.0", id: 1, result: {} }, { kind: "result", id: 1, result: {} }],
    ["an error", { jsonrpc: "2.0", id: "a", error }, { kind: "error", id: "a", error }],
    ["an error without id (J-06)", { jsonrpc: "2.0", error }, { kind: "error", id: undefined, error }],
    ["an error whose id is null", { jsonrpc: "2.0", id: null, error }, { kind: "error", id: undefined, error }],
  ])("the kind of a message follows from its keys: %s", (_, value, expected) => {
    expect(classify(value)).toEqual(expected);
  });
});

describe("invalid requests", () => {
  test.each([
    ["no version (J-01)", { id: 1, method: "m" }, 1],
    ["another version (J-01)", { jsonrpc: "1.0", id: "a", method: "m" }, "a"],
    ["a method that is no string", { jsonrpc: "2.0", id: 1, method: 5 }, 1],
    ["a method that is no string, without id", { jsonrpc: "2.0", method: 5 }, undefined],
    ["an id of null (J-04)", { jsonrpc: "2.0", id: null, method: "m" }, undefined],
    ["an id with a fraction (J-03)", { jsonrpc: "2.0", id: 1.5, method: "m" }, undefined],
    ["an id that a double cannot hold (J-03)", { jsonrpc: "2.0", id: 2 ** 53, method: "m" }, undefined],
    ["an id that is an object (J-03)", { jsonrpc: "2.0", id: {}, method: "m" }, undefined],
    ["a call that is also a response", { jsonrpc: "2.0", id: 1, method: "m", result: {} }, 1],
    ["neither call nor response", { jsonrpc: "2.0", id: 1 }, 1],
    ["an empty object", {}, undefined],
    ["a number", 7, undefined],
    ["null", null, undefined],
    ["a string", "ping", undefined],
    ["an array (J-16)", [], undefined],
  ])("an invalid request is rejected, with its id when that can be read: %s", (_, value, id) => {
    expect(classify(value)).toMatchObject({ kind: "invalid", id });
  });
});

describe("invalid responses and notifications", () => {
  test.each([
    ["result and error at once (J-07)", { jsonrpc: "2.0", id: 1, result: {}, error }, 1],
    ["a result without id (J-06)", { jsonrpc: "2.0", result: {} }, undefined],
    ["a result that is an array (J-12)", { jsonrpc: "2.0", id: 1, result: [] }, 1],
    ["a result that is a string (J-12)", { jsonrpc: "2.0", id: 1, result: "ok" }, 1],
    ["an error without message (J-08)", { jsonrpc: "2.0", id: 1, error: { code: 1 } }, 1],
    ["an error whose code has a fraction (J-08)", { jsonrpc: "2.0", id: 1, error: { code: 1.5, message: "" } }, 1],
    ["a response of another version (J-01)", { jsonrpc: "1.0", id: 1, result: {} }, 1],
    ["a notification of another version (J-11)", { jsonrpc: "1.0", method: "m" }, undefined],
  ])("an invalid response or notification never gets a response: %s", (_, value, id) => {
    expect(classify(value)).toMatchObject({ kind: "unusable", id });
  });
});

describe("the reason why a message is rejected", () => {
  test.each([
    [7, "A message must be a JSON object"],
    [{ jsonrpc: "2.0", id: 1 }, "A message requires a method, a result or an error"],
    [{ jsonrpc: "2.0", id: 1, method: 5 }, "The method must be a string"],
    [{ jsonrpc: "2.0", id: null, method: "m" }, "The id must be a string or a safe integer"],
    [{ id: 1, method: "m" }, 'The member jsonrpc must be "2.0"'],
    [{ method: "m" }, 'The member jsonrpc must be "2.0"'],
    [{ id: 1, result: {} }, 'The member jsonrpc must be "2.0"'],
    [
      { jsonrpc: "2.0", id: 1, method: "m", result: {} },
      "A request or notification must not have a result or an error",
    ],
    [{ jsonrpc: "2.0", id: 1, method: "m", error }, "A request or notification must not have a result or an error"],
    [{ jsonrpc: "2.0", method: "m", error }, "A request or notification must not have a result or an error"],
    [{ jsonrpc: "2.0", result: {} }, "A response requires the id of its request"],
    [{ jsonrpc: "2.0", id: 1, result: [] }, "The result must be an object"],
    [{ jsonrpc: "2.0", id: 1, result: {}, error }, "A response must not have both a result and an error"],
    [{ jsonrpc: "2.0", id: 1, error: { code: 1 } }, "An error requires an integer code and a message"],
    [{ jsonrpc: "2.0", id: 1, error: 5 }, "An error requires an integer code and a message"],
  ])("the message %j is rejected because: %s", (value, reason) => {
    expect(classify(value)).toMatchObject({ reason });
  });

  test("only a message that has nothing but an id may be a response", () => {
    expect(classify({ jsonrpc: "2.0", id: 1 })).toMatchObject({ kind: "invalid", mayRespond: true });
    expect(classify({ jsonrpc: "2.0", id: null, method: "m" })).not.toHaveProperty("mayRespond");
  });
});

describe("the request to which a message responds", () => {
  test.each([
    ["a request", { jsonrpc: "2.0", id: 1, method: "m" }, undefined],
    ["a notification", { jsonrpc: "2.0", method: "m" }, undefined],
    ["an invalid request", { id: 1, method: "m" }, undefined],
    ["a result", { jsonrpc: "2.0", id: 1, result: {} }, 1],
    ["an error", { jsonrpc: "2.0", id: "a", error }, "a"],
    ["an invalid response", { jsonrpc: "2.0", id: 1, result: {}, error }, 1],
    ["a message with nothing but an id", { jsonrpc: "2.0", id: 1 }, 1],
  ])("%s", (_, value, id) => {
    expect(responseIdOf(classify(value))).toBe(id);
  });
});

describe("the text of a result", () => {
  test.each([
    ["an object", { a: [] }, '{"a":[]}'],
    ["a static result", new StaticResult({ a: [] }), '{"a":[]}'],
    ["an object that is written as another", { toJSON: () => ({ b: 1 }) }, '{"b":1}'],
  ])("the text of %s", (_, result, text) => {
    expect(toResultText(result)).toBe(text);
  });

  test.each([
    ["nothing", undefined],
    ["an array", []],
    ["a string", "{}"],
    ["an object that is written as nothing", { toJSON: (): undefined => undefined }],
    ["a static result that is no object", new StaticResult(null)],
  ])("%s is no result", (_, result) => {
    expect(() => toResultText(result)).toThrow(new TypeError("The result is not a JSON object"));
  });

  test("a static result is written as its value, also inside of another value", () => {
    expect(JSON.stringify([new StaticResult({ a: 1 })])).toBe('[{"a":1}]');
  });
});

test("a batch is a list of messages", () => {
  const message = { jsonrpc: "2.0", method: "m" } as const;
  expect([isBatch([message]), isBatch([]), isBatch(message)]).toEqual([true, true, false]);
});

test("ids are short strings and integers that a double holds exactly (J-03)", () => {
  expect(["", "a", "x".repeat(512), 0, -5, Number.MAX_SAFE_INTEGER].every(isRequestId)).toBe(true);
  expect([null, undefined, 1.5, Number.NaN, Infinity, 2 ** 53, {}, true, longId].some(isRequestId)).toBe(false);
});

test.each([
  ["a request", { jsonrpc: "2.0", id: longId, method: "m" }, "The id exceeds 512 characters; send a shorter one"],
  ["an invalid request", { id: longId, method: "m" }, "The id exceeds 512 characters; send a shorter one"],
  ["a method that is no string", { jsonrpc: "2.0", id: longId, method: 5 }, "The method must be a string"],
  ["a result", { jsonrpc: "2.0", id: longId, result: {} }, "A response requires the id of its request"],
  ["nothing but an id", { jsonrpc: "2.0", id: longId }, "A message requires a method, a result or an error"],
])("an id that is too long is not repeated or looked up: %s", (_, value, reason) => {
  expect(classify(value)).toMatchObject({ id: undefined, reason });
});

test("a static result is checked and encoded once", () => {
  let checks = 0;
  let encodings = 0;
  const result = new StaticResult({ toJSON: () => ({ n: (encodings += 1) }) });
  const check = (): undefined => void (checks += 1);
  expect([result.check(check), result.check(check)]).toEqual([undefined, undefined]);
  expect([result.json, result.json]).toEqual(['{"n":1}', '{"n":1}']);
  expect([checks, encodings]).toEqual([1, 1]);
});

test("a static result that fails its check fails it again", () => {
  const result = new StaticResult({});
  const check = (): { path: string; expected: string } => ({ path: "a", expected: "string" });
  expect(result.check(check)).toEqual(result.check(check));
  expect(result.check(check)).toBeDefined();
});
