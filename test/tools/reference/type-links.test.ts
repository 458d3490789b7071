import { describe, expect, test } from "vitest";
import { typeLinks } from "../../../tools/reference/type-links.ts";
import { readSchema } from "../../../generator/read/schema.ts";

/** Returns the type `A` of a schema as the pages show it. `Named` has a section. */
function shown(type: string): string | undefined {
  const { declarations } = readSchema("a.ts", `export interface Named {}\nexport type A = ${type};`);
  const shape = declarations.find(({ name }) => name === "A")?.shape;
  return shape && typeLinks(shape, (name) => (name === "Named" ? "#named" : undefined));
}

describe("types on pages", () => {
  test.each([
    ["a list", "Named[]", "[`Named`](#named)`[]`"],
    ["a tuple", "[string, Named?, ...1[]]", "`[string,` [`Named`](#named)`?, ...1[]]`"],
    ["a closed tuple", "[1 | 2, (1 | 2)?]", "`[1 \\| 2, (1 \\| 2)?]`"],
    ["a template", "`data:${string}`", "`` `data:${string}` ``"],
  ])("a type is shown: %s", (_what, type, text) => {
    expect(shown(type)).toBe(text);
  });
});
