import { expect, test } from "vitest";
import {
  toConversionRejection,
  toEmbedded,
  toForwarded,
  toPrincipal,
  toResult,
  withoutInputRequired,
} from "../../../runtime/gateway/convert-messages.ts";
import { knownExtensions, withExtensions } from "../../../runtime/gateway/extensions.ts";
import {
  CapabilityError,
  ClosedError,
  InvalidMessageError,
  PeerError,
  RpcError,
  TimeoutError,
  UnusableResponseError,
} from "../../../runtime/jsonrpc/errors.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { statelessRevision, newest, revisionOf } from "../../kit/revisions.ts";
import { meta } from "../../kit/messages.ts";
import { createSession } from "../../kit/calls.ts";

/* Values that pass through a gateway, as the other side knows them. */

const older = revisionOf("2025-06-18");
const tasks = "io.modelcontextprotocol/tasks";
const [extended = statelessRevision] = withExtensions([statelessRevision], knownExtensions);
const server = createServer({ name: "a", version: "1" }, [statelessRevision, newest, older]);

test.each<readonly [string, typeof newest, object, object]>([
  ["nothing, in a session", newest, {}, {}],
  ["nothing, without a session", statelessRevision, {}, { extensions: {} }],
  ["extensions that the gateway does not know", newest, { extensions: { "a/b": {} } }, { extensions: {} }],
  [
    "known extensions",
    extended,
    { extensions: { [tasks]: { a: 1 }, "a/b": {} } },
    { extensions: { [tasks]: { a: 1 } } },
  ],
  ["extensions that are no object", newest, { extensions: true, roots: {} }, { roots: {} }],
  [
    "sampling before servers had to request context",
    older,
    { sampling: { a: 1 } },
    { sampling: { a: 1, context: {} } },
  ],
  ["sampling since then", newest, { sampling: {} }, { sampling: {} }],
  ["sampling that is no object", older, { sampling: true }, { sampling: true }],
])("a client that declares %s is a principal with the capabilities that it can fulfil", (...row) => {
  const [, revision, declared, expected] = row;
  const { info, capabilities } = toPrincipal(createSession(server, revision, declared));
  expect([info, capabilities]).toEqual([{ name: "test", version: "1" }, expected]);
});

test("a client without a name is a principal with an unknown one", () => {
  const session = createSession(server, statelessRevision);
  const { info } = toPrincipal({ ...session, peer: { info: undefined, capabilities: {} } });
  expect(info).toEqual({ name: "unknown", version: "" });
});

const lasting = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

test.each<readonly [string, string, typeof newest, unknown, unknown]>([
  ["a result in a session is", "listTools", newest, { tools: [{ execution: {} }] }, { tools: [{ execution: {} }] }],
  ["a value that is no object is", "callTool", statelessRevision, "text", "text"],
  [
    "a result without a session is complete and",
    "callTool",
    statelessRevision,
    { content: [] },
    { resultType: "complete", content: [] },
  ],
  [
    "a result with a type keeps it and is",
    "callTool",
    statelessRevision,
    { resultType: "task" },
    { resultType: "task" },
  ],
  [
    "a result with a task of a session is",
    "callTool",
    statelessRevision,
    { task: {}, a: 1 },
    { resultType: "complete", a: 1 },
  ],
  ["a list may be kept and is", "listPrompts", statelessRevision, { prompts: [] }, { ...lasting, prompts: [] }],
  ["a resource may be kept and is", "readResource", statelessRevision, { contents: [] }, { ...lasting, contents: [] }],
  [
    "a list of tools loses their execution and is",
    "listTools",
    statelessRevision,
    { tools: [{ name: "a", execution: {} }, 5] },
    { ...lasting, tools: [{ name: "a" }, 5] },
  ],
])("%s passed on as the revision has it", (_what, handler, revision, result, expected) => {
  expect(toResult(result, handler, revision)).toEqual(expected);
});

