import { afterEach, describe, expect, test } from "vitest";
import { isObject } from "../../../../generated/support.ts";
import { statelessRevision, newest, revisionOf } from "../../../kit/revisions.ts";
import { joinGateway } from "../connect-client.ts";
import { complete, openScripted } from "./scripted-server.ts";

/* Results of a server that are invalid in part, through a gateway. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const inputSchema = { type: "object" };
const oldest = revisionOf("2024-11-05");
const capabilities = { tools: {}, resources: {}, prompts: {} };
const lists = {
  "tools/list": {
    tools: [
      { name: "good", description: null, inputSchema },
      { name: "bad", inputSchema: {} },
    ],
  },
  "resources/list": {
    resources: [
      { name: "bad", uri: 7 },
      { name: "good", uri: "x://a", mimeType: null },
    ],
  },
  "prompts/list": { prompts: [{ name: "bad", arguments: 5 }, { name: "good" }] },
};
const badBlock = {
  content: [
    { type: "text", text: "kept secret" },
    { type: "text", text: 5 },
  ],
};

describe.each([oldest, newest, statelessRevision])("a server of $id with invalid items", (server) => {
  const results: Readonly<Record<string, object>> = { ...lists, "tools/call": badBlock };
  const open = (): ReturnType<typeof openScripted> =>
    openScripted({ revision: server, capabilities, ends }, ({ method }) => {
      const result = results[method];
      return result && (server === statelessRevision ? { ...complete, ...result } : result);
    });

  test.each([oldest, newest, statelessRevision])("costs a client of $id no list", async (revision) => {
    const { gateway, errors } = await open();
    const client = await joinGateway(gateway, revision);
    ends.push(() => client.close());
    for (const method of ["tools/list", "resources/list", "prompts/list"]) {
      const [member = ""] = method.split("/");
      const result = await client.request(method);
      const items = isObject(result) ? result[member] : [];
      expect(items, method).toEqual([expect.objectContaining({ name: "good" })]);
      expect(JSON.stringify(result)).not.toContain("null");
      expect(errors.filter((error) => error.includes(`${member}/`)).join()).toContain('("bad")');
    }
  });

  test.each([oldest, newest, statelessRevision])(
    "an invalid block is an error with its place for a client of $id",
    async (revision) => {
      const { gateway } = await open();
      const client = await joinGateway(gateway, revision);
      ends.push(() => client.close());
      const called = client.request("tools/call", { name: "good", arguments: {} });
      await expect(called).rejects.toMatchObject({ code: -32603, message: expect.stringContaining("content/1") });
      await expect(called).rejects.not.toMatchObject({ message: expect.stringContaining("secret") });
    },
  );
});

test("an item with a member that only the revision of the client has, of another type, is left out", async () => {
  const tools = [
    { name: "good", inputSchema },
    { name: "bad", inputSchema, title: 5 },
  ];
  const { gateway, errors } = await openScripted({ revision: oldest, capabilities, ends }, ({ method }) =>
    method === "tools/list" ? { tools } : undefined,
  );
  for (const revision of [newest, statelessRevision]) {
    const client = await joinGateway(gateway, revision);
    ends.push(() => client.close());
    expect(await client.request("tools/list")).toMatchObject({ tools: [{ name: "good" }] });
  }
  expect(errors.filter((error) => error.includes('tools/1 ("bad") at title must be string'))).toHaveLength(2);
});
