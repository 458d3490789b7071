import { readFile } from "node:fs/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runModel } from "../../cli/commands/model.ts";
import type { Method, RevisionModel, Shape, UnionShape } from "../../generator/model.ts";
import { openSpecFolder } from "../../generator/read/spec-folder.ts";
import { resolveAlias, resolveObject } from "../../generator/model/resolve.ts";
import { mapDeclaration, referencesIn } from "../../generator/model/shapes.ts";

/* What the reader makes of the five pinned revisions. */

const folder = await openSpecFolder("spec");
const models = await Promise.all([...folder.pins.keys()].map((id) => folder.readModel(id)));
const committed: unknown = JSON.parse(await readFile("test/generator/methods.json", "utf8"));

afterEach(() => {
  vi.restoreAllMocks();
});

describe("declarations", () => {
  it("each revision has the expected number of declarations and constants", () => {
    expect(models.map(({ declarations }) => declarations.length)).toEqual([79, 83, 91, 145, 155]);
    const interfaces = models.map(({ declarations }) => declarations.filter(({ kind }) => kind === "interface").length);
    expect(interfaces).toEqual([66, 68, 76, 120, 128]);
    expect(models.map(({ constants }) => constants.length)).toEqual([7, 7, 7, 8, 10]);
  });

  it("each declaration has a comment", () => {
    const bare = models.flatMap(({ id, declarations }) =>
      declarations.filter(({ doc }) => !doc?.text).map(({ name }) => `${id} ${name}`),
    );
    expect(bare).toEqual([]);
  });

  it("each model has the version of its folder, not that of the constant (T2)", () => {
    expect(models.map(({ id }) => id)).toEqual([...folder.pins.keys()]);
    expect(models.map(({ declaredVersion }) => declaredVersion)).toEqual(models.map(({ id }) => id));
  });
});

describe("methods", () => {
  it("methods equal the committed table", () => {
    expect(Object.fromEntries(models.map((model) => [model.id, tableOf(model)]))).toEqual(committed);
  });

  it("each revision has the expected number of methods of each kind", () => {
    const count = (isCounted: (method: Method) => boolean): number[] =>
      models.map(({ methods }) => methods.filter(isCounted).length);
    expect(count(() => true)).toEqual([24, 24, 25, 31, 21]);
    expect(count(({ kind }) => kind !== "notification")).toEqual([15, 15, 16, 20, 13]);
    expect(count(({ kind }) => kind === "embedded")).toEqual([0, 0, 0, 0, 3]);
  });

  it("each method has a unique handler name, derived from its type", () => {
    for (const { methods } of models) {
      expect(new Set(methods.map(({ handler }) => handler)).size).toBe(methods.length);
      for (const { handler, type } of methods)
        expect(type).toMatch(
          new RegExp(`^${handler.charAt(0).toUpperCase()}${handler.slice(1)}(Request|Notification)$`),
        );
    }
  });

  it("each method has the name in the category of its type (T12)", () => {
    const strays = models.flatMap(({ methods }) =>
      methods.filter(({ name, doc }) => doc?.category !== undefined && doc.category !== `\`${name}\``),
    );
    expect(strays.map(({ type }) => type)).toEqual([]);
  });

  it("params regain the `_meta` of their base that a literal replaced (T7)", () => {
    const merged = models.map((model) =>
      model.methods.filter(({ params }) => {
        const object = params && resolveObject(params.shape, model);
        return object?.properties.some(({ name, merged }) => merged && name === "_meta");
      }),
    );
    expect(merged.map((methods) => methods.length)).toEqual([17, 17, 18, 4, 0]);
  });

  it("all messages accept `_meta` in their params (T7)", () => {
    const missing = models.flatMap((model) =>
      model.methods
        .filter(({ kind, params }) => kind !== "embedded" && params && !hasKey(params.shape, "_meta", model))
        .map(({ name }) => `${model.id} ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

describe("tags", () => {
  it("tags distinguish requests and notifications by method in 19 unions", () => {
    const byMethod = models
      .flatMap(unionsOf)
      .filter(({ union }) => union.tag?.kind === "literal" && union.tag.property === "method");
    expect(byMethod).toHaveLength(19);
    const ambiguous = byMethod.filter(
      ({ union }) => union.tag?.kind === "literal" && union.tag.cases.some(({ members }) => members.length > 1),
    );
    expect(ambiguous).toEqual([]);
  });

  it("tags are missing only for unions of results and for unions without a distinguishing member (T14)", () => {
    const untagged = models.flatMap((model) => unionsOf(model).filter(({ union }) => !union.tag));
    expect(untagged.map(({ at }) => at)).toEqual([
      "2024-11-05 ClientResult",
      "2024-11-05 ServerResult",
      "2025-03-26 ClientResult",
      "2025-03-26 ServerResult",
      "2025-06-18 ClientResult",
      "2025-06-18 ServerResult",
      "2025-11-25 SingleSelectEnumSchema",
      "2025-11-25 MultiSelectEnumSchema",
      "2025-11-25 ClientResult",
      "2025-11-25 ServerResult",
      "2026-07-28 SingleSelectEnumSchema",
      "2026-07-28 MultiSelectEnumSchema",
      "2026-07-28 ServerResult",
    ]);
  });

  const tagged: readonly { at: string; tag: UnionShape["tag"] }[] = [
    {
      at: "2025-11-25 ElicitRequestParams",
      tag: {
        kind: "literal",
        property: "mode",
        cases: [
          { value: "form", members: [0] },
          { value: "url", members: [1] },
        ],
        absent: [0],
      },
    },
    {
      at: "2025-06-18 PrimitiveSchemaDefinition",
      tag: {
        kind: "literal",
        property: "type",
        cases: [
          { value: "string", members: [0, 3] },
          { value: "number", members: [1] },
          { value: "integer", members: [1] },
          { value: "boolean", members: [2] },
        ],
      },
    },
    {
      at: "2024-11-05 EmbeddedResource",
      tag: {
        kind: "presence",
        cases: [
          { keys: ["text"], member: 0 },
          { keys: ["blob"], member: 1 },
        ],
      },
    },
    {
      at: "2026-07-28 CallToolResultResponse",
      tag: {
        kind: "literal",
        property: "resultType",
        cases: [{ value: "input_required", members: [1] }],
        otherwise: 0,
      },
    },
    {
      at: "2025-11-25 JSONRPCMessage",
      tag: {
        kind: "presence",
        cases: [
          { keys: ["method", "id"], member: 0 },
          { keys: ["method"], member: 1 },
          { keys: ["result"], member: 2 },
          { keys: ["error"], member: 2 },
        ],
      },
    },
  ];

  it.each(tagged)("tags select the member of $at", ({ at, tag }) => {
    const unions = models.flatMap(unionsOf).filter((candidate) => candidate.at === at);
    expect(unions.map(({ union }) => union.tag)).toEqual([tag]);
  });
});

describe("the command `model`", () => {
  it.each(models)("`model` prints $id as JSON that equals the model", async (model) => {
    const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    expect(await runModel({ revision: model.id, spec: "spec" })).toBe(0);
    const text = output.mock.calls.map(([chunk]) => String(chunk)).join("");
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(model)));
    expect(JSON.parse(text)).toEqual(model);
  });

  it("`model` names the available revisions for an unknown one", async () => {
    const output = vi.spyOn(console, "error").mockImplementation(() => undefined);
    expect(await runModel({ revision: "2020-01-01", spec: "spec" })).toBe(2);
    const ids = [...folder.pins.keys()].join(", ");
    expect(output.mock.calls).toEqual([
      [`create-mcp-server: spec/pins.json: unknown revision \`2020-01-01\`; choose one of ${ids}`],
    ]);
  });
});

