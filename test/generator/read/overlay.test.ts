import { readFileSync } from "node:fs";
import { Node, Project, type Type } from "ts-morph";
import { describe, expect, it } from "vitest";
import type { Overlay } from "../../../generator/model/overlay.ts";
import { createOverlayReader } from "../../../generator/read/overlay.ts";
import { catchSpecError } from "./spec-error.ts";

const schema = readSpec("overlay.schema.json");
const readOverlay = createOverlayReader(schema);
const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

describe.each(revisions)("the overlay of %s", (revision) => {
  const declarations = readSpec(`${revision}/schema.ts`);

  it("the overlay names its JSON Schema and matches it", () => {
    expect(load(revision).$schema).toBe("../overlay.schema.json");
  });

  it("every clause is a page of the revision, or of JSON-RPC", () => {
    const overlay = load(revision);
    const foreign = clausesOf(overlay).filter(
      (clause) =>
        !clause.startsWith(`https://modelcontextprotocol.io/specification/${revision}/`) &&
        clause !== "https://www.jsonrpc.org/specification#error_object",
    );
    expect(foreign).toEqual([]);
  });

  it("every method in the overlay exists in the schema", () => {
    const overlay = load(revision);
    const named = [...Object.keys(overlay.methods), ...(overlay.mergeMeta?.methods ?? [])];
    named.push(...(overlay.batching.never ?? []), ...(overlay.headers ?? []).flatMap(({ methods }) => methods ?? []));
    expect(named.filter((method) => !declarations.includes(`method: "${method}";`))).toEqual([]);
  });

  it("every type in the overlay is declared in the schema", () => {
    const overlay = load(revision);
    expect(typesOf(overlay).filter((type) => !declares(declarations, type))).toEqual([]);
  });

  it("every error has the value of its constant", () => {
    const overlay = load(revision);
    const wrong = overlay.errors.filter(
      ({ code, constant }) =>
        constant !== undefined && !new RegExp(`export const ${constant}\\b.*= ${code};`).test(declarations),
    );
    expect(wrong).toEqual([]);
  });

  it("the errors include all standard codes, and each code once", () => {
    const overlay = load(revision);
    const codes = overlay.errors.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining([-32700, -32600, -32601, -32602, -32603]));
    expect(new Set(codes).size).toBe(codes.length);
  });

  it("every tag selects members of its own union", () => {
    const overlay = load(revision);
    const strays = (overlay.tags ?? []).flatMap(({ of, cases = {}, otherwise, presence = [] }) => {
      const picked = [...Object.values(cases), ...presence.map(({ type }) => type)];
      return (otherwise === undefined ? picked : [...picked, otherwise]).filter((type) => !of.includes(type));
    });
    expect(strays).toEqual([]);
  });
});

describe("facts of the revisions", () => {
  it("batches are accepted by one revision only, and never contain initialize (J-13, J-14, J-16)", () => {
    const accepting = revisions.filter((revision) => load(revision).batching.accepted);
    expect(accepting).toEqual(["2025-03-26"]);
    expect(load("2025-03-26").batching.never).toEqual(["initialize"]);
  });

  it("the number of methods whose params get _meta back is known for each revision (T7)", () => {
    expect(revisions.map((revision) => load(revision).mergeMeta?.methods.length ?? 0)).toEqual([17, 17, 18, 4, 0]);
  });

  it("the error code of a missing resource is sent by every revision except the newest, which only accepts it (5.1, 2.8)", () => {
    const emitted = revisions.map((revision) => load(revision).errors.find(({ code }) => code === -32002)?.emitted);
    expect(emitted).toEqual([true, true, true, true, false]);
  });

  it("completion requires no capability at a revision without that capability (1.1)", () => {
    const gates = revisions.map((revision) => load(revision).methods["completion/complete"]?.gate);
    const gate = { path: ["completions"] };
    expect(gates).toEqual([null, gate, gate, gate, gate]);
  });

  it("the version header exists since the third revision (T-60), the session header until the fourth (T-50)", () => {
    const headers = revisions.map((revision) => (load(revision).headers ?? []).map(({ name }) => name));
    expect(headers.map((names) => names.includes("MCP-Protocol-Version"))).toEqual([false, false, true, true, true]);
    expect(headers.map((names) => names.includes("Mcp-Session-Id"))).toEqual([false, true, true, true, false]);
  });
});

