import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import type { Overlay } from "../../../generator/model/overlay.ts";
import { resolveObject } from "../../../generator/model/resolve.ts";
import { createOverlayReader } from "../../../generator/read/overlay.ts";
import { readRevision } from "../../../generator/read/revision.ts";
import { readToy } from "../conversions/toy-revisions.ts";

/* An overlay that names what its schema lacks stops the generator, whichever entry it is. */

const revision = "2026-07-28";
const text = readFileSync(`spec/${revision}/schema.ts`, "utf8");
const path = "spec/some/overlay.json";
const readOverlay = createOverlayReader(readFileSync("spec/overlay.schema.json", "utf8"));
const overlay = readOverlay({ path, text: readFileSync(`spec/${revision}/overlay.json`, "utf8") });
const clause = "https://example.com";

describe("an overlay", () => {
  const strays: readonly { entry: string; change: Partial<Overlay>; says: RegExp }[] = [
    {
      entry: "methods",
      change: { methods: { "x/y": { clause, gate: null } } },
      says: /is in no role union|methods names/,
    },
    { entry: "methods", change: { methods: { ...overlay.methods, "x/y": { clause, gate: null } } }, says: /`x\/y`/ },
    {
      entry: "gate",
      change: { methods: { ...overlay.methods, "tools/call": { clause, gate: { side: "server", path: ["hammer"] } } } },
      says: /tools\/call requires server capability `hammer`/,
    },
    {
      entry: "alternatives",
      change: {
        methods: { ...overlay.methods, "tools/list": { clause, alternatives: [{ type: "Gone", whenParam: "x" }] } },
      },
      says: /`Gone` has no required member/,
    },
    {
      entry: "mergeMeta",
      change: { mergeMeta: { clause, methods: ["x/y"] } },
      says: /no declaration has .*`x\/y`/,
    },
    {
      entry: "mergeMeta",
      change: { mergeMeta: { clause, methods: ["tools/call"] } },
      says: /not written inline|no base/,
    },
    {
      entry: "tags",
      change: { tags: [{ clause, of: ["Tool", "Prompt"], presence: [] }] },
      says: /no union has exactly/,
    },
    { entry: "integers", change: { integers: [{ clause, at: "Tool.gone" }] }, says: /`Tool.gone` does not exist/ },
    { entry: "integers", change: { integers: [{ clause, at: "Gone" }] }, says: /`Gone` is not declared/ },
    {
      entry: "tolerances",
      change: { tolerances: [{ clause, at: "Result.x", absentMeans: 0 }] },
      says: /`Result.x` does not/,
    },
    { entry: "nulls", change: { nulls: [{ clause, at: "Result.x" }] }, says: /`Result.x` does not/ },
    {
      entry: "minimums",
      change: { minimums: [{ clause, at: "Result.x" }] },
      says: /`Result.x` does not/,
    },
    {
      entry: "minimums",
      change: { minimums: [{ clause, at: "Tool.inputSchema" }] },
      says: /`Tool.inputSchema` has no minimum/,
    },
    {
      entry: "durations",
      change: { durations: [{ clause, duration: "work", methods: ["x/y"] }] },
      says: /the duration work refers to `x\/y`/,
    },
    { entry: "safe", change: { safe: { clause, methods: ["x/y"] } }, says: /safe refers to `x\/y`/ },
    {
      entry: "constraints",
      change: { constraints: [{ clause, type: "Tool", rule: "exclusive", properties: ["name", "gone"] }] },
      says: /a constraint refers to `Tool.gone`/,
    },
    {
      entry: "errors",
      change: { errors: [{ clause, name: "x", code: 1, emitted: true, constant: "PARSE_ERROR" }] },
      says: /error x is 1 here, but the schema's PARSE_ERROR is -32700/,
    },
    {
      entry: "batching",
      change: { batching: { clause, accepted: true, never: ["x/y"] } },
      says: /batching refers to `x\/y`/,
    },
    {
      entry: "headers",
      change: { headers: [{ clause, name: "H", source: "session", required: true, methods: ["x/y"] }] },
      says: /the header H refers to `x\/y`/,
    },
    {
      entry: "reservedMeta",
      change: { reservedMeta: [{ clause, key: "k", on: "any", type: "Gone", required: false }] },
      says: /the _meta key k refers to `Gone`/,
    },
    {
      entry: "emptyCapabilities",
      change: { emptyCapabilities: [{ clause, side: "client", path: ["elicitation"], means: "gone" }] },
      says: /emptyCapabilities refers to `elicitation.gone` of the client/,
    },
  ];

  it.each(strays)("an overlay with an unknown name under $entry is rejected: $says", ({ change, says }) => {
    const value = { ...overlay, ...change };
    const read = (): unknown =>
      readRevision({ id: revision, status: "released", schema: { path: "s.ts", text }, overlay: { path, value } });
    expect(read).toThrow(says);
    expect(read).toThrow(/^spec\/some\/overlay\.json: /);
  });
});

