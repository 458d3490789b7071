import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSource, toSource } from "../../../generator/openapi/source.ts";
import { createCfworkerValidator } from "../../../runtime/adapters/cfworker.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";

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
    ["nowhere", {}],
  ])(
    "a value may fit several alternatives, because the API checks it again: a discriminator %s",
    async (_place, union) => {
      expect(await issuesOf({ kind: "Cat", name: "Tom" }, union)).toEqual([]);
      expect(await issuesOf({ name: "Tom" }, union)).not.toEqual([]);
      expect(await issuesOf({ kind: 1 }, union)).not.toEqual([]);
    },
  );
});

/** Returns the issues of a body for an operation that accepts a schema of these. */
async function issuesOfSchema(body: unknown, schemas: object, schema: object): Promise<readonly unknown[]> {
  const content = { "application/json": { schema } };
  const post = { operationId: "add", requestBody: { required: true, content }, responses: {} };
  const document = { openapi: "3.0.3", info: {}, paths: { "/": { post } }, components: { schemas } };
  const inputSchema = toSource(document, "openapi.json", {}).contract.tools[0]?.inputSchema;
  return validate({ body }, { type: "object", ...Object(inputSchema) });
}

const text = { type: "string" };
const refer = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const extend = (name: string, properties: object): object => ({ allOf: [refer(name), { type: "object", properties }] });
const base = (discriminator: object, kind: object = text): object => {
  const properties = { kind, friend: refer("Pet") };
  return { type: "object", required: ["kind"], properties, discriminator: { propertyName: "kind", ...discriminator } };
};
const mapping = { cat: "#/components/schemas/Cat", dog: "Dog", hound: "Dog", gone: "#/components/schemas/Gone" };
const pets = (pet: object): object => ({
  Pet: pet,
  Cat: extend("Pet", { lives: { type: "integer" } }),
  Dog: extend("Pet", { bark: text }),
  Wolf: extend("Dog", { pack: text }),
});
const mapped = pets(base({ mapping }));
const named = pets(base({}));
const own = { ...pets(base({})), Cat: extend("Pet", { kind: { enum: ["feline"] }, lives: { type: "integer" } }) };
const wide = pets(base({ mapping: { cat: "Cat" } }, { enum: ["cat", "fish"] }));
const foreign = { Pet: base({ mapping: { car: "Car" } }), Car: { properties: { wheels: { type: "integer" } } } };
const listed = {
  Any: {
    oneOf: [refer("Cat"), refer("Dog")],
    discriminator: { propertyName: "kind", mapping: { cat: "Cat", dog: "Dog" } },
  },
  Cat: { properties: { kind: text, lives: { type: "integer" } } },
  Dog: { properties: { kind: text, bark: text } },
};
const many = {
  Pet: base({}),
  ...Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`Pet${at}`, extend("Pet", { bark: text })])),
};
const single = { Pet: base({}), Bird: { allOf: [refer("Pet")] } };

describe("a body whose schema has a discriminator", () => {
  test.each<[what: string, schemas: object, schema: object, body: object]>([
    ["the value of a subtype", mapped, refer("Pet"), { kind: "dog", bark: "wow" }],
    ["the other value of a subtype", mapped, refer("Pet"), { kind: "hound", bark: "wow" }],
    ["a subtype that the mapping does not name", mapped, refer("Pet"), { kind: "Wolf", bark: "wow", pack: "x" }],
    ["a subtype within a subtype", mapped, refer("Pet"), { kind: "cat", friend: { kind: "dog", bark: "wow" } }],
    ["a subtype itself", mapped, refer("Dog"), { kind: "Labrador", bark: "wow" }],
    ["an extension in place", mapped, extend("Pet", { bark: text }), { kind: "bird", bark: "wow" }],
    ["a subtype by its name", named, refer("Pet"), { kind: "Cat", lives: 9 }],
    ["a subtype that lists its values", own, refer("Pet"), { kind: "feline", lives: 9 }],
    ["a value without a subtype", wide, refer("Pet"), { kind: "fish" }],
    ["a schema that does not extend it", foreign, refer("Pet"), { kind: "car", wheels: 4 }],
    ["an alternative", listed, refer("Any"), { kind: "cat", lives: 9 }],
    ["more than 32 subtypes", many, refer("Pet"), { kind: "x", bark: 1 }],
    ["a subtype without members", single, refer("Pet"), { kind: "Bird" }],
  ])("a body is accepted: %s", async (_what, schemas, schema, body) => {
    expect(await issuesOfSchema(body, schemas, schema)).toEqual([]);
  });

  test.each<[what: string, schemas: object, schema: object, body: object]>([
    ["a wrong member of a subtype", mapped, refer("Pet"), { kind: "dog", bark: 1 }],
    ["a value of no subtype", mapped, refer("Pet"), { kind: "bird" }],
    ["a wrong member within a subtype", mapped, refer("Pet"), { kind: "cat", friend: { kind: "dog", bark: 1 } }],
    ["a schema that is only wrapped", mapped, { nullable: true, allOf: [refer("Pet")] }, { kind: "dog", bark: 1 }],
    ["a wrong member of a subtype by its name", named, refer("Pet"), { kind: "Cat", lives: "9" }],
    ["a wrong member for a value of its own", own, refer("Pet"), { kind: "feline", lives: "9" }],
    ["a schema that does not extend it", foreign, refer("Pet"), { kind: "car", wheels: "4" }],
    ["a wrong member of an alternative", listed, refer("Any"), { kind: "cat", lives: "9" }],
  ])("a body is rejected: %s", async (_what, schemas, schema, body) => {
    expect(await issuesOfSchema(body, schemas, schema)).not.toEqual([]);
  });
});
