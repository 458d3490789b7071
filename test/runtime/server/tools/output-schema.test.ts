import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Declarations } from "../../../../generated/2026-07-28/index.ts";
import type { Revision } from "../../../../generated/support.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { fromJsonSchema } from "../../../../runtime/server/json-schema.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import { connectInMemory } from "../../../../runtime/testing/connect-to.ts";
import { callServer, meta } from "../../../kit/calls.ts";

const words = { name: "words", outputSchema: z.array(z.string()), execute: () => ["a", "b"] };

function create(revision: Revision): Server {
  return createServer({ name: "test", version: "1", tools: [words] }, [revision]);
}

/** Asks the revision itself, by its check of `tools/list`. */
function takesLists(revision: Revision): boolean {
  const tool = { name: "t", inputSchema: { type: "object" }, outputSchema: { type: "array" } };
  const rest = revision.lifecycle === "handshake" ? {} : { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  return revision.clientRequests["tools/list"]?.result({ ...rest, tools: [tool] }) === undefined;
}

const [able, unable] = [revisions.filter(takesLists), revisions.filter((revision) => !takesLists(revision))];

test("revisions with and without such output schemas exist", () => {
  expect([able.length > 0, unable.length > 0]).toEqual([true, true]);
});

describe("structured output that is not an object (JS-05)", () => {
  test.each(able.map((revision) => [revision.id, revision] as const))(
    "structured output that is not an object is served at %s",
    async (_id, revision) => {
      const server = create(revision);
      expect(await callServer(server, revision, ["tools/list", meta(revision)])).toMatchObject({
        tools: [{ outputSchema: { type: "array" } }],
      });
      const call = callServer(server, revision, ["tools/call", { name: "words", ...meta(revision) }]);
      if (!hasFreeContent(revision)) return expect(call).rejects.toThrow(/structuredContent/);
      expect(await call).toMatchObject({ structuredContent: ["a", "b"], content: [{ text: '["a","b"]' }] });
    },
  );

  test.each(unable.map((revision) => [revision.id, revision] as const))(
    "structured output that is not an object is rejected at %s",
    (id, revision) => {
      expect(() => create(revision)).toThrow(
        `Tool "words": revision ${id} requires "object" at outputSchema/type; wrap the output in an object`,
      );
    },
  );
});

describe.each(revisions.map((revision) => [revision.id, revision] as const))(
  "tools that are written for the newest revision, at %s",
  (_id, revision) => {
    const inputSchema = fromJsonSchema({ type: "object", properties: { any: true } }, { validate: () => [] });
    const isNewest = revision === revisions[0];

    test("structured output that is not an object is text where only objects are structured", async () => {
      const server = createServer({ name: "test", version: "1", tools: [words] }, revisions);
      await using client = await connectInMemory<Declarations>(server, { revisions: [revision] });
      const [tool] = await client.listTools();
      expect(tool?.outputSchema).toEqual(isNewest ? expect.objectContaining({ type: "array" }) : undefined);
      const { content, structuredContent } = await client.callTool("words");
      expect(content).toEqual([{ type: "text", text: '["a","b"]' }]);
      expect(structuredContent).toEqual(isNewest ? ["a", "b"] : undefined);
    });

    test("boolean schemas of arguments are objects where only objects are schemas", async () => {
      const tools = [{ name: "free", inputSchema, execute: () => "" }];
      const server = createServer({ name: "test", version: "1", tools, listChanged: true }, revisions);
      server.tools.add({ ...tools[0], name: "later", execute: () => "" });
      await using client = await connectInMemory<Declarations>(server, { revisions: [revision] });
      const shown = (await client.listTools()).map((tool) => tool.inputSchema.properties);
      expect(shown).toEqual([{ any: isNewest || {} }, { any: isNewest || {} }]);
    });
  },
);

test("a tool whose output fits no client of a revision is rejected when it is defined", () => {
  const tool = { name: "t", title: 7, execute: () => "" };
  const [newest] = revisions;
  if (!newest) throw new Error("no revision to test");
  expect(() => createServer({ name: "test", version: "1", tools: [tool] }, [newest])).toThrow(
    `Tool "t": revision ${newest.id} requires string at title`,
  );
});

test("objects are served everywhere, also by a plain schema", () => {
  const output = fromJsonSchema({ type: "object" }, { validate: () => [] });
  for (const revision of revisions) {
    const tools = [{ name: "t", outputSchema: output, execute: () => ({}) }];
    expect(() => createServer({ name: "test", version: "1", tools }, [revision])).not.toThrow();
  }
});

function hasFreeContent(revision: Revision): boolean {
  const result = { resultType: "complete", content: [], structuredContent: [] };
  return revision.clientRequests["tools/call"]?.result(result) === undefined;
}
