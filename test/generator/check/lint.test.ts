import { describe, expect, test } from "vitest";
import { lintRules } from "../../../generator/check/lint.ts";

const good = {
  name: "find",
  description: "Finds.",
  inputSchema: { type: "object", properties: { a: { type: "string" } } },
};

function broken(tool: object): string[] {
  return lintRules.flatMap(({ rule, check }) => check({ ...good, ...tool }).map(() => rule.id));
}

describe("lint of tools", () => {
  test("finds nothing wrong with a plain tool", () => {
    expect(broken({})).toEqual([]);
  });

  test.each<[string, object, string[]]>([
    ["a name with a dot", { name: "a.b" }, ["tool-name"]],
    ["a name that is too long", { name: "a".repeat(65) }, ["tool-name"]],
    ["no description", { description: undefined }, ["tool-description"]],
    ["a description that is too long", { description: "a".repeat(1_025) }, ["tool-description"]],
    ["no type at the root", { inputSchema: { properties: {} } }, ["schema-root"]],
    ["no schema", { inputSchema: undefined }, ["schema-root"]],
    [
      "a composition at the root",
      { inputSchema: { type: "object", oneOf: [{ required: ["a"] }] } },
      ["schema-root-composition"],
    ],
    [
      "draft 7",
      { inputSchema: { ...good.inputSchema, $schema: "http://json-schema.org/draft-07/schema#" } },
      ["schema-dialect"],
    ],
    [
      "draft 7 in the output",
      { outputSchema: { type: "object", $schema: "http://json-schema.org/draft-07/schema#" } },
      ["schema-dialect"],
    ],
    ...["apiKey", "access_token", "Password"].map((name): [string, object, string[]] => [
      `a secret in a header, ${name} (S-106)`,
      { inputSchema: { type: "object", properties: { [name]: { type: "string", "x-mcp-header": "Key" } } } },
      ["mirrored-secret"],
    ]),
    [
      "a value that is only written, in a header (S-106)",
      { inputSchema: { type: "object", properties: { a: { type: "string", writeOnly: true, "x-mcp-header": "A" } } } },
      ["mirrored-secret"],
    ],
    [
      "what is no secret in a header, and a secret in none",
      {
        inputSchema: {
          type: "object",
          properties: { tokenCount: { type: "integer", "x-mcp-header": "Count" }, token: { type: "string" } },
        },
      },
      [],
    ],
    [
      "a reference",
      { inputSchema: { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: {} } } },
      ["schema-reference"],
    ],
    [
      "a reference to an address",
      { inputSchema: { type: "object", properties: { a: { $ref: "https://example.org/a" } } } },
      ["schema-reference", "schema-sound"],
    ],
    [
      "a reference to the address of an embedded schema",
      {
        inputSchema: {
          type: "object",
          properties: { a: { $ref: "https://example.org/a" } },
          $defs: { a: { $id: "https://example.org/a", type: "string" } },
        },
      },
      ["schema-reference"],
    ],
    ["a type that is none", { inputSchema: { type: "object", properties: { a: { type: "int" } } } }, ["schema-sound"]],
    ["an argument with a space", { inputSchema: { type: "object", properties: { "a b": {} } } }, ["argument-name"]],
    ["a list of anything", { inputSchema: { type: "object", properties: { a: { type: "array" } } } }, ["array-items"]],
  ])("finds %s, and says what to do", (_what, tool, rules) => {
    expect(broken(tool)).toEqual(rules);
    for (const { check } of lintRules) for (const { fix } of check({ ...good, ...tool })) expect(fix).toMatch(/^\w/);
  });
});
