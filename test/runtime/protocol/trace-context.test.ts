import { describe, expect, test } from "vitest";
import { checkTraceContext, isTraceKey, readTraceContext } from "../../../runtime/protocol/session/trace-context.ts";

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

function members(count: number): string {
  return Array.from({ length: count }, (_, index) => `k${index}=v`).join(",");
}

const valid: readonly (readonly [string, string])[] = [
  ["traceparent", parent],
  ["traceparent", parent.replace("00-", "fe-")],
  ["traceparent", parent.replace("4bf", "0bf")],
  ["tracestate", "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"],
  ["tracestate", "a=1, ,b=2,\t"],
  ["tracestate", "1a_*/@-Z=x y!"],
  ["tracestate", `${"k".repeat(256)}=${"v".repeat(256)}`],
  ["tracestate", members(32)],
  ["baggage", "userId=alice,serverNode=DF%2028;ttl=5, isProduction = false"],
  ["baggage", "a="],
  ["baggage", "a\t= 1 ; b\t, c=2"],
  ["baggage", "!#$%&'*+.^`|~_-=1;b;c=2"],
  ["baggage", members(180)],
  ["baggage", `a=${"x".repeat(8_190)}`],
];

const invalid: readonly (readonly [string, unknown])[] = [
  ["traceparent", "garbage"],
  ["traceparent", 7],
  ["traceparent", [parent]],
  ["traceparent", parent.toUpperCase()],
  ["traceparent", parent.replace("00-", "ff-")],
  ["traceparent", parent.replace(/4bf\w+/, "0".repeat(32))],
  ["traceparent", parent.replace(/00f\w+/, "0".repeat(16))],
  ["traceparent", `0${parent}`],
  ["traceparent", `${parent}0`],
  ["traceparent", `${parent}\n`],
  ["tracestate", ""],
  ["tracestate", " , "],
  ["tracestate", "a=b,UPPER=c"],
  ["tracestate", "!a=b"],
  ["tracestate", "a=b=c"],
  ["tracestate", "a="],
  ["tracestate", "a=1\r\n"],
  ["tracestate", "a=1,\nb=2"],
  ["tracestate", "a=1,\u00a0b=2"],
  ["tracestate", `${"k".repeat(257)}=v`],
  ["tracestate", `k=${"v".repeat(257)}`],
  ["tracestate", members(33)],
  ["baggage", "no value"],
  ["baggage", "a b=1"],
  ["baggage", 'a="b"'],
  ["baggage", 'a=1;b="c"'],
  ["baggage", ["a=b"]],
  ["baggage", "a=1\r\n"],
  ["baggage", "a=1,\nb=2"],
  ["baggage", "a=1\nx: y"],
  ["baggage", "a=1;b\nx: y"],
  ["baggage", "a=1;b=\u00e9"],
  ["baggage", "a\u00a0=1"],
  ["baggage", members(181)],
  ["baggage", `a=${"x".repeat(8_191)}`],
];

const expected: ReadonlyMap<string, string> = new Map([
  ["traceparent", "a W3C trace parent"],
  ["tracestate", "a W3C trace state"],
  ["baggage", "W3C baggage"],
]);

describe("trace context that is sent", () => {
  test.each(valid)("%s: %j is valid (C-015)", (key, value) => {
    expect(checkTraceContext({ [key]: value, other: 1 })).toBeUndefined();
  });

  test.each(invalid)("%s: %j is not valid (C-015)", (key, value) => {
    expect(checkTraceContext({ [key]: value })).toEqual({ path: `_meta/${key}`, expected: expected.get(key) });
  });
});

describe("trace context that was received", () => {
  test.each(valid)("%s: %j is read, without other members", (key, value) => {
    expect(readTraceContext({ [key]: value, other: "1" })).toEqual({ [key]: value });
  });

  test.each(invalid)("%s: %j is discarded", (key, value) => {
    expect(readTraceContext({ [key]: value })).toEqual({});
  });

  test("inherited members are not read", () => {
    expect(readTraceContext(Object.create({ traceparent: parent }))).toEqual({});
  });
});

test("trace context has three keys", () => {
  expect(["traceparent", "tracestate", "baggage", "traceId"].map(isTraceKey)).toEqual([true, true, true, false]);
});
