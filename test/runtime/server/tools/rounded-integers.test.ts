import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Declarations } from "../../../../generated/2025-11-25/index.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { createAjvValidator } from "../../../../runtime/adapters/ajv.ts";
import { createCfworkerValidator } from "../../../../runtime/adapters/cfworker.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { forRevisions } from "../../../../runtime/server/for-revisions.ts";
import { fromJsonSchema } from "../../../../runtime/server/json-schema.ts";
import { findRoundedInteger } from "../../../../runtime/server/tools/rounded-integers.ts";
import { callServer, meta } from "../../../kit/calls.ts";

const { defineTool } = forRevisions<Declarations>(revisions);

/** First integer beyond the safe ones, as JSON readers return it. */
const rounded: unknown = JSON.parse("9007199254740993");
const largest = Number.MAX_SAFE_INTEGER;
const integer = { type: "integer" };

const pathsOf = (value: unknown, schema: object): unknown =>
  findRoundedInteger({ v: value }, () => ({ type: "object", ...schema })).map(({ path }) => path);

describe("an integer that was rounded", () => {
  test.each<[place: string, schema: object, value: unknown, path: unknown]>([
    ["in a property", { properties: { v: integer } }, rounded, ["v"]],
    ["in a property that may be null", { properties: { v: { type: ["integer", "null"] } } }, rounded, ["v"]],
    ["in an item", { properties: { v: { items: integer } } }, [1, rounded], ["v", 1]],
    ["in an item of a tuple", { properties: { v: { prefixItems: [{}, integer] } } }, [rounded, rounded], ["v", 1]],
    [
      "in an item of an older tuple",
      { properties: { v: { items: [{}], additionalItems: integer } } },
      [1, rounded],
      ["v", 1],
    ],
    ["in a map", { additionalProperties: { additionalProperties: integer } }, { a: rounded }, ["v", "a"]],
    ["in a definition", { properties: { v: { $ref: "#/$defs/a~1b" } }, $defs: { "a/b": integer } }, rounded, ["v"]],
    [
      "in a definition with a space",
      { properties: { v: { $ref: "#/$defs/a%20b" } }, $defs: { "a b": integer } },
      rounded,
      ["v"],
    ],
    [
      "in a tree",
      {
        properties: { v: { $ref: "#/$defs/T" } },
        $defs: { T: { properties: { id: integer, next: { $ref: "#/$defs/T" } } } },
      },
      { next: { next: { id: rounded } } },
      ["v", "next", "next", "id"],
    ],
    ["in an alternative", { properties: { v: { anyOf: [{ type: "string" }, integer] } } }, rounded, ["v"]],
    ["in a part", { allOf: [{ properties: { v: integer } }] }, -1e300, ["v"]],
  ])("an integer that was rounded is found %s", (_place, schema, value, path) => {
    expect(pathsOf(value, schema)).toEqual([path]);
  });

  test.each<[what: string, schema: object, value: unknown]>([
    ["the largest safe integer", { properties: { v: integer } }, largest],
    ["a number", { properties: { v: { type: "number" } } }, rounded],
    ["a number or an integer", { properties: { v: { anyOf: [integer, { type: "number" }] } } }, rounded],
    ["any value", { properties: { v: true } }, rounded],
    ["text", { properties: { v: { type: ["integer", "string"] } } }, "9007199254740993"],
    ["a property that is not described", {}, { w: rounded }],
    ["a reference that leads nowhere", { properties: { v: { $ref: "#/$defs/none" } } }, rounded],
    ["an anchor, which is not the whole schema", { type: "integer", properties: { v: { $ref: "#id" } } }, rounded],
    ["an inherited name", { properties: {} }, { constructor: rounded }],
  ])("a value is no integer that was rounded: %s", (_what, schema, value) => {
    expect(pathsOf(value, schema)).toEqual([]);
  });
});

const properties = { id: integer };
const schemas = {
  zod: z.object({ id: z.int() }),
  ajv: fromJsonSchema<{ id: number }>({ type: "object", properties }, { validate: createAjvValidator() }),
  cfworker: fromJsonSchema<{ id: number }>({ type: "object", properties }, { validate: createCfworkerValidator() }),
  none: fromJsonSchema<{ id: number }>({ type: "object", properties }, { validate: () => [] }),
};

test.each(Object.entries(schemas))(
  "a tool does not run with an integer that was rounded, whatever validates its arguments: %s",
  async (_library, inputSchema) => {
    const ran: number[] = [];
    const remove = defineTool({
      name: "remove",
      description: "Removes an item.",
      inputSchema,
      execute: ({ id }) => (ran.push(id), "done"),
    });
    const server = createServer({ name: "test", version: "1", tools: [remove] }, revisions);
    for (const revision of revisions) {
      const call = (id: unknown): Promise<unknown> =>
        callServer(server, revision, ["tools/call", { name: "remove", arguments: { id }, ...meta(revision) }]);
      const result = await call(rounded);
      expect(result).toMatchObject({ isError: true });
      expect(JSON.stringify(result)).toMatch(
        /Invalid arguments for tool \\"remove\\":\\n- id: is beyond 9007199254740991/,
      );
      await call(largest);
      expect(ran.splice(0)).toEqual([largest]);
    }
  },
);
