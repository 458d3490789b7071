import { describe, expect, test } from "vitest";
import { clientRequests } from "../../../generated/extensions/skills/methods.ts";
import { isObject, type RequestRow } from "../../../generated/support.ts";
import { checkResult } from "../../../runtime/protocol/peer/routes.ts";
import { findRow } from "../../../runtime/protocol/methods/method-rows.ts";
import { connectWire, openWire } from "../client/raw-server.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";

/* Results of which a part is invalid. */

function read(handler: string, result: object, revision = newest): { value: unknown; changes: string[] } {
  const rows: Readonly<Record<string, RequestRow>> = { ...revision.clientRequests, ...clientRequests };
  const row = findRow(rows, handler);
  if (!row) throw new Error(`There is no row ${handler}`);
  const changes: string[] = [];
  return { value: checkResult(row, result, { onChange: (text) => changes.push(text) }), changes };
}

const inputSchema = { type: "object" };
const good = { name: "good", inputSchema };
const skill = { uri: "skill://a/SKILL.md", frontmatter: { name: "a", description: "A" }, resources: "dynamic" };
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
    ["listSkills", "skills", skill, { ...skill, resources: 5 }, 'skills/1 ("skill://a/SKILL.md") at resources must be'],
  ])("%s leaves out an invalid item, and reports its place", (handler, member, valid, invalid, place) => {
    for (const revision of [newest, statelessRevision]) {
      const { value, changes } = read(handler, { ...envelope, [member]: [valid, invalid, valid] }, revision);
      expect(value).toEqual({ ...envelope, [member]: [valid, valid] });
      expect(changes).toEqual([expect.stringContaining(place)]);
    }
  });

  test.each([
    [10, 10, "tools/9 at name must be string"],
    [5_000, 11, "4990 more items of tools are invalid"],
  ])("a list of %d invalid items is empty, and its report is bounded", (length, reported, last) => {
    const { value, changes } = read("listTools", { tools: Array.from({ length }, () => ({ name: 5 })) });
    expect(value).toEqual({ tools: [] });
    expect(changes).toHaveLength(reported);
    expect(changes.at(-1)).toContain(last);
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

  test("members of other items are kept", () => {
    const titled = { ...good, annotations: { title: "t" } };
    const { value } = read("listTools", { tools: [{ ...good, annotations: { title: null } }, null, titled, good] });
    expect(value).toStrictEqual({ tools: [{ ...good, annotations: {} }, titled, good] });
  });

  test("members behind an invalid item are read as absent, and reported", () => {
    const { value, changes } = read("listTools", { tools: [{ name: "bad" }, { ...good, title: null }] });
    expect(value).toStrictEqual({ tools: [good] });
    expect(changes).toEqual([expect.stringContaining("tools/*/title"), expect.stringContaining('tools/0 ("bad")')]);
  });

  const withExperiments = (experimental: unknown): object => ({
    protocolVersion: newest.id,
    capabilities: { experimental },
    serverInfo: { name: "s", version: "1" },
  });

  test.each(["a/b", "~1", "__proto__", "*"])("a member %j of an object with any members is read as absent", (name) => {
    const experimental: unknown = JSON.parse(`{${JSON.stringify(name)}:null,"b":{}}`);
    const { value, changes } = read("initialize", withExperiments(experimental));
    expect(value).toStrictEqual(withExperiments({ b: {} }));
    expect(changes).toEqual([
      expect.stringContaining(`capabilities/experimental/${name.replace("~", "~0").replace("/", "~1")} in`),
    ]);
  });

  test("at most 32 places of one result are read as absent", () => {
    const nulls = (length: number): object => Object.fromEntries(Array.from({ length }, (_, at) => [`m${at}`, null]));
    expect(read("initialize", withExperiments(nulls(32))).value).toStrictEqual(withExperiments({}));
    expect(() => read("initialize", withExperiments(nulls(33)))).toThrow("capabilities/experimental/m32 must be");
  });

  test("an item that is null is no member", () => {
    expect(() => read("callTool", { content: [null] })).toThrow("content/0 must be object");
  });

  test("members of a result and of its content are read as absent", () => {
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
  expect(reports.map(({ kind, method, error }) => [kind, method, error.message])).toEqual([
    ["protocol", "tools/list", expect.stringContaining("tools/*/title")],
    ["protocol", "tools/list", expect.stringContaining('tools/0 ("bad")')],
  ]);
});

test("a client reports at most 100 omissions of a connection", async () => {
  const { wire, client, reports } = await connectWire();
  for (let id = 2; id <= 12; id += 1) {
    const listed = client.request("tools/list");
    const tools = Array.from({ length: 10 }, (_, index) => ({ name: `${id}-${index}` }));
    wire.post({ jsonrpc: "2.0", id, result: { tools } });
    expect(await listed).toEqual({ tools: [] });
  }
  expect(reports).toHaveLength(100);
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