describe("methods of one side", () => {
  const declare = (union: string, type: string, more: string): string =>
    text.replace(new RegExp(`export type ${union} =\\s*\\|?`), `${more}\nexport type ${union} =\n  | ${type}\n  | `);
  const request = (type: string, method: string): string =>
    `export interface ${type}Request extends JSONRPCRequest { method: "${method}"; params: RequestParams }
export interface ${type}Result extends Result {}`;
  const notification =
    'export interface ToolNotification extends JSONRPCNotification { method: "notifications/tool"; params: NotificationParams }';

  it.each([
    [
      "two requests with one name on the wire",
      declare("ClientRequest", "PokeRequest", request("Poke", "tools/list")),
      "`PokeRequest` and `ListToolsRequest` would both be the request tools/list of the client",
    ],
    [
      "a request and a notification with one name in code",
      declare("ClientRequest", "ToolRequest", request("Tool", "tools/do")).replace(
        "export type ClientNotification =",
        `${notification}\nexport type ClientNotification = ToolNotification |`,
      ),
      "`ToolRequest` and `ToolNotification` would both be the function tool() of the client",
    ],
  ])("%s are rejected", (_what, changed, says) => {
    const methods = { ...overlay.methods, "notifications/tool": { clause, gate: null } };
    const value = changed.includes("notifications/tool") ? { ...overlay, methods } : overlay;
    const schema = { path: "s.ts", text: changed };
    const read = (): unknown => readRevision({ id: revision, status: "released", schema, overlay: { path, value } });
    expect(read).toThrow(says);
  });

  it("a request that a union names twice has one sender", () => {
    const schema = { path: "s.ts", text: declare("ClientRequest", "CallToolRequest", "") };
    const { methods } = readRevision({ id: revision, status: "released", schema, overlay: { path, value: overlay } });
    expect(methods.find(({ name }) => name === "tools/call")?.senders).toEqual(["client"]);
  });
});

test("a rule of the overlay holds for a property wherever utility types repeat it", () => {
  const text = `
    export interface Base { n: number; other: number }
    export type Picked = Pick<Base, "n">;
    export interface Extended extends Pick<Base, "n" | "other"> {}
    export type Paged<T> = Base & { items: T[] };
    export interface Page extends Paged<string> {}
    export type Changed = { [Key in keyof Base]: Base[Key] | null };
    export interface Params { x: 1 }`;
  const model = readToy("2001-01-01", text, [], ["Base.n"]);
  const integers = (name: string): readonly string[] =>
    resolveObject({ kind: "reference", name }, model)?.properties.flatMap((property) =>
      property.shape.kind === "number" && property.shape.integer ? [property.name] : [],
    ) ?? [];
  expect(["Base", "Picked", "Extended", "Page", "Changed"].map(integers)).toEqual([["n"], ["n"], ["n"], ["n"], []]);
  expect(model.declarations.find(({ name }) => name === "Page")?.extends).toEqual([
    { kind: "reference", name: "Base" },
  ]);
});
