import { expect, test } from "vitest";
import {
  CapabilityError,
  ClosedError,
  PeerError,
  RpcError,
  TimeoutError,
  invalidParams,
  isCapabilityError,
  isClosedError,
  isPeerError,
  isRpcError,
  isTimeoutError,
  toError,
  toErrorObject,
} from "../../../runtime/jsonrpc/errors.ts";
import { rejectionCodes } from "../../../runtime/jsonrpc/rejection-codes.ts";

test("codes of our own lie outside of the ranges that JSON-RPC and the protocol reserve (S-007, R6)", () => {
  for (const code of Object.values(rejectionCodes)) expect(code > -32_000 || code < -32_768, String(code)).toBe(true);
});

test("an error for the peer passes unchanged", () => {
  const error = new RpcError(1001, "Busy", { data: { retry: true } });
  expect(RpcError.from(error)).toBe(error);
  expect(toErrorObject(error)).toEqual({ code: 1001, message: "Busy", data: { retry: true } });
});

test.each([
  ["an ordinary error", new Error("password is hunter2")],
  ["a string", "secret"],
  ["nothing", undefined],
  ["an error of the peer, which belongs to another call", new PeerError({ code: -1, message: "refused" })],
  ["an error whose code is no integer", new RpcError(Number.NaN, "x")],
])("the thrown value %s becomes an internal error without details, with the cause kept locally", (_, thrown) => {
  const error = RpcError.from(thrown);
  expect(toErrorObject(error)).toEqual({ code: -32603, message: "Internal error" });
  expect(error.cause).toBe(thrown);
});

test("a thrown proxy whose every trap throws is contained", () => {
  const hostile = new Proxy(new Error(), {
    get() {
      throw new Error("trap");
    },
  });
  expect(toErrorObject(RpcError.from(hostile)).code).toBe(-32603);
});

test("guards compare names, so that two copies of this package are compatible", () => {
  const foreign = Object.assign(new Error("x"), { name: "RpcError", code: 5 });
  expect(isRpcError(foreign)).toBe(true);
  expect(isRpcError(new PeerError({ code: 1, message: "" }))).toBe(true);
  expect(isPeerError(new RpcError(1, ""))).toBe(false);
  expect(isTimeoutError(new TimeoutError("m", 5))).toBe(true);
  expect(isClosedError(new ClosedError("x"))).toBe(true);
  expect(isCapabilityError(new CapabilityError("m", { side: "server", path: ["a"] }))).toBe(true);
  expect([isRpcError({ name: "RpcError" }), isRpcError(null), isClosedError(new Error())]).toEqual([
    false,
    false,
    false,
  ]);
});

test("the error of invalid params names the path", () => {
  const error = invalidParams({ path: "arguments/0", expected: "string" });
  expect(error).toMatchObject({ code: -32602, data: { path: "arguments/0", expected: "string" } });
  expect(error.message).toBe("Invalid params: at arguments/0 must be string");
});

test("anything thrown becomes an error", () => {
  const error = new Error("x");
  expect(toError(error)).toBe(error);
  expect(toError(5).cause).toBe(5);
});
