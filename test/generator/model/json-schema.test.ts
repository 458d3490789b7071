import { expect, it } from "vitest";
import { toCompatModel, toJsonSchema } from "../../oracle/json-schema.ts";
import type { Declared } from "../../../generator/model/resolve.ts";
import { readSchema } from "../../../generator/read/schema.ts";

const schema = readSchema(
  "test.ts",
  `/** An id. */
export type Id = string | number;
export type Mode = "a" | "b" | string;
export interface Base { id: Id; [key: string]: unknown }
export interface Item extends Base {
  /** How much. */
  size?: number;
  /** @TJS-type number */
  share: number;
  kind: "item";
  when: number | null;
  mode: Mode;
}`,
);

const none = { line: 1, column: 1 };

it("`toJsonSchema` writes every declaration with its inherited members and comments", () => {
  expect(toJsonSchema(schema)).toEqual({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: {
      Id: { description: "An id.", anyOf: [{ type: "string" }, { type: "number" }] },
      Mode: { type: "string" },
      Base: {
        type: "object",
        properties: { id: { $ref: "#/$defs/Id" } },
        required: ["id"],
        additionalProperties: {},
      },
      Item: {
        type: "object",
        properties: {
          id: { $ref: "#/$defs/Id" },
          size: { description: "How much.", type: "number" },
          share: { type: "number" },
          kind: { type: "string", const: "item" },
          when: { anyOf: [{ type: "number" }, { type: "null" }] },
          mode: { $ref: "#/$defs/Mode" },
        },
        required: ["id", "share", "kind", "when", "mode"],
        additionalProperties: {},
      },
    },
  });
});

it("`toCompatModel` makes untagged numbers integers and removes null from unions, like the official files", () => {
  expect(toJsonSchema(toCompatModel(schema))).toMatchObject({
    $defs: {
      Id: { anyOf: [{ type: "string" }, { type: "integer" }] },
      Item: { properties: { size: { type: "integer" }, share: { type: "number" }, when: { type: "integer" } } },
    },
  });
});

it("`toJsonSchema` writes additions of an overlay: defaults of absent members and rules over several properties", () => {
  const model: Declared = {
    declarations: [
      {
        name: "Result",
        kind: "interface",
        extends: [],
        location: none,
        constraints: [
          { rule: "atLeastOne", properties: ["a", "b"] },
          { rule: "exclusive", properties: ["a", "b"] },
        ],
        shape: {
          kind: "object",
          properties: [
            { name: "type", optional: false, absentMeans: "complete", shape: { kind: "string" }, location: none },
          ],
        },
      },
    ],
  };
  expect(toJsonSchema(model)["$defs"]).toEqual({
    Result: {
      allOf: [
        { type: "object", properties: { type: { type: "string", default: "complete" } } },
        { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
        { not: { anyOf: [{ required: ["a", "b"] }] } },
      ],
    },
  });
});