describe("an invalid overlay", () => {
  const edits: readonly { problem: string; at: string; to?: unknown; pointer?: string; says?: string }[] = [
    { problem: "an unknown entry", at: "/lifecyle", to: {}, says: "not a known property" },
    { problem: "a missing lifecycle", at: "/lifecycle", pointer: "the file", says: "`lifecycle` is missing" },
    { problem: "an unknown lifecycle", at: "/lifecycle/kind", to: "session", says: "handshake or per-request" },
    { problem: "a fact without its clause", at: "/batching/clause", pointer: "/batching", says: "`clause` is missing" },
    { problem: "a clause that is no link", at: "/batching/clause", to: "basic/index", says: "Absolute URL" },
    { problem: "a string instead of a boolean", at: "/batching/accepted", to: "no", says: "must be boolean" },
    { problem: "methods as a list", at: "/methods", to: [], says: "must be object" },
    {
      problem: "a method without any fact",
      at: "/methods/server~1discover/gate",
      pointer: "/methods/server~1discover",
    },
    {
      problem: "a method name that ends with a slash",
      at: "/methods/server~1",
      to: {},
      says: "not a valid method name",
    },
    { problem: "a method name with a blank", at: "/methods/server discover", to: {}, says: "not a valid method name" },
    {
      problem: "a gate without a path",
      at: "/methods/notifications~1message/gate/path",
      pointer: "/methods/notifications~1message/gate",
    },
    { problem: "a gate as text", at: "/methods/server~1discover/gate", to: "tools", says: "must be object,null" },
    { problem: "an unknown kind of method", at: "/methods/roots~1list/kind", to: "request", says: "expected embedded" },
    { problem: "a union of one", at: "/tags/0/of", to: ["JSONRPCRequest"], says: "fewer than 2" },
    { problem: "a union with the same member twice", at: "/tags/0/of/1", to: "JSONRPCRequest", pointer: "/tags/0/of" },
    { problem: "a tag by property and by presence", at: "/tags/0/property", to: "id", says: "keep one of them" },
    {
      problem: "a tag without property and presence",
      at: "/tags/0/presence",
      pointer: "/tags/0",
      says: "`property` is missing",
    },
    { problem: "an incomplete path", at: "/integers/0/at", to: "Error.", says: "must match pattern" },
    { problem: "an unknown rule", at: "/constraints/0/rule", to: "any", says: "atLeastOne or exclusive" },
    { problem: "a tolerance for a whole type", at: "/tolerances/0/at", to: "Result", says: "must match pattern" },
    {
      problem: "a default that is no plain value",
      at: "/tolerances/0/absentMeans",
      to: null,
      says: "must be string,number",
    },
    { problem: "an error code in quotes", at: "/errors/0/code", to: "-32700", says: "must be integer" },
    { problem: "a status that is no error", at: "/errors/0/status", to: 200, says: "must be >= 400" },
    { problem: "an unknown source of a header", at: "/headers/0/source", to: "body.id", says: "must match pattern" },
    { problem: "an unknown place for metadata", at: "/reservedMeta/0/on", to: "tool", says: "notification" },
    { problem: "an empty list of result types", at: "/resultTypes/known", to: [], says: "fewer than 1" },
    {
      problem: "a capability of an unknown side",
      at: "/emptyCapabilities/0/side",
      to: "host",
      says: "client or server",
    },
  ];

  it.each(edits)("an overlay reader rejects $problem", ({ at, to, pointer = at, says = "" }) => {
    const error = catchSpecError(() => readText(edited("2026-07-28", at, to)));
    expect(error.file).toBe("spec/some/overlay.json");
    expect(error.message).toContain(`  ${pointer} (`);
    expect(error.message).toContain(says);
  });

  it("an overlay reader reports the line of the first problem and lists the others below", () => {
    const text = edited("2026-07-28", "/lifecycle/kind", "none").replace('"accepted": false', '"accepted": 0');
    const line = text.split("\n").findIndex((candidate) => candidate.includes('"none"')) + 1;
    const { message, line: reported } = catchSpecError(() => readText(text));
    expect(reported).toBe(line);
    expect(message).toMatch(new RegExp(`^spec/some/overlay.json:${line}:\\d+: `));
    expect(message.indexOf("/lifecycle/kind")).toBeLessThan(message.indexOf("/batching/accepted"));
  });

  it("an overlay reader lists three problems and counts the others", () => {
    expect(catchSpecError(() => readText('{ "a": 1 }')).message).toMatch(/(\n {2}.*){3}\n {2}and 2 more\n/);
  });

  const broken = [
    { problem: "an empty file", text: "", line: 1, column: 1, says: "the file ends" },
    { problem: "a comma too many", text: '{\n  "a": 1,\n}', line: 3, column: 1, says: "a property name" },
    { problem: "a comma too few", text: '{\n  "a": 1\n  "b": 2\n}', line: 3, column: 3, says: '"," or "}"' },
    { problem: "a colon forgotten", text: '{ "a" 1 }', line: 1, column: 7, says: '":"' },
    { problem: "a comment", text: "// note\n{}", line: 1, column: 1, says: "a value" },
    { problem: "an open list", text: "[1, 2", line: 1, column: 6, says: '"," or "]"' },
    { problem: "a line break in a string", text: '["a\nb"]', line: 1, column: 2, says: "a string" },
    { problem: "a number as it is not written", text: "[01]", line: 1, column: 2, says: "a value" },
    { problem: "text behind the end", text: "{} {}", line: 1, column: 4, says: "the end of the file" },
    {
      problem: "a key written twice",
      text: '{\n  "a": 1,\n  "a": 2\n}',
      line: 3,
      column: 3,
      says: '"a" is already defined',
    },
  ];

  it.each(broken)("an overlay reader rejects invalid JSON: $problem", ({ text, line, column, says }) => {
    const error = catchSpecError(() => readText(text));
    expect(error).toMatchObject({ line, column });
    expect(error.message).toContain(says);
  });
});

