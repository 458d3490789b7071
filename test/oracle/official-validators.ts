import { Ajv, type Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonSchema } from "./json-schema.ts";

/** Tells whether a value is valid for one definition. */
export type Validator = (value: unknown) => boolean;

/** Formats are annotations in this protocol, and numbers must be finite because JSON has no others. */
const options: Options = { strict: false, strictNumbers: true, validateFormats: false };

/** Compiles the definitions of an official schema with ajv, each on first use and in the dialect that the file names. */
export function createValidators(schema: JsonSchema): (definition: string) => Validator {
  const ajv = String(schema["$schema"]).includes("draft-07") ? new Ajv(options) : new Ajv2020(options);
  ajv.addSchema(schema, "official");
  const keyword = "$defs" in schema ? "$defs" : "definitions";
  return (definition) => {
    const validate = ajv.getSchema(`official#/${keyword}/${definition}`);
    if (!validate) throw new Error(`The official schema does not define ${definition}.`);
    return (value) => validate(value) === true;
  };
}
