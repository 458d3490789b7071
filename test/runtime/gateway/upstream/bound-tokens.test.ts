import { afterEach, describe, expect, test } from "vitest";
import { isObject, type Revision } from "../../../../generated/support.ts";
import { readNextCursor, readPages } from "../../../../runtime/client/lists/pages.ts";
import { RpcError } from "../../../../runtime/jsonrpc/errors.ts";
import { statelessRevision, newest } from "../../../kit/revisions.ts";
import { meta } from "../../../kit/messages.ts";
import { joinAs, joinGateway } from "../connect-client.ts";
import { complete, openScripted, type ScriptedGateway } from "./scripted-server.ts";

/* Texts of a server that travel through clients of a gateway: each belongs to the principal who received it. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const capabilities = { tools: {}, prompts: {}, resources: {} };
const lists = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
const members: Readonly<Record<string, string>> = { "resources/templates/list": "resourceTemplates" };
const memberOf = (method: string): string => members[method] ?? method.split("/")[0] ?? "";

function open(revision: Revision): Promise<ScriptedGateway> {
  return openScripted({ revision, capabilities, ends }, ({ method, params }) => {
    if (method === "tools/call") return { ...complete, content: [] };
    if (!lists.includes(method)) return undefined;
    const nextCursor = params.cursor === undefined ? { nextCursor: "page 2" } : {};
    return { ...complete, [memberOf(method)]: [], ...nextCursor };
  });
}

describe.each([newest, statelessRevision])("a client of $id", (revision) => {
  test.each(lists)("a cursor of %s is valid for its principal only", async (method) => {
    const { gateway, received } = await open(statelessRevision);
    const [alice, mallory] = [await joinAs(gateway, revision, "alice"), await joinAs(gateway, revision, "mallory")];
    ends.push(
      () => alice.close(),
      () => mallory.close(),
    );
    await mallory.request(method);
    const page = await alice.request(method);
    const cursor = isObject(page) ? page.nextCursor : undefined;
    expect(cursor).toEqual(expect.any(String));
    const before = received(method).length;
    for (const stolen of [cursor, "page 2"])
      await expect(mallory.request(method, { cursor: stolen })).rejects.toMatchObject({
        code: -32602,
        message: "Invalid cursor; request the list without a cursor",
      });
    expect(received(method)).toHaveLength(before);
    expect(await alice.request(method, { cursor })).toMatchObject({ [memberOf(method)]: [] });
    expect(received(method).at(-1)?.params.cursor).toBe("page 2");
  });

  test("cursors are those of the server where clients are not authenticated", async () => {
    const { gateway, received } = await open(statelessRevision);
    const client = await joinGateway(gateway, revision);
    ends.push(() => client.close());
    expect(await client.request("prompts/list")).toMatchObject({ nextCursor: "page 2" });
    await client.request("prompts/list", { cursor: "page 2" });
    expect(received("prompts/list").at(-1)?.params.cursor).toBe("page 2");
  });
});

test.each([newest, statelessRevision])(
  "a list that its server ends with an empty cursor ends for a principal of $id",
  async (revision) => {
    const { gateway } = await openScripted(
      { revision: statelessRevision, capabilities, ends },
      ({ method, params }) => {
        if (method !== "prompts/list") return method === "tools/list" ? { ...complete, tools: [] } : undefined;
        if (params.cursor === "") throw new RpcError(-32602, "Invalid cursor");
        return { ...complete, prompts: [{ name: "a" }], nextCursor: "" };
      },
    );
    const client = await joinAs(gateway, revision, "alice");
    ends.push(() => client.close());
    const fetch = async (page: object): Promise<{ readonly nextCursor?: string }> => {
      const result = await client.request("prompts/list", page);
      return readNextCursor(isObject(result) ? result : {});
    };
    const pages: unknown[] = [];
    for await (const page of readPages(fetch)) pages.push(page);
    expect(pages).toEqual([{ nextCursor: "" }]);
  },
);

test("a session sends no request state, and no metadata that only the server's revision reserves", async () => {
  const { gateway, received } = await open(statelessRevision);
  const client = await joinAs(gateway, newest, "mallory");
  ends.push(() => client.close());
  const stolen = { requestState: "of alice", inputResponses: { a: { action: "accept" } } };
  const _meta = { [meta.subscription]: 7, kept: 1 };
  await client.request("tools/call", { name: "t", arguments: {}, ...stolen, _meta });
  const [call] = received("tools/call");
  expect(Object.keys(call?.params ?? {}).toSorted()).toEqual(["_meta", "arguments", "name"]);
  expect(call?.params._meta).toMatchObject({ [meta.clientInfo]: { name: "test" }, kept: 1 });
  expect(Object.keys(Object(call?.params._meta))).not.toContain(meta.subscription);
});