describe("the value of a rule", () => {
  const conversions = (rule: string, value?: unknown): string =>
    edited("2025-11-25", "/conversions", [
      { rule, at: ["Level:a"], reason: "No.", ...(value !== undefined && { value }) },
    ]);

  it.each([
    ["as", "b"],
    ["default", { a: [1] }],
    ["default", null],
  ])("the rule %s may have the value %j", (rule, value) => {
    expect(readText(conversions(rule, value)).conversions).toEqual([{ rule, value, at: ["Level:a"], reason: "No." }]);
  });

  it.each(["as", "default"])("the rule %s needs a value", (rule) => {
    expect(catchSpecError(() => readText(conversions(rule))).message).toContain("the property `value` is missing");
  });

  it("no other rule has a value", () => {
    expect(catchSpecError(() => readText(conversions("drop", 1))).message).toContain("/conversions/0 (");
    expect(catchSpecError(() => readText(conversions("drop", 1))).message).toContain(
      "must NOT be valid (only the rules as and default have a value)",
    );
  });
});

describe("the schema of overlays", () => {
  it("the schema of overlays describes every property and allows no other properties", () => {
    const open = objectsIn(JSON.parse(schema), "").filter(
      ({ node }) =>
        [node.type].flat().includes("object") &&
        isRecord(node.properties) &&
        (node.additionalProperties !== false ||
          !Object.values(node.properties).every((property) => isRecord(property) && property.description)),
    );
    expect(open.map(({ pointer }) => pointer)).toEqual([]);
  });

  it("the schema of overlays has the same structure as the type", () => {
    const source = new Project({
      compilerOptions: { strict: true, types: [], lib: ["lib.es2023.d.ts"] },
    }).addSourceFileAtPath("generator/model/overlay.ts");
    const root: unknown = JSON.parse(schema);
    expect(outlineOfSchema(root, root)).toEqual(outlineOfType(source.getInterfaceOrThrow("Overlay").getType()));
  });
});

function readSpec(path: string): string {
  return readFileSync(new URL(`../../../spec/${path}`, import.meta.url), "utf8");
}

function load(revision: string): Overlay {
  const path = `${revision}/overlay.json`;
  return readOverlay({ path: `spec/${path}`, text: readSpec(path) });
}

function readText(text: string): Overlay {
  return readOverlay({ path: "spec/some/overlay.json", text });
}

/** An overlay's text with the value at a pointer replaced, or removed when there is none. */
function edited(revision: string, pointer: string, value?: unknown): string {
  const root: unknown = JSON.parse(readSpec(`${revision}/overlay.json`));
  const keys = pointer.slice(1).split("/").map(unescapePointer);
  const last = keys.pop() ?? "";
  let holder = root;
  for (const key of keys) holder = isRecord(holder) ? holder[key] : undefined;
  if (!isRecord(holder)) throw new Error(`${pointer} leads nowhere`);
  if (value === undefined && !(last in holder)) throw new Error(`${pointer} is not there to be removed`);
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return JSON.stringify(root, null, 2);
}

