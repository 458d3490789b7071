import { expect, test } from "vitest";
import { toSource } from "../../../generator/openapi/source.ts";
import { testCases } from "../../../generator/openapi/test-cases.ts";
import { createAjvValidator } from "../../../runtime/adapters/ajv.ts";

/* Schemas of arguments and results: what tools accept, and what models read. */

/** Reads the only operation of a document. */
function read(operation: object, method = "post") {
  const document = { openapi: "3.1.0", info: {}, paths: { "/": { [method]: { operationId: "go", ...operation } } } };
  const source = toSource(document, "openapi.json", {});
  const [tool] = source.contract.tools;
  const input: Record<string, unknown> = Object(tool?.inputSchema);
  return { source, input, properties: Object(input.properties), output: tool?.outputSchema };
}

const validate = createAjvValidator();
const integer = { type: "integer", format: "int64", minimum: 1 };
const parameter = (name: string, schema: object, more: object = {}): object => ({ name, in: "query", schema, ...more });

test.each<[what: string, schema: object, value: unknown, isValid: boolean]>([
  ["a number", integer, 5, true],
  ["digits", integer, "9007199254740993", true],
  ["a sign", integer, "-5", true],
  ["a number below its minimum", integer, 0, false],
  ["text without digits", integer, "5 OR 1=1", false],
  ["digits of an integer of 32 bits", { type: "integer", format: "int32" }, "5", false],
  ["digits of an integer without a format", { type: "integer" }, "5", false],
  ["digits of a listed integer", { ...integer, enum: [1, 2] }, "1", false],
  ["digits in a list", { type: "array", items: integer }, ["5", 6], true],
  ["null", { ...integer, type: ["integer", "null"] }, null, true],
])("a parameter of 64 bits accepts text for what a number cannot hold: %s", (_what, schema, v, isValid) => {
  const { input } = read({ parameters: [parameter("v", schema)], responses: {} });
  expect(validate({ v }, { type: "object", ...input })).toHaveLength(isValid ? 0 : 1);
});

test("a sample of a parameter of 64 bits is a number, and a JSON body contains numbers only", () => {
  const schema = { type: "object", properties: { id: integer } };
  const requestBody = { content: { "application/json": { schema } } };
  const { source, properties } = read({ parameters: [parameter("v", integer, { required: true })], requestBody });
  expect(testCases(source.plan.tools, source.api, true)).toMatchObject([{ arguments: { v: 1 } }]);
  expect(properties.body.properties.id).toEqual(integer);
});

test("results contain text for integers of 64 bits that a number cannot hold", () => {
  const schema = { type: "object", properties: { id: { type: "integer", format: "int64" }, n: { type: "integer" } } };
  const { output } = read({ responses: { 200: { content: { "application/json": { schema } } } } });
  expect(output).toMatchObject({ properties: { id: { type: ["integer", "string"] }, n: { type: "integer" } } });
});

test.each<[place: string, name: string, argument: string, note: string]>([
  ["query", "取引先", "value", "Sent as query parameter `取引先`."],
  ["query", "filter[name]", "filter_name", "Sent as query parameter `filter[name]`."],
  ["path", "a.b", "a_b", "Sent as path parameter `a.b`."],
  ["header", "a.b", "a_b", "Sent as header `a.b`."],
  ["cookie", "a.b", "a_b", "Sent as cookie `a.b`."],
])("an argument with another name than its parameter says what it is sent as: %s %s", (place, name, argument, note) => {
  const schema = { type: "string" };
  const own = (more: object): unknown => {
    const { properties } = read({ parameters: [{ name, in: place, required: true, schema, ...more }] });
    return properties[argument].description;
  };
  expect(own({})).toBe(note);
  expect(own({ description: "Who buys" })).toBe(`Who buys\n\n${note}`);
});

test("arguments with the same name say what they are sent as, and others say nothing", () => {
  const { properties } = read({
    parameters: ["query", "header"].map((place) => ({ name: "id", in: place, schema: { type: "string" } })),
  });
  expect(properties).toEqual({
    id: { type: "string" },
    id2: { type: "string", description: "Sent as header `id`." },
  });
});

test("lists of allowed values, required members and types have each value once", () => {
  const schema = { type: ["string", "string"], enum: ["a", "b", "a"] };
  const body = { type: "object", required: ["v", "v"], properties: { v: schema, w: { enum: [{ a: 1 }, { a: 1 }] } } };
  const { properties } = read({ requestBody: { content: { "application/json": { schema: body } } } });
  expect(properties.body).toMatchObject({
    required: ["v"],
    properties: { v: { type: ["string"], enum: ["a", "b"] }, w: { enum: [{ a: 1 }] } },
  });
});

test("definitions of the same name from several places stay apart", () => {
  const document = {
    openapi: "3.1.0",
    own: { Pet: { type: "boolean" } },
    components: { schemas: { Pet: { type: "string" } } },
    paths: {
      "/": {
        get: {
          operationId: "go",
          parameters: ["#/own/Pet", "#/components/schemas/Pet", "#/own/Pet"].map(($ref, at) =>
            parameter(`p${at}`, { $ref }),
          ),
        },
      },
    },
  };
  expect(toSource(document, "openapi.json", {}).contract.tools[0]?.inputSchema).toMatchObject({
    properties: { p0: { $ref: "#/$defs/Pet" }, p1: { $ref: "#/$defs/Pet2" }, p2: { $ref: "#/$defs/Pet" } },
    $defs: { Pet: { type: "boolean" }, Pet2: { type: "string" } },
  });
});
