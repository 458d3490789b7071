import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { compileChecks } from "../../oracle/compiled-checks.ts";
import { toJsonSchema } from "../../oracle/json-schema.ts";
import { readToy } from "../conversions/toy-revisions.ts";
import { constructs, textOf } from "./constructs.ts";

describe("constructs of schemas", () => {
  test.each(constructs)("$what: checks and JSON Schema accept the values of the type", async (construct) => {
    const { invalid, onlyInMessages = [], onlyChecked = [] } = construct;
    const valid = [...construct.valid, ...onlyInMessages];
    const model = readToy("2001-01-01", `${textOf(construct)}\nexport interface Params { x: 1 }`);
    const check = (await compileChecks(model)).checks.get("A");
    const validate = new Ajv2020({ strict: false }).compile({ ...toJsonSchema(model), $ref: "#/$defs/A" });
    const outcomes = [...valid, ...invalid, ...onlyChecked].map((value) => [
      value,
      check?.(value) === undefined,
      validate(value),
    ]);
    expect(outcomes).toEqual([
      ...valid.map((value) => [value, true, true]),
      ...[...invalid, ...onlyChecked].map((value) => [value, false, false]),
    ]);
  });
});