function unescapePointer(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Every object of a JSON value, itself included. */
function objectsIn(value: unknown, pointer: string): { pointer: string; node: Record<string, unknown> }[] {
  if (!isRecord(value)) return [];
  const inside = Object.entries(value).flatMap(([key, child]) => objectsIn(child, `${pointer}/${key}`));
  // The parts of a condition only name properties that their parent describes.
  return /\/(if|then|else)$/.test(pointer) ? inside : [{ pointer, node: value }, ...inside];
}

function clausesOf(overlay: Overlay): string[] {
  return objectsIn(overlay, "").flatMap(({ node }) => (typeof node.clause === "string" ? [node.clause] : []));
}

function typesOf({
  methods,
  tags = [],
  integers = [],
  constraints = [],
  tolerances = [],
  nulls = [],
  minimums = [],
  reservedMeta = [],
}: Overlay) {
  const facts = Object.values(methods);
  return [
    ...facts.flatMap(({ result }) => (result === undefined ? [] : [result])),
    ...facts.flatMap(({ alternatives = [] }) => alternatives.map(({ type }) => type)),
    ...tags.flatMap(({ of }) => of),
    ...[...integers, ...tolerances, ...nulls, ...minimums].map(({ at }) => at.replace(/\..*/, "")),
    ...constraints.map(({ type }) => type),
    ...reservedMeta.map(({ type }) => type).filter((type) => /^[A-Z]/.test(type)),
  ];
}

function declares(declarations: string, type: string): boolean {
  return new RegExp(`^export (interface|type) ${type}\\b`, "m").test(declarations);
}

/** Names, nesting, optionality and closed sets of values: what a type and a JSON Schema both can say. */
type Outline = string | readonly string[] | { [name: string]: Outline };

function outlineOfType(type: Type): Outline {
  if (type.isUnknown()) return "";
  const plain = type.getNonNullableType();
  if (plain.isArray()) return { "[]": outlineOfType(plain.getArrayElementTypeOrThrow()) };
  if (plain.isReadonlyArray()) return { "[]": outlineOfType(plain.getTypeArguments()[0] ?? plain) };
  const index = plain.getStringIndexType();
  if (index) return { "{}": outlineOfType(index) };
  if (plain.isBoolean()) return "boolean";
  const members = plain.isUnion() ? plain.getUnionTypes() : [plain];
  if (members.every((member) => member.isStringLiteral()))
    return members.map((member) => String(member.getLiteralValue())).sort();
  if (!plain.isObject() && !plain.isIntersection()) return plain.getText().split(" | ").sort().join(" | ");
  return Object.fromEntries(
    plain.getProperties().map((property) => {
      const declaration = property.getValueDeclarationOrThrow();
      if (!Node.isPropertySignature(declaration)) throw new Error(`${property.getName()} is not a property`);
      const suffix = declaration.hasQuestionToken() ? "?" : "";
      return [property.getName() + suffix, outlineOfType(property.getTypeAtLocation(declaration))];
    }),
  );
}

function outlineOfSchema(node: unknown, root: unknown): Outline {
  if (!isRecord(node)) throw new Error("a schema object was expected");
  if (typeof node.$ref === "string") return outlineOfSchema(definitionOf(root, node.$ref), root);
  if (Array.isArray(node.enum)) return node.enum.map(String).sort();
  if (node.items !== undefined) return { "[]": outlineOfSchema(node.items, root) };
  if (isRecord(node.additionalProperties)) return { "{}": outlineOfSchema(node.additionalProperties, root) };
  const { properties, required } = node;
  if (!isRecord(properties))
    return [node.type].flat().join(" | ").replace("integer", "number").split(" | ").sort().join(" | ");
  const needed: unknown[] = Array.isArray(required) ? required : [];
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      needed.includes(name) ? name : `${name}?`,
      outlineOfSchema(property, root),
    ]),
  );
}

function definitionOf(root: unknown, ref: string): unknown {
  const name = ref.replace("#/$defs/", "");
  return isRecord(root) && isRecord(root.$defs) ? root.$defs[name] : undefined;
}
