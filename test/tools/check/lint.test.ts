import { describe, expect, test } from "vitest";
import { lintRules } from "../../../tools/check/lint.ts";
import { expectLinear } from "../../kit/expect-linear.ts";

const good = {
  name: "find",
  description: "Finds.",
  inputSchema: { type: "object", properties: { a: { type: "string" } } },
};

function broken(tool: object): string[] {
  return lintRules.flatMap(({ rule, check }) => check({ ...good, ...tool }).map(() => rule.id));
}

describe("lint of tools", () => {
  test("the lint rules accept a plain tool", () => {
    expect(broken({})).toEqual([]);
  });

  test.each([
    ["", "give it a name"],
    ["a.b", 'rename it to "a_b"'],
    ["a".repeat(65), `rename it to "${"a".repeat(64)}"`],
  ])("the name %j of a tool and of an argument has the advice %s", (name, fix) => {
    const tool = { ...good, name, inputSchema: { type: "object", properties: { [name]: { type: "string" } } } };
    const fixes = lintRules.flatMap(({ check }) => check(tool).map((seen) => seen.fix));
    expect(new Set(fixes)).toEqual(new Set([fix]));
  });

  test.each<[string, object, string[]]>([
    ["a name with a dot", { name: "a.b" }, ["tool-name"]],
    ["a name that is too long", { name: "a".repeat(65) }, ["tool-name"]],
    ["a missing description", { description: undefined }, ["tool-description"]],
    ["a description that is too long", { description: "a".repeat(1_025) }, ["tool-description"]],
    ["a missing type at the root", { inputSchema: { properties: {} } }, ["schema-root"]],
    ["a missing schema", { inputSchema: undefined }, ["schema-root"]],
    [
      "a composition at the root",
      { inputSchema: { type: "object", oneOf: [{ required: ["a"] }] } },
      ["schema-root-composition"],
    ],
    [
      "a schema of draft 7",
      { inputSchema: { ...good.inputSchema, $schema: "http://json-schema.org/draft-07/schema#" } },
      ["schema-dialect"],
    ],
    [
      "a foreign reference in a schema that is too deep",
      {
        inputSchema: {
          type: "object",
          $ref: "other",
          not: JSON.parse('{"not":'.repeat(9_000) + "1" + "}".repeat(9_000)),
        },
      },
      ["schema-sound"],
    ],
    [
      "an output schema of draft 7",
      { outputSchema: { type: "object", $schema: "http://json-schema.org/draft-07/schema#" } },
      ["schema-dialect"],
    ],
    ...["apiKey", "access_token", "Password"].map((name): [string, object, string[]] => [
      `a secret in a header, ${name} (S-106)`,
      { inputSchema: { type: "object", properties: { [name]: { type: "string", "x-mcp-header": "Key" } } } },
      ["mirrored-secret"],
    ]),
    [
      "a write-only value in a header (S-106)",
      { inputSchema: { type: "object", properties: { a: { type: "string", writeOnly: true, "x-mcp-header": "A" } } } },
      ["mirrored-secret"],
    ],
    [
      "no problem in a header without a secret and a secret without a header",
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
    ["an unknown type", { inputSchema: { type: "object", properties: { a: { type: "int" } } } }, ["schema-sound"]],
    [
      "an argument with a space",
      { inputSchema: { type: "object", properties: { "a b": { type: "string" } } } },
      ["argument-name"],
    ],
    ...[{}, true, { description: "Anything", default: 1 }].map((open): [string, object, string[]] => [
      `an argument that may be anything: ${JSON.stringify(open)}`,
      { inputSchema: { type: "object", properties: { a: open } } },
      ["untyped-argument"],
    ]),
    ...[{ enum: [1] }, { anyOf: [{ type: "string" }] }, { const: 1 }, false].map(
      (closed): [string, object, string[]] => [
        `no problem in an argument that is restricted: ${JSON.stringify(closed)}`,
        { inputSchema: { type: "object", properties: { a: closed } } },
        [],
      ],
    ),
    [
      "an array without a type of its items",
      { inputSchema: { type: "object", properties: { a: { type: "array" } } } },
      ["array-items"],
    ],
  ])("the lint rules find, with advice: %s", (_what, tool, rules) => {
    expect(broken(tool)).toEqual(rules);
    for (const { check } of lintRules) for (const { fix } of check({ ...good, ...tool })) expect(fix).toMatch(/^\w/);
  });

  test("thousands of references are checked in linear time", () => {
    expectLinear(10_000, (length) => {
      const references = Array.from({ length }, (_, at) => [`p${at}`, { $ref: `other:${at}` }]);
      const properties: unknown = Object.fromEntries(references);
      expect(broken({ inputSchema: { type: "object", properties } })).toContain("schema-reference");
    });
  });
});