interface NamedUnion {
  readonly at: string;
  readonly union: UnionShape;
}

/** Every union of which each member is an object or such a union. */
function unionsOf(model: RevisionModel): NamedUnion[] {
  const found: NamedUnion[] = [];
  const isObject = (shape: Shape): boolean =>
    resolveAlias(shape, model).kind === "union" || resolveObject(shape, model) !== undefined;
  for (const declaration of model.declarations) {
    mapDeclaration(declaration, (shape) => {
      if (shape.kind === "union" && shape.of.every(isObject))
        found.push({ at: `${model.id} ${declaration.name}`, union: shape });
      return shape;
    });
  }
  return found;
}

function hasKey(shape: Shape, key: string, model: RevisionModel): boolean {
  const target = resolveAlias(shape, model);
  if (target.kind === "union") return target.of.every((member) => hasKey(member, key, model));
  return resolveObject(target, model)?.properties.some(({ name }) => name === key) ?? false;
}

function tableOf({ methods }: RevisionModel): object {
  return Object.fromEntries(methods.map((method) => [method.name, rowOf(method)]));
}

function rowOf({ kind, senders, params, result, alternatives, gates }: Method): object {
  const optional = params?.optional ? "optional " : "";
  return {
    kind,
    senders,
    params: params ? optional + textOf(params.shape) : "none",
    ...(result && { result: textOf(result) }),
    ...(alternatives.length > 0 && {
      alternatives: alternatives.map(({ type, whenParam, mark }) => `${type} for ${whenParam}, known by ${mark}`),
    }),
    ...(Object.keys(gates).length > 0 && {
      gates: Object.fromEntries(
        Object.entries(gates).map(([sender, { side, path }]) => [sender, `${side}: ${path.join(".")}`]),
      ),
    }),
  };
}

/** Names of types, or of the properties written inline. */
function textOf(shape: Shape): string {
  if (shape.kind !== "object") return referencesIn(shape).join(" | ");
  const keys = shape.properties.map(({ name, optional }) => `${name}${optional ? "?" : ""}`);
  return `{ ${[...keys, ...(shape.index ? ["..."] : [])].join(", ")} }`;
}
