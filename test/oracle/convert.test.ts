import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tableSpecs } from "../../generator/emit/method-text.ts";
import { toCompatModel } from "./json-schema.ts";
import type { RevisionModel, Shape } from "../../generator/model.ts";
import { openSpecFolder } from "../../generator/read/spec-folder.ts";
import { resolveObject } from "../../generator/model/resolve.ts";
import { revisions } from "../../generated/revisions.ts";
import { ConversionError, isObject } from "../../generated/support.ts";
import { createValidators } from "./official-validators.ts";
import { readOfficialSchema } from "./official.ts";
import { makeValues, tryConversion } from "./conversion-values.ts";

/* Values made from newer revisions, converted, and judged by ajv on the official schema.json of the older one. */

/** Number of values of each part of a method. */
const count = 200;

const pairs = revisions.flatMap((target) =>
  revisions.filter(({ id }) => id > target.id).map((source) => ({ target, source: source.id })),
);

describe.each(pairs)("values of $source brought to $target.id", ({ target, source }) => {
  it("converted values are valid for the official schema", async () => {
    const folder = await openSpecFolder(join(import.meta.dirname, "../../spec"));
    const [newer, model] = [toCompatModel(await folder.readModel(source)), await folder.readModel(target.id)];
    const isValid = createValidators(readOfficialSchema(target.id));
    const tally = { values: 0, lossy: 0 };
    for (const { name } of tableSpecs) {
      for (const [method, { params, result }] of Object.entries(target.conversions?.[name] ?? {})) {
        const own = model.methods.find((candidate) => candidate.name === method);
        const other = newer.methods.find((candidate) => candidate.name === method);
        if (!own || !other) continue;
        const message = { jsonrpc: "2.0", id: 1, method };
        const parts = [
          {
            convert: params,
            shape: paramsOf(newer, other.type),
            definition: own.type,
            wrap: (v: unknown) => ({ ...message, params: v }),
          },
          { convert: result, shape: other.result, definition: resultName(own.result), wrap: (v: unknown) => v },
        ];
        for (const { convert, shape, definition, wrap } of parts) {
          if (!convert || !shape || definition === undefined) continue;
          for (const value of makeValues({ model: newer, shape, seed: method.length, count })) {
            if (!isPlain(value)) continue;
            tally.values += 1;
            const converted = tryConversion(() => convert(value));
            if (converted instanceof ConversionError) tally.lossy += 1;
            else expect(isValid(definition)(wrap(converted)), `${definition} ${JSON.stringify(value)}`).toBe(true);
          }
        }
      }
    }
    console.log(`${source} to ${target.id}: ${tally.values} values, ${tally.lossy} not expressible`);
    expect(tally.values).toBeGreaterThan(1000);
  });
});

/** Taken from the declaration, because that has been narrowed to what the official schema accepts. */
function paramsOf(model: RevisionModel, type: string): Shape | undefined {
  const object = resolveObject({ kind: "reference", name: type }, model);
  return object?.properties.find(({ name }) => name === "params")?.shape;
}

/** Results that ask for input are refused, and some of those made here ask for none. */
function isPlain(value: unknown): boolean {
  return (
    !isObject(value) ||
    Object.keys(value).some(
      (key) => !["_meta", "resultType", "inputRequests", "requestState", "extra", "vendor.example/key"].includes(key),
    ) ||
    !("resultType" in value)
  );
}

function resultName(result: Shape | undefined): string | undefined {
  return result?.kind === "reference" ? result.name : undefined;
}
