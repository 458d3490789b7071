import type { ObjectSchema } from "mcp-server-runtime";
import { Ajv2020 } from "ajv/dist/2020.js";
import { fromJsonSchema, type Schema } from "./mcp/index.ts";

/** Arguments of a tool whose schema uses more keywords than most schema libraries emit. */
export interface Contact {
  readonly name?: string;
  readonly address?: { readonly street?: string; readonly city?: string };
  readonly contactMethod?: "phone" | "email";
  readonly phone?: string;
  readonly email?: string;
}

const schema: ObjectSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

const isContact = new Ajv2020({ allErrors: true, strict: false }).compile<Contact>(schema);

/** A plain JSON Schema, enforced by ajv. */
export const richSchema: Schema<Contact> = fromJsonSchema<Contact>(schema, {
  validate(value) {
    if (isContact(value)) return [];
    return (isContact.errors ?? []).map(({ instancePath, message = "is not valid" }) => ({
      message,
      path: instancePath.split("/").slice(1),
    }));
  },
});
