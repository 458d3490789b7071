import { expect, test } from "vitest";
import { ToolList } from "../../../../runtime/gateway/upstream/tool-list.ts";
import { newest, revisionOf } from "../../../kit/revisions.ts";

/* What a gateway knows of the tools of its server. */

const inputSchema = { type: "object", properties: { a: { type: "string", "x-mcp-header": "A" } } };

/** Creates the list of a server that responds with these pages, each to the cursor of the one before. */
function create(pages: readonly unknown[], server: { revision?: typeof newest; capabilities?: object } = {}) {
  const { revision = newest, capabilities = { tools: {} } } = server;
  const requests: unknown[] = [];
  let responses = pages;
  const connection = {
    revision,
    serverCapabilities: capabilities,
    async request(method: string, params: unknown, options: unknown) {
      requests.push([method, params, options]);
      const page = responses[requests.length - 1];
      if (page instanceof Error) throw page;
      return page;
    },
  };
  const list = new ToolList(() => Object.create(connection));
  const replace = (others: readonly unknown[]): void => {
    requests.length = 0;
    responses = others;
  };
  return { list, requests, replace };
}

const tool = (name: unknown, taskSupport?: string): object => ({ name, inputSchema, execution: { taskSupport } });

test("tools are read from all pages, and found by their names", async () => {
  const { list, requests } = create([
    { tools: [tool("a", "required"), 5, tool(7)], nextCursor: "2" },
    { tools: [tool("b", "optional"), { name: "c" }] },
  ]);
  await list.read({ timeout: 5 });
  expect(requests).toEqual([
    ["tools/list", {}, { timeout: 5 }],
    ["tools/list", { cursor: "2" }, { timeout: 5 }],
  ]);
  const found = ["a", "b", "c", "d", 7].map((name) => list.supportOf({ name }));
  expect(found).toEqual(["required", "optional", undefined, undefined, undefined]);
  expect([list.supportOf(undefined), list.supportOf({})]).toEqual([undefined, undefined]);
});

test.each<readonly [string, unknown, readonly object[]]>([
  ["tools/call", { name: "a" }, [{ header: "Mcp-Param-A", path: ["a"] }]],
  ["tools/call", { name: "odd" }, []],
  ["tools/call", { name: "none" }, []],
  ["tools/call", undefined, []],
  ["prompts/get", { name: "a" }, []],
])(
  "the arguments in headers of %s with the params %j are those that the tool marks",
  async (method, params, expected) => {
    const properties = { a: { type: "object", "x-mcp-header": "A" } };
    const { list } = create([{ tools: [tool("a"), { name: "odd", inputSchema: { type: "object", properties } }] }]);
    await list.read();
    expect(list.paramHeadersOf(method, params)).toEqual(expected);
  },
);

test("the task support of tools has no meaning at a revision without it", async () => {
  const { list } = create([{ tools: [tool("a", "required")] }], { revision: revisionOf("2025-06-18") });
  await list.read();
  expect(list.supportOf({ name: "a" })).toBeUndefined();
});

test("a server without tools is not requested for them, and a result without a list has none", async () => {
  const { list, requests } = create([], { capabilities: {} });
  await list.read();
  expect(requests).toEqual([]);
  for (const page of [undefined, { tools: 5 }]) await expect(create([page]).list.read()).resolves.toBeUndefined();
});

test("known tools stay until the whole list has been read again", async () => {
  const { list, replace } = create([{ tools: [tool("a", "optional")] }]);
  await list.read();
  replace([{ tools: [tool("b")], nextCursor: "2" }, new Error("away")]);
  await expect(list.read()).rejects.toThrow("away");
  expect(list.supportOf({ name: "a" })).toBe("optional");
  replace([{ tools: [tool("b", "optional")] }]);
  await list.read();
  expect([list.supportOf({ name: "a" }), list.supportOf({ name: "b" })]).toEqual([undefined, "optional"]);
});
