import { describe, expect, test } from "vitest";
import { createCheckWriter } from "../../../generator/emit/check-text.ts";
import { convertView } from "../../../generator/emit/views/convert.ts";
import { stubsView } from "../../../generator/emit/views/stubs.ts";
import { writeConversions } from "../../../generator/emit/written-conversions.ts";
import { readConversions } from "../../../generator/conversions/conversions.ts";
import { readRevision } from "../../../generator/read/revision.ts";
import { readSchema } from "../../../generator/read/schema.ts";
import type { RevisionModel } from "../../../generator/model.ts";
import { compileChecks } from "../../oracle/compiled-checks.ts";
import { readToy } from "../conversions/toy-revisions.ts";

const clause = "https://example.org/spec";

/** Name that would end a comment and add code to the class that contains it. */
const ending = "a*/ static { stop(); } /*";

describe("names in comments", () => {
  test("a method cannot end the comment of its call or of its handler", () => {
    const model = readMethod(ending);
    const [call] = stubsView(model, "client").calls;
    const [handler] = stubsView(model, "server").handlers;
    expect(call?.text).toMatch(/^\/\*\* `a\*\\\/ static { stop\(\); } \/\*`: [^/]* \*\/\ndo\(/);
    expect(handler?.method).not.toContain("*/");
  });

  test("a property cannot end the comment of a conversion", () => {
    const params = (more: string): string => `export interface Params { ${JSON.stringify(ending)}: { x: 1${more} } }`;
    const rules = [{ rule: "omit", at: [`Params.${ending}.y`], reason: "No y." }] as const;
    const models = [readToy("2001-01-01", params(""), rules), readToy("2002-01-01", params("; y?: 1"))];
    const [older] = models;
    if (!older) throw new Error("There is no model.");
    const { functions } = convertView(older, writeConversions(readConversions(models, older)));
    expect(functions.map(({ type }) => type)).toContain(`Params.${ending.replace("*/", "*\\/")}`);
  });
});

describe("texts in conversions", () => {
  test.each(["$self", "$keys", "$&"])("a conversion has the members and the reasons of %s as they are", (name) => {
    const params = (more: string): string =>
      `export interface Params { ${JSON.stringify(name)}: { b: 1${more} }; list: "a" }`;
    const rules = [
      { rule: "drop", at: [`Params.${name}.c`], reason: "No." },
      { rule: "error", at: ["Params.list"], reason: `No ${name}.` },
    ] as const;
    const newer = params("; c?: 1").replace('list: "a"', "list: unknown");
    const models = [readToy("2001-01-01", params(""), rules), readToy("2002-01-01", newer)];
    const [older] = models;
    if (!older) throw new Error("There is no model.");
    const { functions } = writeConversions(readConversions(models, older));
    const text = functions.map((each) => `${each.constants}\n${each.text}`).join("\n");
    expect(text).toContain(`reason: "No ${name}."`);
    expect(text).toContain(`withMember(v, "${name}", `);
    expect(text).toContain(`type: "Params.${name}"`);
  });
});

describe("names of variables", () => {
  test("properties whose names differ in punctuation only have different variables", () => {
    const text = `export interface A { _meta?: { a: 1 }; meta?: { b: 1 }; "foo-bar"?: { c: 1 }; fooBar?: { d: 1 } }`;
    expect(variablesOf(text)).toEqual(["metaIssue", "metaIssueValue", "fooBarIssue", "fooBarIssueValue"]);
  });

  test("a property that starts with a digit has a valid variable", () => {
    expect(variablesOf(`export interface A { "2fa"?: { a: 1 } }`)).toEqual(["_2faIssue"]);
  });
});

describe("names that every object inherits", () => {
  const declarations = `
export interface Params { constructor?: string; toString?: { valueOf: number } }
export interface Kind { hasOwnProperty: "a" }`;
  const own = (json: string): unknown => JSON.parse(json);

  test.each([
    ["Params", "{}", undefined],
    ["Params", '{"constructor":"a","toString":{"valueOf":1}}', undefined],
    ["Params", '{"constructor":1}', { path: "constructor", expected: "string" }],
    ["Params", '{"toString":{}}', { path: "toString/valueOf", expected: "number" }],
    ["Kind", "{}", { path: "hasOwnProperty", expected: '"a"' }],
    ["Kind", '{"hasOwnProperty":"a"}', undefined],
  ])("the check of %s reads only own properties of %s", async (name, json, issue) => {
    const { checks } = await compileChecks(readToy("2001-01-01", declarations));
    expect(checks.get(name)?.(own(json))).toEqual(issue);
  });

  test("a conversion reads only own properties", () => {
    const params = (more: string): string => `export interface Params { a: 1; toString?: { b: 1${more} } }`;
    const rules = [
      { rule: "omit", at: ["Params.toString.c"], reason: "No c." },
      { rule: "error", at: ["Params.constructor"], reason: "No constructor." },
    ] as const;
    const models = [
      readToy("2001-01-01", params(""), rules),
      readToy("2002-01-01", params("; c?: 1").replace("a: 1", "a: 1; constructor?: 1")),
    ];
    const [older] = models;
    if (!older) throw new Error("There is no model.");
    const text = writeConversions(readConversions(models, older)).functions.map((each) => each.text);
    expect(text.join("\n")).toContain('if (Object.getOwnPropertyDescriptor(v, "constructor")?.value !== undefined)');
    expect(text.join("\n")).toContain('(Object.getOwnPropertyDescriptor(out, "toString")?.value, loss)');
    expect(text.join("\n")).not.toMatch(/\.(?:constructor|toString)\b/);
  });
});

function variablesOf(text: string): (string | undefined)[] {
  const { declarations } = readSchema("schema.ts", text);
  const [first] = declarations;
  const [check] = first ? createCheckWriter({ declarations }).writeDeclaration(first) : [];
  return [...(check?.text ?? "").matchAll(/\bconst (\S+)/g)].map(([, name]) => name);
}

/** A revision with a single request, `DoRequest`, of the given name. */
function readMethod(name: string): RevisionModel {
  const text = `
export interface DoRequest { method: ${JSON.stringify(name)} }
export interface DoResult { done: boolean }
export type ClientRequest = DoRequest;
`;
  return readRevision({
    id: "2001-01-01",
    status: "released",
    schema: { path: "spec/2001-01-01/schema.ts", text },
    overlay: {
      path: "spec/2001-01-01/overlay.json",
      value: {
        lifecycle: { clause, kind: "handshake" },
        batching: { clause, accepted: false },
        methods: { [name]: { clause, gate: null } },
        errors: [],
      },
    },
  });
}
