import { describe, expect, test } from "vitest";
import { formatTypeScript } from "../../../generator/internal/format.ts";
import { mergeSource } from "../../../generator/openapi/merge-source.ts";
import { hashParts, readParts } from "../../../generator/openapi/source-parts.ts";

const format = (text: string): Promise<string> => formatTypeScript(text, { collapses: true });

interface Texts {
  /** Text that was generated before. */
  readonly before: string;
  readonly edited: string;
  readonly generated: string;
}

async function merge({ before, edited, generated }: Texts) {
  const hashes = hashParts(readParts("a.ts", await format(before)));
  const texts = { edited: await format(edited), generated: await format(generated) };
  return mergeSource({ path: "a.ts", ...texts, hashes });
}

const tool = (input: string, execute: string): string => `import { callApi } from "../api.ts";
import { defineTool } from "../mcp/index.ts";

/** GET /pets */
export const listTool = defineTool({ name: "list", inputSchema: ${input}, execute: ${execute} });
`;

const call = 'args => callApi({ path: "/pets", query: { limit: args.limit } })';
const own = 'async args => (await callApi({ path: "/pets" })).slice(0, args.limit)';

describe("an edited file is merged with its newly generated text", () => {
  test("an edited member of a definition stays, and the others are replaced", async () => {
    const texts = { before: tool("a", call), edited: tool("a", own), generated: tool("b", call) };
    const { text, kept, conflicts } = await merge(texts);
    expect(text).toBe(await format(tool("b", own)));
    expect({ kept, conflicts }).toEqual({ kept: ["listTool.execute"], conflicts: [] });
  });

  test("a member that was edited and whose generated text changed stays, and is a conflict", async () => {
    const changed = call.replace("/pets", "/animals");
    const texts = { before: tool("a", call), edited: tool("a", own), generated: tool("a", changed) };
    const { text, conflicts } = await merge(texts);
    expect(text).toContain("slice(0, args.limit)");
    expect(conflicts).toEqual(["listTool.execute"]);
  });

  test.each([
    {
      rule: "an added function stays after the statement before it",
      before: "a(); b();",
      edited: "a(); function mine() {} b();",
      generated: "a(2); b();",
      merged: "a(2); function mine() {} b();",
    },
    {
      rule: "an added statement at the beginning stays",
      before: "a();",
      edited: "const mine = 1; a();",
      generated: "a();",
      merged: "const mine = 1; a();",
    },
    {
      rule: "a statement that is generated no longer is removed",
      before: "f(); g();",
      edited: "f(); g(); mine();",
      generated: "f();",
      merged: "f(); mine();",
    },
  ])("$rule", async ({ merged, ...texts }) => {
    const { text } = await merge(texts);
    expect(text.replaceAll(/\n+/g, "\n")).toBe((await format(merged)).replaceAll(/\n+/g, "\n"));
  });

  test("an edited member of a definition whose name is generated no longer stays", async () => {
    const generated = tool("a", call).replaceAll("listTool", "findTool");
    const { text, kept } = await merge({ before: tool("a", call), edited: tool("a", own), generated });
    expect(text).toContain("slice(0, args.limit)");
    expect(text).toContain("findTool");
    expect(kept).toEqual(["listTool.execute"]);
  });

  test("a definition whose name is generated no longer is removed if no member was edited", async () => {
    const generated = tool("a", call).replaceAll("listTool", "findTool");
    const edited = `${tool("a", call)}\nexport const mine = 1;`;
    const { text, kept } = await merge({ before: tool("a", call), edited, generated });
    expect(text).not.toContain("listTool");
    expect(kept).toEqual([]);
  });

  test("edits stay when only the case of the generated names changes", async () => {
    const named = (id: string, execute: string, note = "GET /pets"): string =>
      `export type ${id}Result = string[];\n\n/** ${note} */\nexport const get${id}Tool = defineTool({ name: "get${id}", execute: ${execute} });`;
    const { text, kept } = await merge({
      before: named("PetByID", "() => callApi<PetByIDResult>()"),
      edited: named("PetByID", "() => [...mine<PetByIDResult>()]", "Mine."),
      generated: named("PetById", "() => callApi<PetByIdResult>()"),
    });
    expect(text).toBe(await format(named("PetById", "() => [...mine<PetByIdResult>()]", "Mine.")));
    expect(kept).toEqual(["getPetByIdTool", "getPetByIdTool.execute"]);
  });

  test("variables and types are renamed, and members, texts and comments keep their names", async () => {
    const named = (id: string): string => `export type ${id}Result = string;\nexport const get${id} = () => {};`;
    const own = (id: string, tool: string): string =>
      `// PetByIDResult
export interface Own { PetByIDResult: ${id}Result; getPetByID(): void }
export type Other = ns.PetByIDResult | ns["PetByIDResult"];
export const own = { PetByIDResult: 1, ${tool}, getPetByID() {}, ...get${id} };
own.PetByIDResult = get${id}("PetByIDResult");`;
    const { text } = await merge({
      before: named("PetByID"),
      edited: `${named("PetByID")}\n${own("PetByID", "getPetByID")}`,
      generated: named("PetById"),
    });
    const merged = `${named("PetById")}\n${own("PetById", "getPetByID: getPetById")}`;
    expect(text.replaceAll(/\n+/g, "\n")).toBe((await format(merged)).replaceAll(/\n+/g, "\n"));
  });

  test("a removed statement stays removed, and a new one is added", async () => {
    const parts = (names: readonly string[]): string => names.map((name) => `export function ${name}() {}`).join("\n");
    const texts = { before: parts(["a", "b"]), edited: parts(["b"]), generated: parts(["a", "b", "c"]) };
    const { text, kept } = await merge(texts);
    expect(text).toBe(await format("export function b() {}\nexport function c() {}"));
    expect(kept).toEqual(["a (removed)"]);
  });

  test("imports are those that the merged text uses, of both files", async () => {
    const before = 'import { a, type B } from "./x.ts";\nexport const one: B = a();';
    const edited =
      'import { a, type B } from "./x.ts";\nimport { mine } from "./own.ts";\nexport const one: B = mine(a());';
    const generated = 'import { c } from "./x.ts";\nexport const one = 2;\nexport const two = c;';
    const { text } = await merge({ before, edited, generated });
    expect(text).toBe(
      await format(
        'import { a, type B, c } from "./x.ts";\nimport { mine } from "./own.ts";\n\nexport const one: B = mine(a());\nexport const two = c;',
      ),
    );
  });

  test("a name that the edited text imports from another module is imported once, from there", async () => {
    const text = (module: string, input: string): string => tool(input, call).replace("../api.ts", module);
    const texts = { before: tool("a", call), edited: text("../my-api.ts", "a"), generated: tool("b", call) };
    expect((await merge(texts)).text).toBe(await format(text("../my-api.ts", "b")));
  });

  test("comments and other imports stay", async () => {
    const before = 'import { a } from "./x.ts";\n\na();';
    const edited =
      '// Licence.\nimport { a } from "./x.ts";\nimport "./own.ts";\n\n// Mine.\na(); // here\n\n// The end.';
    const { text } = await merge({ before, edited, generated: 'import { a } from "./x.ts";\n\na(1);\n\nb();' });
    for (const part of ["// Licence.", 'import "./own.ts";', "// Mine.", "// here", "// The end.", "b();"])
      expect(text).toContain(part);
  });

  test("a name that is used only after a spread is imported", async () => {
    const file = (value: string): string => `import { toDeep } from "./api.ts";\n\na(${value}, { ...toDeep(1) });\n`;
    const texts = { before: file("1"), edited: `${file("1")}\n\nmine();\n`, generated: file("2") };
    expect((await merge(texts)).text).toBe(await format(`${file("2")}\nmine();\n`));
  });

  test("imports keep their comments and attributes", async () => {
    const before = 'import { a } from "./x.ts";\n\na();';
    const own = (call: string): string => `import { a } from "./x.ts"; // The first.
import config from "./config.json" with { type: "json" };
// The second.
import { b } from "./b.json" with { type: "json" };
import { c } from "./b.json"; // The third.

a(${call});

mine(b, c, config);
`;
    const { text } = await merge({ before, edited: own(""), generated: before.replace("a()", "a(1)") });
    for (const line of own("1").split("\n")) expect(text.split("\n")).toContain(line);
    expect(text).toContain("// The first.\n// The second.\nimport");
  });

  test("an import of the generated text goes to that of the edited text, with its comment", async () => {
    const before = 'import { a } from "./x.ts";\n\na();';
    const edited = 'import { mine } from "./own.ts";\n// Shared.\nimport { a } from "./x.ts";\n\na();\n\nmine();';
    const { text } = await merge({ before, edited, generated: 'import { a, b } from "./x.ts";\n\na(b);' });
    expect(text).toBe(await format(edited.replace("{ a }", "{ a, b }").replace("a()", "a(b)")));
  });

  test.each(["constructor", "__proto__", "toString"])("a statement and a member can be named %s", async (name) => {
    const definition = (value: string): string =>
      `export function ${name}() {}\nexport const it = defineTool({ ["${name}"]: 1, ${name}: ${value}, more: 2 });`;
    const texts = { before: definition("1"), edited: definition("3"), generated: definition("1") };
    const { text, kept } = await merge(texts);
    expect(text).toBe(await format(definition("3")));
    expect(kept).toEqual([`it.${name}`]);
  });

  test("comments of members stay with them", async () => {
    const before = "export const it = defineTool({ a: 1, b: 2 });";
    const edited = "export const it = defineTool({\n  // First.\n  a: 1, // one\n  b: 3,\n  // Last.\n});";
    const { text } = await merge({ before, edited, generated: "export const it = defineTool({ a: 1, b: 2, c: 4 });" });
    for (const part of ["  // First.", "a: 1, // one", "b: 3", "// Last.", "c: 4"]) expect(text).toContain(part);
  });

  test("a comment above a member stays on its own line", async () => {
    const edited = "export const it = defineTool({\n  a: 1,\n  // Mine.\n  b: 3,\n});\n";
    const [before, generated] = [1, 2].map((a) => `export const it = defineTool({ a: ${a}, b: 2 });`);
    expect((await merge({ before: `${before}`, edited, generated: `${generated}` })).text).toBe(
      edited.replace("a: 1", "a: 2"),
    );
  });
});
