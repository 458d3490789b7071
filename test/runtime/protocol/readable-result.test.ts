import { describe, expect, test } from "vitest";
import { isObject } from "../../../generated/support.ts";
import { checkResult } from "../../../runtime/protocol/peer/routes.ts";
import { findRow } from "../../../runtime/protocol/methods/method-rows.ts";
import { connectWire, openWire } from "../client/raw-server.ts";
import { newest } from "../fixture-revision.ts";
import { alone } from "../lifecycle/stateless.ts";

/* Results of which a part is invalid. */

function read(handler: string, result: object, revision = newest): { value: unknown; changes: string[] } {
  const row = findRow(revision.clientRequests, handler);
  if (!row) throw new Error(`There is no row ${handler}`);
  const changes: string[] = [];
  return { value: checkResult(row, result, (text) => changes.push(text)), changes };
}

const inputSchema = { type: "object" };
const good = { name: "good", inputSchema };
const envelope = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

describe("lists with invalid items", () => {
  test.each([
    [
      "listTools",
      "tools",
      good,
      { name: "bad", inputSchema: { type: "string" } },
      'tools/1 ("bad") at inputSchema/type',
    ],
    ["listTools", "tools", good, null, "tools/1 must be object"],
    ["listTools", "tools", good, { inputSchema }, "tools/1 at name"],
    ["listResources", "resources", { uri: "x://a", name: "a" }, { uri: 5, name: "b" }, 'resources/1 ("b") at uri'],
    ["listPrompts", "prompts", { name: "p" }, { name: "q", arguments: 7 }, 'prompts/1 ("q") at arguments'],
    [
      "listResourceTemplates",
      "resourceTemplates",
      { uriTemplate: "x://{a}", name: "a" },
      { uriTemplate: "x://{b}" },
      'resourceTemplates/1 ("x://{b}") at name',
    ],
  ])("%s leaves out an invalid item, and reports its place", (handler, member, valid, invalid, place) => {
    for (const revision of [newest, alone]) {
      const { value, changes } = read(handler, { ...envelope, [member]: [valid, invalid, valid] }, revision);
      expect(value).toEqual({ ...envelope, [member]: [valid, valid] });
      expect(changes).toEqual([expect.stringContaining(place)]);
    }
  });

  test("a list of only invalid items is empty, and its report is bounded", () => {
    const { value, changes } = read("listTools", { tools: Array.from({ length: 5_000 }, () => ({ name: 5 })) });
    expect(value).toEqual({ tools: [] });
    expect(changes).toHaveLength(11);
    expect(changes.at(-1)).toContain("4990 more items of tools are invalid");
  });

  test("a list that is none is rejected", () => {
    expect(() => read("listTools", { tools: "none" })).toThrow("tools must be array");
    expect(() => read("listTools", { tools: [{}], nextCursor: 5 })).toThrow("nextCursor must be string");
  });
});

describe("members that are null", () => {
  const bare = { ...good, description: null, title: null, annotations: null, outputSchema: null, _meta: null };

  test("members of all items of a list are read as absent, and reported once", () => {
    const { value, changes } = read("listTools", { tools: [bare, { name: "bad" }, bare], _meta: null });
    expect(value).toEqual({ tools: [good, good] });
    expect(changes.filter((text) => text.includes("is null"))).toHaveLength(6);
    expect(changes).toContain(
      "The member tools/*/description in the result of tools/list is read as absent; it is null",
    );
  });

  const withExperiments = (experimental: unknown): object => ({
    protocolVersion: newest.id,
    capabilities: { experimental },
    serverInfo: { name: "s", version: "1" },
  });

  test("at most 32 places of one result are read as absent", () => {
    const nulls = (length: number): object => Object.fromEntries(Array.from({ length }, (_, at) => [`m${at}`, null]));
    expect(read("initialize", withExperiments(nulls(32))).value).toStrictEqual(withExperiments({}));
    expect(() => read("initialize", withExperiments(nulls(33)))).toThrow("capabilities/experimental/m32 must be");
  });

  test("members of a result, of its content, and below a key with a slash are read as absent", () => {
    const text = { type: "text", text: "x", annotations: null };
    expect(read("callTool", { content: [text], isError: null, structuredContent: { kept: null } }).value).toEqual({
      content: [{ type: "text", text: "x" }],
      structuredContent: { kept: null },
    });
  });

  test("a required member that is null is rejected with its place", () => {
    expect(() => read("callTool", { content: [{ type: "text", text: null }] })).toThrow("content/0");
  });
});

test("a client reports an omission once for a connection, and reads the rest of the list", async () => {
  const { wire, client, reports } = await connectWire();
  for (const id of [2, 3]) {
    const listed = client.request("tools/list");
    wire.post({ jsonrpc: "2.0", id, result: { tools: [{ name: "bad" }, { ...good, title: null }] } });
    const list = await listed;
    expect(isObject(list) && list.tools).toEqual([good]);
  }
  expect(reports.map(({ method, error }) => [method, error.message])).toEqual([
    ["tools/list", expect.stringContaining("tools/*/title")],
    ["tools/list", expect.stringContaining('tools/0 ("bad")')],
  ]);
});

test("a client opens a session with a server whose optional members are null", async () => {
  const { wire, connecting, reports } = openWire();
  const serverInfo = { name: "s", version: "1", title: null };
  const result = { protocolVersion: newest.id, capabilities: { tools: {} }, serverInfo, instructions: null };
  wire.post({ jsonrpc: "2.0", id: 1, result });
  const { serverInfo: info, instructions } = await connecting;
  expect([info, instructions]).toEqual([{ name: "s", version: "1" }, undefined]);
  expect(reports).toHaveLength(2);
});
