import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSource } from "../../../generator/openapi/source.ts";
import { createCfworkerValidator } from "../../../runtime/adapters/cfworker.ts";
import { temporaryFolder } from "../folder.ts";

const validate = createCfworkerValidator();

interface Union {
  /** Members of the base schema, besides its type. */
  readonly base?: string;
  /** Members of the union, besides its alternatives. */
  readonly own?: string;
}

/** Returns the issues of a body for an operation that accepts a cat or a dog. */
async function issuesOf(body: unknown, { base = "", own = "" }: Union): Promise<readonly unknown[]> {
  const path = join(temporaryFolder(), "openapi.yaml");
  writeFileSync(
    path,
    `openapi: 3.0.3
info: { title: Pets, version: 1.0.0 }
components:
  schemas:
    Pet: { type: object, required: [kind], properties: { kind: { type: string } }${base} }
    Cat: { allOf: [{ $ref: "#/components/schemas/Pet" }, { properties: { name: { type: string } } }] }
    Dog: { allOf: [{ $ref: "#/components/schemas/Pet" }, { properties: { bark: { type: string } } }] }
    Any: { oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }]${own} }
paths:
  /pets:
    post:
      operationId: add
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Any" } } } }
      responses: { "200": { description: ok } }
`,
  );
  const { contract } = await readSource(path);
  const schema = contract.tools[0]?.inputSchema;
  return validate({ body }, { ...Object(schema) });
}

const discriminator = ", discriminator: { propertyName: kind }";

describe("a body with alternatives", () => {
  test.each([
    ["of its own", { own: discriminator }],
    ["of the schema that they extend", { base: discriminator }],
    ["beside other alternatives", { own: `${discriminator}, anyOf: [{ type: object }, { required: [kind] }]` }],
  ])("a value may fit several alternatives if there is a discriminator: one %s", async (_place, union) => {
    expect(await issuesOf({ kind: "Cat", name: "Tom" }, union)).toEqual([]);
    expect(await issuesOf({ name: "Tom" }, union)).not.toEqual([]);
    expect(await issuesOf({ kind: 1 }, union)).not.toEqual([]);
  });

  test("a value fits exactly one alternative if there is no discriminator", async () => {
    expect(await issuesOf({ kind: "Cat", name: "Tom" }, {})).not.toEqual([]);
    expect(await issuesOf({ kind: "Cat", name: "Tom", bark: 1 }, {})).toEqual([]);
  });
});
