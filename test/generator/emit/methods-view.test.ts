import { describe, expect, test } from "vitest";
import { emitRevisionList } from "../../../generator/emit/revision-files.ts";
import { methodsView, rowTypesIn, type MethodsView } from "../../../generator/emit/views/methods.ts";
import type { Method, Property, Shape } from "../../../generator/model.ts";
import { readToy } from "../conversions/toy-revisions.ts";

const declarations = `
export interface Params { a: 1 }
export interface Page { next?: string }
export type Mixed = "a" | Page;
export interface ClientCapabilities { colours?: object }
export interface ServerCapabilities { plants?: { grown?: boolean } }
`;

const method: Method = {
  name: "do/it",
  handler: "doIt",
  type: "DoRequest",
  kind: "request",
  senders: ["client", "server"],
  alternatives: [],
  gates: {},
};

function viewOf(methods: readonly Method[]): MethodsView {
  const checks = { params: () => "checkParams", result: () => "checkResult" };
  return methodsView({ ...readToy("2001-01-01", declarations), methods }, checks);
}

/** The first row of a method in the tables. */
function rowOf(change: Partial<Method>): MethodsView["tables"][number]["rows"][number] | undefined {
  return viewOf([{ ...method, ...change }]).tables.flatMap(({ rows }) => rows)[0];
}

function objectOf(...properties: readonly (Pick<Property, "name"> & Partial<Property>)[]): Shape {
  const shape: Shape = { kind: "number", minimum: 1 };
  const location = { line: 1, column: 1 };
  return { kind: "object", properties: properties.map((own) => ({ optional: true, shape, location, ...own })) };
}

describe("rows of methods", () => {
  const described: Partial<Method> = {
    params: { optional: false, shape: objectOf({ name: "cursor", nullMeansAbsent: true }, { name: "size" }) },
    result: objectOf(
      { name: "next", nullMeansAbsent: true },
      { name: "total", lowMeansMinimum: true },
      { name: "rest" },
    ),
    needs: { side: "client", path: ["colours"] },
    aliases: ["do/other"],
    duration: "work",
    safe: true,
  };
  const params = 't.DoRequest["params"]';
  const none = { needs: "", aliases: "", nulls: "", minimums: "", isSafe: false };

  test.each([
    [
      "request",
      {
        type: `RequestRow<${params}, >`,
        result: "checkResult",
        needs: '{"side":"client","path":["colours"]}',
        aliases: "",
        nulls: '["cursor","next"]',
        minimums: '{"total":1}',
        isSafe: true,
      },
    ],
    ["notification", { ...none, type: `NotificationRow<${params}>`, result: "", aliases: '["do/other"]' }],
    ["embedded", { ...none, type: `EmbeddedRow<${params}, >`, result: "checkResult" }],
  ] as const)("the row of a %s has what applies to its kind", (kind, row) => {
    expect(rowOf({ ...described, kind })).toMatchObject({ ...row, duration: '"work"' });
  });

  test.each(["request", "notification", "embedded"] as const)(
    "the row of a plain %s has no further members",
    (kind) => {
      expect(rowOf({ kind })).toMatchObject({ ...none, duration: "", paramsOptional: true });
    },
  );

  test("a request that may change something is not safe", () => {
    expect(rowOf({ duration: "wait" })).toMatchObject({ isSafe: false, duration: '"wait"' });
  });

  test("the members of every result of a union count, and results that are no objects have none", () => {
    const first = objectOf({ name: "next", nullMeansAbsent: true });
    const second = objectOf({ name: "total", nullMeansAbsent: true, lowMeansMinimum: true });
    const result: Shape = { kind: "union", of: [first, { kind: "reference", name: "Mixed" }, second] };
    expect(rowOf({ result })).toMatchObject({ nulls: '["next","total"]', minimums: '{"total":1}' });
  });
});

describe("facts about a revision", () => {
  test("the types of the rows that there are are imported in alphabetical order", () => {
    const kinds = ["request", "notification", "embedded"] as const;
    const all = kinds.map((kind) => ({ ...method, kind, name: kind }));
    expect(viewOf(all).support).toBe("EmbeddedRow, NotificationRow, RequestRow, Revision");
    expect(viewOf([]).support).toBe("Revision");
  });

  test("the type of requests with metadata is imported if one table has such a request", () => {
    const params = { optional: false, shape: objectOf({ name: "_meta", optional: false }) };
    const told: Method = { ...method, kind: "notification", name: "told" };
    const { tables } = viewOf([{ ...method, senders: ["client"], params }, told]);
    expect(rowTypesIn(tables)).toEqual(["NotificationRow", "RequestRow", "Sent"]);
    expect(rowTypesIn(viewOf([method, told]).tables)).toEqual(["NotificationRow", "RequestRow"]);
  });

  test("the capabilities of both sides are listed with their members", () => {
    expect(viewOf([])).toMatchObject({
      capabilities: '{"client":["colours"],"server":["plants","plants.grown"]}',
      jsonSchemaDialect: "",
    });
  });

  test("log levels are in the order of the schema, whatever names their type is made of", () => {
    const checks = { params: () => "", result: () => "" };
    const types = 'export type LoggingLevel = "low" | Severe; export type Severe = "high" | "worst";';
    const view = methodsView(readToy("2001-01-01", `${declarations}${types}`), checks);
    expect(view.logLevels).toBe('["low","high","worst"]');
    expect(viewOf([]).logLevels).toBe("[]");
  });

  test("the list of revisions begins with the newest", () => {
    const ids = ["2001-01-01", "2003-01-01", "2002-01-01"];
    const text = emitRevisionList(ids, { render: (_name, view) => JSON.stringify(view) });
    expect(JSON.parse(text)).toMatchObject({ list: "revision20030101, revision20020101, revision20010101" });
  });
});
