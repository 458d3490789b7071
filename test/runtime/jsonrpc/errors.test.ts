import { describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import {
  CapabilityError,
  ClosedError,
  InvalidMessageError,
  MissingCapabilityError,
  PeerError,
  RpcError,
  SetupError,
  TimeoutError,
  UnreachableError,
  UnsupportedVersionError,
  UnusableResponseError,
  VersionError,
  closedEarly,
  errorCodes,
  hasName,
  invalidParams,
  invalidRequest,
  isCapabilityError,
  isClosedError,
  isInvalidMessageError,
  isMissingCapabilityError,
  isPeerError,
  isRpcError,
  isTimeoutError,
  isUnreachableError,
  isUnsupportedVersionError,
  isUnusableResponseError,
  methodNotFound,
  nodeGone,
  serverShutdown,
  toError,
  toErrorObject,
  toPeerError,
  toProblemCode,
  unknownCursor,
} from "../../../runtime/jsonrpc/errors.ts";
import { rejectionCodes } from "../../../runtime/jsonrpc/rejection-codes.ts";

test("codes of our own lie outside of the ranges that JSON-RPC and the protocol reserve (S-007, R6)", () => {
  expect(Object.keys(rejectionCodes)).toEqual(["forbidden", "tooMany", "unavailable"]);
  for (const code of Object.values(rejectionCodes)) expect(code > -32_000 || code < -32_768, String(code)).toBe(true);
});

test("codes of JSON-RPC are those of its specification", () => {
  expect(errorCodes).toEqual({
    parseError: -32700,
    invalidRequest: -32600,
    methodNotFound: -32601,
    invalidParams: -32602,
    internalError: -32603,
  });
});

test.each([
  ["syntax", -32700],
  ["encoding", -32700],
  ["numbers", -32602],
  ["size", -32600],
  ["depth", -32600],
  ["values", -32600],
  ["repeated", -32600],
] as const)("a message that cannot be read because of its %s has the code %d", (kind, code) => {
  expect(toProblemCode({ kind, message: "", value: undefined })).toBe(code);
});

test("an invalid cursor is an invalid parameter, and the message says what to do", () => {
  expect(toErrorObject(unknownCursor())).toEqual({
    code: -32602,
    message: "Invalid cursor; request the list without a cursor",
  });
});

test("an error for the peer passes unchanged", () => {
  const error = new RpcError(1001, "Busy", { data: { retry: true } });
  expect(RpcError.from(error)).toBe(error);
  expect(toErrorObject(error)).toEqual({ code: 1001, message: "Busy", data: { retry: true } });
  expect(toErrorObject(new RpcError(1001, "Busy"))).toStrictEqual({ code: 1001, message: "Busy" });
});

test.each([
  ["an ordinary error", new Error("password is hunter2")],
  ["a string", "secret"],
  ["nothing", undefined],
  ["an error of the peer, which belongs to another call", new PeerError({ code: -1, message: "refused" })],
  ["an error whose code is no integer", new RpcError(Number.NaN, "x")],
  [
    "an error whose code cannot be read",
    Object.defineProperty(new RpcError(1, "x"), "code", {
      get() {
        throw new Error("trap");
      },
    }),
  ],
  ["an error whose message is no string", Object.assign(new RpcError(1, "x"), { message: 5 })],
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

const gate = { side: "server", path: ["tools", "listChanged"] } as const;
const issue = { path: "a", expected: "a string" };
const rejected = { code: 1, message: "refused" };

/** All errors, with their texts and the guards that they pass. Each is created in its test. */
const errors: readonly (readonly [() => Error, string, readonly string[]])[] = [
  [() => new RpcError(1, "Busy"), "RpcError: Busy", ["isRpcError"]],
  [() => new PeerError(rejected), "PeerError: refused", ["isRpcError", "isPeerError"]],
  [
    () => new MissingCapabilityError(rejected, {}),
    "MissingCapabilityError: refused",
    ["isRpcError", "isPeerError", "isMissingCapabilityError"],
  ],
  [
    () => new UnsupportedVersionError(rejected, ["a", "b"]),
    "UnsupportedVersionError: refused; the server now supports a, b; connect again or use the option `reconnect`",
    ["isRpcError", "isPeerError", "isUnsupportedVersionError"],
  ],
  [
    () => new UnsupportedVersionError(rejected, []),
    "UnsupportedVersionError: refused; the server now supports none; connect again or use the option `reconnect`",
    ["isRpcError", "isPeerError", "isUnsupportedVersionError"],
  ],
  [
    () => new TimeoutError("ping", 5),
    "TimeoutError: The request ping timed out after 5 ms; increase its timeout if it takes longer",
    ["isTimeoutError"],
  ],
  [() => new ClosedError("closed"), "ClosedError: closed", ["isClosedError"]],
  [
    () => closedEarly(undefined),
    "ClosedError: The connection was closed before the response was received",
    ["isClosedError"],
  ],
  [() => new UnreachableError("no stream"), "UnreachableError: no stream", ["isUnreachableError"]],
  [
    () => new CapabilityError("m", gate),
    "CapabilityError: m was not sent: the server has not declared the capability tools.listChanged",
    ["isCapabilityError"],
  ],
  [
    () => new InvalidMessageError("m", "result", issue),
    "InvalidMessageError: The result of m at a must be a string",
    ["isInvalidMessageError"],
  ],
  [
    () => new UnusableResponseError("The message is too long"),
    "UnusableResponseError: The message is too long",
    ["isUnusableResponseError"],
  ],
  [
    () => new VersionError(["a", "b"], ["c", "d"]),
    "VersionError: Unsupported protocol version; the client supports a, b, the server c, d",
    [],
  ],
  [() => new Error("x"), "Error: x", []],
  // A timeout of the platform.
  [() => new DOMException("x", "TimeoutError"), "TimeoutError: x", []],
];

const guards = {
  isRpcError,
  isPeerError,
  isMissingCapabilityError,
  isUnsupportedVersionError,
  isTimeoutError,
  isClosedError,
  isUnreachableError,
  isCapabilityError,
  isInvalidMessageError,
  isUnusableResponseError,
};

const rows = errors.map(([create, text, passed]) => ({ create, text, passed }));

test.each(rows)("the error '$text' passes the guards $passed", ({ create, text, passed }) => {
  const error = create();
  expect(String(error)).toBe(text);
  expect(Object.entries(guards).flatMap(([name, guard]) => (guard(error) ? [name] : []))).toEqual(passed);
});

test("errors have what they are about as members", () => {
  expect(new TimeoutError("m", 5)).toMatchObject({ method: "m", milliseconds: 5 });
  expect(new CapabilityError("m", gate)).toMatchObject({ method: "m", gate, isStateless: false });
  expect(new CapabilityError("m", gate, { isStateless: true }).isStateless).toBe(true);
  expect(new InvalidMessageError("m", "params", issue)).toMatchObject({ method: "m", part: "params", issue });
  expect(new VersionError(["a"], ["b"])).toMatchObject({ requested: ["a"], offered: ["b"] });
  expect(new UnsupportedVersionError(rejected, ["a"]).supported).toEqual(["a"]);
  expect(new MissingCapabilityError(rejected, { a: {} }).requiredCapabilities).toEqual({ a: {} });
  expect(new PeerError({ ...rejected, data: 5 })).toMatchObject({ code: 1, data: 5 });
  expect([new ClosedError("x").unsent, new ClosedError("x", { unsent: true }).unsent]).toEqual([false, true]);
});

test("an error has a cause only if one is given", () => {
  const cause = new Error("cause");
  for (const create of [
    (options: object): Error => new RpcError(1, "x", options),
    (options: object): Error => new ClosedError("x", options),
    (options: object): Error => new SetupError("x", options),
  ]) {
    expect(create({ cause }).cause).toBe(cause);
    expect("cause" in create({})).toBe(false);
  }
  expect(closedEarly(cause).cause).toBe(cause);
});

test("names are those of errors only, and a getter that throws has none", () => {
  const hostile = Object.defineProperty(new Error("x"), "name", {
    get() {
      throw new Error("trap");
    },
  });
  expect([hasName(hostile, ["Error"]), hasName({ name: "Error" }, ["Error"])]).toEqual([false, false]);
  expect([hasName(new TypeError(), ["Error", "TypeError"]), hasName(new TypeError(), ["Error"])]).toEqual([
    true,
    false,
  ]);
});

describe("the specific error of an error response", () => {
  const revision = revisions.find(({ errors: { unsupportedProtocolVersion: error } }) => error !== undefined);
  const { missingRequiredClientCapability, unsupportedProtocolVersion } = revision?.errors ?? {};
  const missing = missingRequiredClientCapability?.code ?? NaN;
  const unsupported = unsupportedProtocolVersion?.code ?? NaN;
  const respond = (code: number, data: unknown): unknown =>
    toPeerError(new PeerError({ ...rejected, code, data }), revision);

  test("an error of a missing capability names the capabilities", () => {
    const data = { requiredCapabilities: { sampling: {} } };
    const error = respond(missing, data);
    expect(error).toMatchObject({ code: missing, message: "refused", data });
    expect(isMissingCapabilityError(error) && error.requiredCapabilities).toEqual({ sampling: {} });
  });

  test("an error of an unsupported revision names those that are supported", () => {
    const data = { supported: ["a", 5, "b"] };
    const error = respond(unsupported, data);
    expect(error).toMatchObject({ code: unsupported, data });
    expect(isUnsupportedVersionError(error) && error.supported).toEqual(["a", "b"]);
  });

  test.each([
    [missing, { requiredCapabilities: [] }],
    [missing, { supported: ["a"] }],
    [unsupported, { supported: "a" }],
    [unsupported, { requiredCapabilities: {} }],
    [1, { requiredCapabilities: {}, supported: [] }],
    [missing, undefined],
  ])("the error response %j with %j stays as it is", (code, data) => {
    expect(Object.getPrototypeOf(respond(code, data))).toBe(PeerError.prototype);
  });

  test("other errors stay as they are, and so do those without a revision", () => {
    const data = { requiredCapabilities: {} };
    const peer = new PeerError({ ...rejected, code: missing, data });
    const own = new RpcError(missing, "x", { data });
    expect([toPeerError(peer, undefined), toPeerError(own, revision), toPeerError("x", revision)]).toEqual([
      peer,
      own,
      "x",
    ]);
    for (const older of revisions.filter(({ errors: { unsupportedProtocolVersion: error } }) => !error)) {
      expect(toPeerError(peer, older)).toBe(peer);
    }
    expect(isMissingCapabilityError(toPeerError(peer, undefined))).toBe(false);
    expect(isMissingCapabilityError(toPeerError(own, revision))).toBe(false);
  });
});

test("errors of requests have the codes of JSON-RPC", () => {
  expect(toErrorObject(methodNotFound("m"))).toEqual({
    code: -32601,
    message: "Method not found",
    data: { method: "m" },
  });
  expect(toErrorObject(invalidRequest("no"))).toEqual({ code: -32600, message: "no" });
  expect(serverShutdown).toEqual({ code: -32603, message: "The server shut down before the request was settled" });
  expect(nodeGone).toEqual({
    code: -32603,
    message: "The node that handled the request is gone; its effects are unknown",
    data: { lost: true },
  });
});

test("text of the peer is shortened in errors", () => {
  const long = "x".repeat(3_000);
  for (const { message } of [
    invalidParams({ path: long, expected: "a" }),
    new InvalidMessageError("m", "params", { path: long, expected: "a" }),
    new VersionError([], [long]),
    new UnsupportedVersionError(rejected, [long]),
  ]) {
    expect(message).toContain("[3000 characters]");
    expect(message.length).toBeLessThan(2_500);
  }
  expect(methodNotFound(long).data).toEqual({ method: `${"x".repeat(2_000)}... [3000 characters]` });
});

test("guards compare names, so that two copies of this package are compatible", () => {
  const foreign = Object.assign(new Error("x"), { name: "RpcError", code: 5 });
  expect(isRpcError(foreign)).toBe(true);
  expect(isRpcError(new PeerError({ code: 1, message: "" }))).toBe(true);
  expect(isPeerError(new RpcError(1, ""))).toBe(false);
  expect(isTimeoutError(new TimeoutError("m", 5))).toBe(true);
  expect(isClosedError(new ClosedError("x"))).toBe(true);
  expect(isCapabilityError(new CapabilityError("m", { side: "server", path: ["a"] }))).toBe(true);
  expect([
    isTimeoutError({ name: "TimeoutError", milliseconds: 5 }),
    isTimeoutError(Object.assign(new Error("x"), { milliseconds: 5 })),
  ]).toEqual([false, false]);
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
  expect(invalidParams({ path: "", expected: "object" }).message).toBe("Invalid params: must be object");
});

test("anything thrown becomes an error", () => {
  const error = new Error("x");
  expect(toError(error)).toBe(error);
  expect(toError(5)).toMatchObject({ message: "The thrown value is not an Error", cause: 5 });
  const hostile = new Proxy(new Error(), {
    getPrototypeOf() {
      throw new Error("trap");
    },
  });
  expect(toError(hostile).message).toBe("The thrown value is not an Error");
});