test.each<readonly [unknown, readonly (typeof newest)[], object]>([
  [undefined, [newest], {}],
  [{ a: 1 }, [newest], { a: 1 }],
  [{ _meta: 5 }, [newest], { _meta: 5 }],
  [{ a: 1, _meta: { progressToken: 1 } }, [], { a: 1 }],
  [{ _meta: { progressToken: 1, "a/b": 2 } }, [], { _meta: { "a/b": 2 } }],
  [{ _meta: { [meta.version]: "x", "a/b": 2 } }, [newest], { _meta: { [meta.version]: "x", "a/b": 2 } }],
  [{ _meta: { [meta.version]: "x", "a/b": 2 } }, [newest, statelessRevision], { _meta: { "a/b": 2 } }],
])("params %j are passed on without metadata that the revisions reserve", (params, revisions, expected) => {
  expect(toForwarded(params, ...revisions)).toEqual(expected);
});

test("a request of a session is embedded without the members that belong to it", () => {
  const params = { message: "?", task: {}, elicitationId: "1", _meta: { a: 1 } };
  expect(toEmbedded(params)).toEqual({ message: "?" });
});

test.each<readonly [typeof newest, unknown, unknown]>([
  [newest, { a: 1, requestState: "s" }, { a: 1 }],
  [newest, { a: 1, inputRequests: {} }, { a: 1 }],
  [newest, { a: 1 }, { a: 1 }],
  [newest, "text", "text"],
  [statelessRevision, { requestState: "s", inputRequests: {} }, { requestState: "s", inputRequests: {} }],
])("a result of a server of $id has input requests only if the revision has them: %j", (revision, result, expected) => {
  expect(withoutInputRequired(result, revision)).toEqual(expected);
});

const gate = { side: "client", path: ["sampling"] } as const;

test.each<readonly [Error, number, string]>([
  [new CapabilityError("a/b", gate), -32601, "Method not found"],
  [new TimeoutError("a/b", 5), -32603, "Request timed out; the server sent nothing for 5 ms"],
  [new ClosedError("secret"), -32603, "The server has closed the connection"],
  [new UnusableResponseError("too deep"), -32603, "The server's response is not passed on: too deep"],
  [
    new InvalidMessageError("a/b", "result", { path: "c", expected: "string" }),
    -32603,
    "The result of a/b at c must be string",
  ],
])("a client receives an error for %s", (thrown, code, message) => {
  const error = toConversionRejection(thrown, "a/b", newest);
  expect(error).toMatchObject({ name: "RpcError", code, message: expect.stringContaining(message) });
  if (code === -32603) expect(error).toMatchObject({ cause: thrown });
});

test("errors of the gateway itself are passed on as they are, and those of the server as errors of the gateway", () => {
  const [own, other] = [new RpcError(-32002, "own"), new Error("other")];
  for (const error of [own, other])
    expect(toConversionRejection(error, "resources/read", statelessRevision)).toBe(error);
  const given = { code: -32000, message: "no", data: { a: 1 } };
  expect(toConversionRejection(new PeerError(given), "a/b", newest)).toMatchObject({ ...given, name: "RpcError" });
  const without = toConversionRejection(new PeerError({ code: 5, message: "no" }), "a/b", newest);
  expect(without).toMatchObject({ code: 5, data: undefined });
});

const read = "resources/read";
const missing = { uri: "x://a" };

test.each<readonly [number, unknown, string, typeof newest, number]>([
  [-32002, undefined, read, newest, -32002],
  [-32002, undefined, read, statelessRevision, -32602],
  [-32602, missing, read, newest, -32002],
  [-32602, missing, read, statelessRevision, -32602],
  [-32602, {}, read, newest, -32602],
  [-32602, "uri", read, newest, -32602],
  [-32603, missing, read, newest, -32603],
  [-32602, missing, "tools/call", newest, -32602],
  [-32042, {}, "tools/call", newest, -32042],
  [-32042, {}, "tools/call", older, -32600],
  [-32042, {}, "tools/call", statelessRevision, -32600],
  [-32020, {}, "tools/call", statelessRevision, -32020],
  [-32020, {}, "tools/call", newest, -32600],
  [-32019, {}, "tools/call", newest, -32019],
  [-32099, {}, "tools/call", newest, -32600],
  [-32100, {}, "tools/call", newest, -32100],
])(
  "the code %i of a server, with the data %j for %s, is that of the client's revision",
  (code, data, method, ...row) => {
    const [revision, expected] = row;
    const error = new PeerError({ code, message: "no", data });
    expect(toConversionRejection(error, method, revision)).toMatchObject({ code: expected });
  },
);
