import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { compareTree, driftText, type Tree } from "../../generator/internal/tree.ts";
import { emitTree } from "../../generator/generate.ts";
import type { Constant, Declaration, Shape } from "../../generator/model.ts";
import { openSpecFolder } from "../../generator/read/spec-folder.ts";
import { mapDeclaration } from "../../generator/model/shapes.ts";
import { temporaryFolder } from "../kit/temporary-folders.ts";
import { copyGoldenSpec } from "./golden-spec.ts";

/*
 * An invented protocol with every construct of a schema and every entry of an overlay, its older revision with conversions, an extension, and all that
 * is generated from them.
 * Read the expected files when they change: UPDATE_GOLDEN=1 npx vitest run --config test/vitest.config.ts test/golden
 */
const expected = "test/golden/expected";

describe("the golden spec", () => {
  it("the golden spec emits the committed files, and the support file of the templates", async () => {
    const tree = await emitTree({ spec: await copyGoldenSpec(temporaryFolder()) });
    const files: Tree = new Map([...tree].filter(([path]) => path !== "support.ts"));
    if (process.env.UPDATE_GOLDEN === "1") await update(files);
    expect((await compareTree(expected, files)).map(driftText)).toEqual([]);
    expect(tree.get("support.ts")).toBe(await readFile("templates/support.ts", "utf8"));
  });

  it("the golden spec has every kind of shape, declaration, tag and method", async () => {
    const { declarations, constants, methods } = await (
      await openSpecFolder(await copyGoldenSpec(temporaryFolder()))
    ).readModel("2001-01-01");
    const seen = featuresOf(declarations, constants);
    for (const { kind, senders, alternatives } of methods)
      seen.add(`${kind} of ${senders.join(" and ")}${alternatives.length > 0 ? " with alternatives" : ""}`);
    expect([...seen].sort()).toEqual(
      [
        "absentMeans",
        "alias",
        "anyObject",
        "array",
        "array with maxItems",
        "array with minItems",
        "boolean",
        "constraint atLeastOne",
        "constraint exclusive",
        "doc category",
        "doc deprecated",
        "doc internal",
        "doc see",
        "doc tags",
        "embedded of server",
        "interface",
        "interface with 0 bases",
        "interface with 1 bases",
        "interface with 2 bases",
        "intersection",
        "literal boolean",
        "literal number",
        "literal of a constant",
        "literal string",
        "merged",
        "notification of client",
        "notification of server",
        "never",
        "null",
        "number",
        "number with fractional",
        "number with integer",
        "number with maximum",
        "number with minimum",
        "number constant",
        "object",
        "object with an index",
        "object with properties and an index",
        "omit",
        "optional",
        "quoted name",
        "reference",
        "request of client",
        "request of client and server",
        "request of client with alternatives",
        "string",
        "string constant",
        "string with format",
        "string with maxLength",
        "string with minLength",
        "union",
        "union tagged by literal",
        "union tagged by presence",
        "union with nullable",
        "union with open",
        "unknown",
        "unknown with any",
      ].sort(),
    );
  });
});

async function update(files: Tree): Promise<void> {
  await rm(expected, { recursive: true, force: true });
  for (const [path, text] of files) await write(join(expected, path), text);
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Returns the constructs that a model uses, as text. */
function featuresOf(declarations: readonly Declaration[], constants: readonly Constant[]): Set<string> {
  const seen = new Set(constants.map(({ value }) => `${typeof value} constant`));
  for (const declaration of declarations) {
    seen.add(declaration.kind);
    if (declaration.kind === "interface") seen.add(`interface with ${declaration.extends.length} bases`);
    for (const base of declaration.extends) seen.add(base.kind);
    for (const { rule } of declaration.constraints ?? []) seen.add(`constraint ${rule}`);
    for (const key of Object.keys(declaration.doc ?? {})) if (key !== "text") seen.add(`doc ${key}`);
    mapDeclaration(declaration, (shape) => {
      for (const feature of featuresIn(shape)) seen.add(feature);
      return shape;
    });
  }
  return seen;
}

function featuresIn(shape: Shape): string[] {
  switch (shape.kind) {
    case "literal":
      return [shape.constant === undefined ? `literal ${typeof shape.value}` : "literal of a constant"];
    case "object": {
      const names = shape.properties.filter(({ name }) => !/^\w+$/.test(name)).map(() => "quoted name");
      const marks = shape.properties.flatMap(({ optional, absentMeans, merged }) => [
        ...(optional ? ["optional"] : []),
        ...(absentMeans === undefined ? [] : ["absentMeans"]),
        ...(merged ? ["merged"] : []),
      ]);
      const index = shape.properties.length > 0 ? "object with properties and an index" : "object with an index";
      return ["object", ...names, ...marks, ...(shape.index ? [index] : [])];
    }
    case "string":
    case "number":
    case "unknown":
    case "array":
    case "union": {
      const own = Object.keys(shape).filter((key) => !["kind", "of", "items", "tag"].includes(key));
      const tag = shape.kind === "union" && shape.tag ? [`union tagged by ${shape.tag.kind}`] : [];
      return [shape.kind, ...own.map((key) => `${shape.kind} with ${key}`), ...tag];
    }
    default:
      return [shape.kind];
  }
}
