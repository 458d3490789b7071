import { expect, test } from "vitest";
import type { CallContext } from "../../../runtime/protocol/peer/incoming-call.ts";
import { RpcError, isRpcError } from "../../../runtime/jsonrpc/errors.ts";
import { newest } from "../../kit/revisions.ts";
import { serveWire } from "../../kit/wire.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { rejectUnhandledRejections } from "../../kit/unhandled-rejections.ts";

/* What handlers throw and return may be anything: it must neither end the process nor leave as something that is no message. */

rejectUnhandledRejections();

const trap = (): never => {
  throw new Error("hunter2");
};

const hostile = (): object =>
  new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap });

const thrown: readonly (readonly [string, () => unknown])[] = [
  ["a proxy that throws whatever is done to it", hostile],
  [
    "an error whose message is no text",
    () => Object.assign(new RpcError(1, "x"), { message: { password: "hunter2" } }),
  ],
  ["an error without a message", () => Object.assign(new RpcError(1, "x"), { message: undefined })],
  ["an error whose data cannot be read", () => Object.defineProperty(new RpcError(1, "x"), "data", { get: trap })],
  ["an error whose data cannot be written as JSON", () => new RpcError(1, "x", { data: 1n })],
  ["an error whose code is no integer", () => new RpcError(0.5, "hunter2")],
];

const returned: readonly (readonly [string, () => unknown])[] = [
  ["a proxy that throws whatever is done to it", hostile],
  ["an object whose members cannot be read", () => Object.defineProperty({}, "content", { get: trap })],
  ["an object that JSON leaves out", () => ({ content: [], toJSON: () => undefined })],
  ["an object that JSON makes a number of", () => ({ content: [], toJSON: () => 7 })],
  ["an object that JSON cannot be made of", () => ({ content: [], toJSON: trap })],
  ["an object that looks like a promise", () => ({ then: trap })],
];

const cases = [
  ...thrown.map(
    ([name, make]) =>
      [
        `that throws ${name}`,
        () => {
          throw make();
        },
      ] as const,
  ),
  ...thrown.map(([name, make]) => [`that rejects with ${name}`, () => Promise.reject(make())] as const),
  ...returned.map(([name, make]) => [`that returns ${name}`, make] as const),
  ...returned.map(([name, make]) => [`that resolves with ${name}`, async () => make()] as const),
];

test.each(cases)("a handler %s is an internal error, without its message", async (_name, callTool) => {
  const { wire, connection } = await serveWire({ capabilities: { tools: {} }, handlers: { callTool } }, newest.id);
  wire.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x" } });
  wire.post({ jsonrpc: "2.0", id: 2, method: "ping" });
  await settle();
  await settle();
  expect(wire.sent).toHaveLength(2);
  expect(wire.sent).toContainEqual({ jsonrpc: "2.0", id: 2, result: {} });
  expect(wire.sent).toContainEqual({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "Internal error" } });
  await connection.close();
});

test("a response that cannot be written, and whose replacement is lost, ends nothing", async () => {
  const callTool = (): object => ({ content: [], toJSON: trap });
  const { wire, reports } = await serveWire({ capabilities: { tools: {} }, handlers: { callTool } }, newest.id);
  const send = wire.send.bind(wire);
  wire.send = (message) => {
    JSON.stringify(message);
    return Promise.reject(new Error("The line is cut"));
  };
  wire.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x" } });
  await settle();
  expect(reports.map(({ kind }) => kind)).toEqual(["result", "transport"]);
  wire.send = send;
  wire.post({ jsonrpc: "2.0", id: 2, method: "ping" });
  await settle();
  expect(wire.sent).toEqual([{ jsonrpc: "2.0", id: 2, result: {} }]);
});

test.each(thrown)("the error %s, thrown in the handler of a notification, is reported", async (_name, make) => {
  const initialized = (): never => {
    throw make();
  };
  const { reports, connection } = await serveWire({ handlers: { initialized } }, newest.id);
  expect(reports).toMatchObject([{ kind: "handler", method: "notifications/initialized" }]);
  await connection.close();
});

test.each([
  ["a total that is no number", { progress: 1, total: NaN }],
  ["an endless total", { progress: 1, total: Infinity }],
  ["a message that is no text", { progress: 1, message: Object({ a: 1 }) }],
  ["members of its own", { progress: 1, jsonrpc: "1.0", progressToken: "another" }],
])("a progress notification with %s is sent without it", async (_name, report) => {
  const callTool = async (_params: unknown, context: CallContext): Promise<object> => {
    await context.progress(report);
    return { content: [] };
  };
  const { wire, connection } = await serveWire({ capabilities: { tools: {} }, handlers: { callTool } }, newest.id);
  wire.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x", _meta: { progressToken: "t" } } });
  await settle();
  const params = { progressToken: "t", progress: 1 };
  expect(wire.sent[0]).toEqual({ jsonrpc: "2.0", method: "notifications/progress", params });
  await connection.close();
});

test("a proxy that throws is not an error of the protocol", () => {
  expect(isRpcError(hostile())).toBe(false);
});
