import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { writeTree } from "../../generator/internal/tree.ts";
import { emitTree } from "../../generator/generate.ts";

/*
 * What the specification says of a few types, written down here and compared with what the generator makes of the schema now, not with what it made
 * when the generated files were committed.
 */

const id = "2025-11-25";
const checks = new Map<string, unknown>();

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "oracle-"));
  await writeTree(folder, await emitTree({ revisions: [id] }));
  const module: Record<string, unknown> = await import(pathToFileURL(join(folder, id, "validate.ts")).href);
  for (const [name, check] of Object.entries(module)) checks.set(name, check);
  await rm(folder, { recursive: true });
}, 60_000);

function accepts(type: string, value: unknown): boolean {
  const check = checks.get(`check${type}`);
  if (typeof check !== "function") throw new Error(`there is no check of ${type}`);
  return check(value) === undefined;
}

/** Values that are whole: each member is required. */
const whole: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["Tool", { name: "t", inputSchema: { type: "object" } }],
  ["CallToolRequestParams", { name: "t" }],
  ["CallToolResult", { content: [] }],
  ["ListToolsResult", { tools: [] }],
  ["TextContent", { type: "text", text: "" }],
  ["PromptMessage", { role: "user", content: { type: "text", text: "" } }],
  ["Resource", { name: "r", uri: "a://b" }],
  ["ReadResourceResult", { contents: [] }],
  ["InitializeRequestParams", { protocolVersion: id, capabilities: {}, clientInfo: { name: "c", version: "1" } }],
  ["Implementation", { name: "c", version: "1" }],
];

describe.each(whole)("%s", (type, value) => {
  test("a value is accepted with the required members, and with additional ones", () => {
    expect(accepts(type, value)).toBe(true);
    expect(accepts(type, { ...value, "x-other": 1 })).toBe(true);
  });

  test.each(Object.keys(value))("a value is rejected without %s", (name) => {
    const { [name]: _gone, ...rest } = value;
    expect(accepts(type, rest)).toBe(false);
  });
});

const text = { type: "text", text: "" };
const tool = { name: "t", inputSchema: { type: "object" } };

test.each<readonly [string, (item: unknown) => unknown, unknown, unknown]>([
  ["CallToolResult", (item) => ({ content: [text, item] }), text, { type: "text" }],
  ["ListToolsResult", (item) => ({ tools: [tool, item] }), tool, { name: "t" }],
  ["ReadResourceResult", (item) => ({ contents: [item] }), { uri: "a://b", text: "" }, { text: "" }],
  ["ListRootsResult", (item) => ({ roots: [item] }), { uri: "file:///a" }, {}],
  ["Annotations", (item) => ({ audience: ["user", item] }), "assistant", "system"],
])("every item of a list in %s is checked", (type, wrap, good, bad) => {
  expect(accepts(type, wrap(good))).toBe(true);
  expect(accepts(type, wrap(bad))).toBe(false);
});

test.each<readonly [string, (members: object) => unknown, unknown, unknown]>([
  ["GetPromptRequestParams", (members) => ({ name: "p", arguments: members }), "text", 1],
  ["ClientCapabilities", (members) => ({ experimental: members }), {}, "text"],
  ["ElicitResult", (members) => ({ action: "accept", content: members }), ["a"], { b: 1 }],
])("every member under an index signature in %s is checked", (type, wrap, good, bad) => {
  expect(accepts(type, wrap({ a: good, b: good }))).toBe(true);
  expect(accepts(type, wrap({ a: good, b: bad }))).toBe(false);
});

const meta = { protocolVersion: id, capabilities: {}, clientInfo: { name: "c", version: "1" } };
const sampling = { messages: [], maxTokens: 1 };
const form = { message: "m", requestedSchema: { type: "object", properties: {} } };

const clientRequests: Readonly<Record<string, object | undefined>> = {
  ping: undefined,
  initialize: meta,
  "completion/complete": { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } },
  "logging/setLevel": { level: "info" },
  "prompts/get": { name: "p" },
  "prompts/list": undefined,
  "resources/list": undefined,
  "resources/templates/list": undefined,
  "resources/read": { uri: "a://b" },
  "resources/subscribe": { uri: "a://b" },
  "resources/unsubscribe": { uri: "a://b" },
  "tools/call": { name: "t" },
  "tools/list": undefined,
  "tasks/get": { taskId: "1" },
  "tasks/result": { taskId: "1" },
  "tasks/list": undefined,
  "tasks/cancel": { taskId: "1" },
};

const serverRequests: Readonly<Record<string, object | undefined>> = {
  ping: undefined,
  "sampling/createMessage": sampling,
  "roots/list": undefined,
  "elicitation/create": form,
  "tasks/get": { taskId: "1" },
  "tasks/result": { taskId: "1" },
  "tasks/list": undefined,
  "tasks/cancel": { taskId: "1" },
};

function request([method, params]: readonly [string, object | undefined]): object {
  return { jsonrpc: "2.0", id: 1, method, ...(params && { params }) };
}

describe("requests of a role", () => {
  test.each(Object.entries(clientRequests))("requests of a client include %s", (...row) => {
    expect(accepts("ClientRequest", request(row))).toBe(true);
    expect(accepts("ServerRequest", request(row))).toBe(Object.hasOwn(serverRequests, row[0]));
  });

  test.each(Object.entries(serverRequests))("requests of a server include %s", (...row) => {
    expect(accepts("ServerRequest", request(row))).toBe(true);
    expect(accepts("ClientRequest", request(row))).toBe(Object.hasOwn(clientRequests, row[0]));
  });
});
