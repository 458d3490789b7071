import { describe, expect, test } from "vitest";
import { findGoneNames } from "../../../generator/model/gone-names.ts";
import { usedNames, type Named, type Names } from "../../../generator/model/names.ts";
import { readToy } from "../conversions/toy-revisions.ts";

const names: Names = {
  methods: { "do/it": "DoRequest" },
  values: [{ at: "Level", values: ["low"] }],
  members: [
    { of: "Params", members: ["a", "inner.b"] },
    { of: "Gone", members: ["c", "d"] },
  ],
  knownMembers: [],
  declarations: ["Level"],
  meta: [
    { on: "request", key: "token" },
    { on: "request", type: "string", required: true },
  ],
  headers: ["X-Session"],
  errors: [{ name: "unreadable", code: -1 }, { name: "busy" }],
};

const declarations = `
export interface Params { a: Level; inner?: { b?: string } }
export type Level = "low" | "high";
export interface Gone { c: string; d: string }
`;

const rules: Named["rules"] = {
  errors: [
    { name: "unreadable", code: -1, emitted: true },
    { name: "busy", code: -2, emitted: true },
  ],
  headers: [{ name: "X-Session", source: "session", required: true }],
  reservedMeta: [
    { key: "token", on: "request", type: "Token", required: false },
    { key: "version", on: "request", type: "string", required: true },
  ],
};

function named(text: string, changed: Partial<Named["rules"]> = {}): Named {
  return { ...readToy("2001-01-01", text), rules: { ...rules, ...changed } };
}

function compare(after: Named, removed: readonly string[] = []): object {
  return findGoneNames(usedNames(names), { before: named(declarations), after, removed });
}

describe("names that code uses", () => {
  test("an equal revision has lost no name", () => {
    expect(compare(named(declarations))).toEqual({ lost: [], stale: [] });
  });

  test.each<[what: string, after: () => Named, lost: string]>([
    ["a value with another name", () => named(declarations.replace('"low"', '"lower"')), "Level:low"],
    ["a member with another name", () => named(declarations.replace("a: Level", "z: Level")), "Params.a"],
    ["a member within another", () => named(declarations.replace("b?: string", "")), "Params.inner.b"],
    ["a declaration with all of its members", () => named(declarations.replace("Gone", "Here")), "Gone"],
    ["an error with another code", () => named(declarations, { errors: rules.errors.slice(1) }), "unreadable"],
    ["a header", () => named(declarations, { headers: [] }), "X-Session"],
    ["a key of _meta", () => named(declarations, { reservedMeta: rules.reservedMeta.slice(1) }), "request._meta.token"],
    [
      "a key of _meta that is no longer required",
      () => named(declarations, { reservedMeta: rules.reservedMeta.map((meta) => ({ ...meta, required: false })) }),
      "request._meta:string",
    ],
    ["a method", () => ({ ...named(declarations), methods: [] }), "do/it"],
    ["a method of another type", () => ({ ...named(declarations), methods: [{ name: "do/it", type: "X" }] }), "do/it"],
  ])("%s is lost until it is removed", (_what, after, lost) => {
    expect(compare(after())).toEqual({ lost: [lost], stale: [] });
    expect(compare(after(), [lost])).toEqual({ lost: [], stale: [] });
  });

  test("a removed name that is declared, or that no code uses, is stale", () => {
    const without = named(declarations.replace("Gone", "Here"));
    expect(compare(without, ["Gone", "Params", "Level", "no/such", "X-Session"])).toEqual({
      lost: [],
      stale: ["Params", "Level", "no/such", "X-Session"],
    });
  });
});
