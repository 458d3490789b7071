import { describe, expect, test } from "vitest";
import type { ConvertFunction } from "../../../generator/emit/convert-text.ts";
import { convertView } from "../../../generator/emit/views/convert.ts";
import { stubsView } from "../../../generator/emit/views/stubs.ts";
import type { Role } from "../../../generator/model.ts";
import { readToy } from "../conversions/toy-revisions.ts";

const model = readToy("2001-01-01", "export interface Params { a: 1 }");

describe("conversions in the generated code", () => {
  const functionOf = (name: string, uses: readonly string[], calls: readonly string[] = []): ConvertFunction => ({
    name,
    type: name,
    constants: "",
    text: "",
    uses,
    calls,
  });
  const written = {
    functions: [
      functionOf("toParams", ["isObject", "keepKnown", "KnownKeys", "loss"], ["toPart"]),
      functionOf("toPart", ["ConversionError"], ["toParams"]),
      functionOf("toResult", ["mapItems"]),
    ],
    methods: [{ type: "DoRequest", params: "toParams", result: "toResult" }],
    received: [],
  };

  test.each<[sender: Role | undefined, row: string, functions: string[]]>([
    [undefined, '"do/it": { params: toParams, result: toResult }', ["toParams", "toPart", "toResult"]],
    ["client", '"do/it": { params: toParams }', ["toParams", "toPart"]],
    ["server", '"do/it": { result: toResult }', ["toResult"]],
  ])("the sender %s has the row %s", (sender, row, functions) => {
    const view = convertView(model, written, sender);
    expect(view.tables.map(({ name, rows }) => [name, rows])).toEqual([
      ["clientRequests", [{ text: row }]],
      ["serverRequests", []],
      ["clientNotifications", []],
      ["serverNotifications", []],
      ["embeddedRequests", []],
    ]);
    expect(view.functions.map(({ name }) => name)).toEqual(functions);
  });

  test("only what the functions use is imported", () => {
    expect(convertView(model, written, "client")).toMatchObject({
      revision: '"2001-01-01"',
      support: "ConversionError, isObject, type Conversions, type OnLoss",
      rules: "keepKnown, type KnownKeys",
    });
    expect(convertView(model, written, "server")).toMatchObject({
      revision: "",
      support: "type Conversions, type OnLoss",
      rules: "mapItems",
    });
  });

  test.each<[sender: Role | undefined, row: string]>([
    [undefined, '"do/it": { params: toParams, result: toResult }'],
    ["client", '"do/it": { result: toResult }'],
    ["server", '"do/it": { params: toParams }'],
  ])("the side %s receives what the row %s converts", (sender, text) => {
    const received = [{ since: "2002-01-01", functions: written.functions, methods: written.methods }];
    const view = convertView(model, { functions: [], methods: [], received }, sender);
    expect(view.tables.flatMap(({ rows }) => rows)).toEqual([]);
    expect(view.received.map(({ since, tables }) => [since, tables.flatMap(({ rows }) => rows)])).toEqual([
      ['"2002-01-01"', [{ text }]],
    ]);
    expect(view.support).toContain("type ReceivedConversions");
  });

  test("a method of which a side sends nothing that is converted has no row", () => {
    const { tables } = convertView(
      model,
      { ...written, methods: [{ type: "DoRequest", params: "toParams" }] },
      "server",
    );
    expect(tables.flatMap(({ rows }) => rows)).toEqual([]);
  });

  test.each([
    [{ type: "DoRequest", params: "toParams" }, '"do/it": { params: toParams }'],
    [{ type: "DoRequest", result: "toResult" }, '"do/it": { result: toResult }'],
  ])("the row of %j has no other part", (method, text) => {
    const { tables } = convertView(model, { ...written, methods: [method] });
    expect(tables[0]?.rows).toStrictEqual([{ text }]);
  });
});

describe("stubs", () => {
  test("the side that sends a request has its call, and the other side its handler", () => {
    expect(stubsView(model, "client")).toMatchObject({
      support: "Awaitable, Caller, CallOptions, Implementation",
      tables: "clientRequests, revision",
      handlers: [],
      calls: [{ text: expect.stringContaining("do(params: t.Params, options?: CallOptions): Promise<t.DoResult>") }],
    });
    expect(stubsView(model, "server")).toMatchObject({
      support: "Awaitable, Caller, Implementation",
      tables: "revision",
      handlers: [{ name: "do", method: "do/it", params: "t.Params", result: "t.DoResult" }],
      calls: [],
    });
  });

  test("a side that sends only notifications has no options of calls", () => {
    const methods = model.methods.map((method) => ({ ...method, kind: "notification" as const }));
    expect(stubsView({ ...model, methods }, "client")).toMatchObject({
      support: "Awaitable, Caller, Implementation",
      tables: "clientNotifications, revision",
    });
  });

  test("a call with two alternatives has a signature for both", () => {
    const alternatives = ["first", "second"].map((whenParam) => ({ type: "Later", whenParam, mark: "later" }));
    const methods = model.methods.map((method) => ({ ...method, alternatives }));
    const [call] = stubsView({ ...model, methods }, "client").calls;
    expect(call?.text.split("\n").slice(1, 4)).toEqual([
      "do(params: t.Params & { first: object } & { second: object }, options?: CallOptions): Promise<t.DoResult | t.Later | t.Later>;",
      "do(params: t.Params, options?: CallOptions): Promise<t.DoResult>;",
      "do(params: t.Params, options?: CallOptions): Promise<t.DoResult | t.Later | t.Later> {",
    ]);
  });
});
