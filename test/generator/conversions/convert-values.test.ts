import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { tableSpecs } from "../../../generator/emit/method-text.ts";
import type { Method, RevisionModel, Shape } from "../../../generator/model.ts";
import { openSpecFolder } from "../../../generator/read/spec-folder.ts";
import { resolveObject } from "../../../generator/model/resolve.ts";
import { revisions } from "../../../generated/revisions.ts";
import { ConversionError, isObject, type Check, type Convert } from "../../../generated/support.ts";
import { makeValues, tryConversion } from "../../oracle/conversion-values.ts";
import { findUnknown } from "./convert-walk.ts";

/* Values made from the declarations of newer revisions, brought to every older one, whichever method carries them. */

/** Number of values of each part of a method. */
const count = 75;

/** Keys that stay although they are not declared: an overlay rule `keep` says why. */
const kept = /\/(extensions|_meta\/(extra|vendor\.example\/key))$/;

const reserved = '"io.modelcontextprotocol/';

let models: readonly RevisionModel[] = [];

beforeAll(async () => {
  const folder = await openSpecFolder(join(import.meta.dirname, "../../../spec"));
  models = await Promise.all([...folder.pins.keys()].map((id) => folder.readModel(id)));
});

interface Part {
  readonly method: Method;
  readonly part: "params" | "result";
  readonly convert: Convert;
  readonly check: Check;
}

const pairs = revisions.flatMap((target) =>
  revisions.filter(({ id }) => id > target.id).map((source) => ({ target: target.id, source: source.id })),
);

describe.each(pairs)("values of $source converted to $target", ({ target, source }) => {
  it("converted values are valid, have no undeclared keys and are not changed by a second conversion", () => {
    const newer = findModel(source);
    const model = findModel(target);
    const tally = { values: 0, lossy: 0 };
    for (const { method, part, convert, check } of partsOf(model)) {
      const shape = shapeOf(
        newer.methods.find(({ name }) => name === method.name),
        part,
      );
      const own = shapeOf(method, part);
      if (!shape || !own) continue;
      for (const value of makeValues({ model: newer, shape, seed: method.name.length, count })) {
        if (checkOf(source, method.name, part)?.(value)) continue; // breaks a rule over several properties
        tally.values += 1;
        const before = JSON.stringify(value);
        const converted = tryConversion(() => convert(value));
        expect(JSON.stringify(value), "the value itself is never changed").toBe(before);
        if (converted instanceof ConversionError) {
          tally.lossy += 1;
          continue;
        }
        const place = `${method.name} ${part} ${before}`;
        expect(check(converted), place).toBeUndefined();
        const unknown = [...findUnknown(converted, own, model), ...findGone(converted, shape, newer, own, model)];
        expect(
          unknown.filter((path) => !kept.test(path)),
          place,
        ).toEqual([]);
        expect(JSON.stringify(converted), "keys of metadata that newer revisions reserve").not.toContain(reserved);
        expect(convert(converted), place).toBe(converted);
      }
    }
    expect(tally.values).toBeGreaterThan(1000);
    expect(tally.lossy).toBeLessThan(tally.values / 5);
  });
});

describe.each(revisions.filter(({ conversions }) => conversions).map(({ id }) => id))("values of %s", (id) => {
  it("values of the same revision are returned unchanged", () => {
    const model = findModel(id);
    for (const { method, part, convert } of partsOf(model)) {
      const shape = shapeOf(method, part);
      if (!shape) continue;
      for (const value of makeValues({ model, shape, seed: method.name.length, count }))
        expect(convert(value)).toBe(value);
    }
  });
});

function findModel(id: string): RevisionModel {
  const found = models.find((model) => model.id === id);
  if (!found) throw new Error(`There is no model of ${id}.`);
  return found;
}

/** Every part of every method that has a conversion, with the check of its table. */
function partsOf(model: RevisionModel): Part[] {
  const revision = revisions.find(({ id }) => id === model.id);
  return tableSpecs.flatMap(({ name: table }) => {
    if (!revision) return [];
    return Object.entries(revision.conversions?.[table] ?? {}).flatMap(([key, { params, result }]) => {
      const row = revision[table][key];
      const method = model.methods.find((candidate) => candidate.name === key);
      if (!row || !method) return [];
      return [
        ...(params ? [{ method, part: "params" as const, convert: params, check: row.params }] : []),
        ...(result && "result" in row ? [{ method, part: "result" as const, convert: result, check: row.result }] : []),
      ];
    });
  });
}

function checkOf(id: string, method: string, part: "params" | "result"): Check | undefined {
  const revision = revisions.find((candidate) => candidate.id === id);
  const rows = revision ? tableSpecs.flatMap(({ name }) => Object.values(revision[name])) : [];
  const row = rows.find((candidate) => candidate.method === method);
  if (part === "params") return row?.params;
  return row && "result" in row ? row.result : undefined;
}

function shapeOf(method: Method | undefined, part: "params" | "result"): Shape | undefined {
  if (part === "params") return method?.params?.shape;
  const others = (method?.alternatives ?? []).map(({ type }): Shape => ({ kind: "reference", name: type }));
  return method?.result && { kind: "union", of: [method.result, ...others] };
}

/** Keys of an open object that only the newer revision declares. */
function findGone(value: unknown, shape: Shape, newer: RevisionModel, own: Shape, model: RevisionModel): string[] {
  const members = shape.kind === "union" ? shape.of : [shape];
  const declared = members.flatMap((member) => namesIn(member, newer));
  const known = new Set((own.kind === "union" ? own.of : [own]).flatMap((member) => namesIn(member, model)));
  return isObject(value) ? declared.filter((name) => !known.has(name) && name in value).map((name) => `/${name}`) : [];
}

function namesIn(shape: Shape, model: RevisionModel): string[] {
  if (shape.kind === "union") return shape.of.flatMap((member) => namesIn(member, model));
  return resolveObject(shape, model)?.properties.map(({ name }) => name) ?? [];
}
