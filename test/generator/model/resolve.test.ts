import { describe, expect, it } from "vitest";
import type { Shape } from "../../../generator/model.ts";
import { readSchema } from "../../../generator/read/schema.ts";
import { declarationsByName, findRecursive, resolveAlias, resolveObject } from "../../../generator/model/resolve.ts";

/** Properties of a declaration as text: `name` or `name?`, with the kind of its shape. */
function flat(text: string, name: string): string[] | undefined {
  const object = resolveObject({ kind: "reference", name }, readSchema("test.ts", text));
  return object?.properties.map(
    (property) => `${property.name}${property.optional ? "?" : ""} ${kindOf(property.shape)}`,
  );
}

function kindOf(shape: Shape): string {
  if (shape.kind === "reference") return shape.name;
  return shape.kind === "literal" ? JSON.stringify(shape.value) : shape.kind;
}

describe("resolveObject", () => {
  it.each([
    [
      "`resolveObject` puts base properties first and replaces redeclared ones in place with their optionality",
      `export interface Base { a?: string; b: number }
       export interface X extends Base { c: boolean; a: "fixed" }`,
      [`a "fixed"`, "b number", "c boolean"],
    ],
    [
      "`resolveObject` includes a property once that it inherits from two bases",
      `export interface Top { a: string } export interface L extends Top { l: string } export interface R extends Top { r: string }
       export interface X extends L, R {}`,
      ["a string", "l string", "r string"],
    ],
    [
      "`resolveObject` supports a base that is an alias and a base with omitted keys",
      `export type Open = Record<string, unknown>; export interface Base { a: string; b: string }
       export interface X extends Open, Omit<Base, "a"> { c: string }`,
      ["b string", "c string"],
    ],
    [
      "`resolveObject` merges intersections: the narrower shape and `required` take precedence",
      `export interface Base { code: number; data?: unknown; text: string }
       export type X = Base & { code: 7; data: { a: string } }`,
      ["code 7", "data object", "text string"],
    ],
    [
      "`resolveObject` merges equal types of two bases, wherever they are written",
      `export interface A { a: number; b?: string[]; c: string | number }
       export interface B { a: number; /** Texts. */ b?: string[]; c: string | number }
       export interface X extends A, B {}`,
      ["a number", "b? array", "c union"],
    ],
    [
      "`resolveObject` compares the targets of aliases, the members of unions and the bounds of numbers",
      `export type Cursor = string; export type Role = "user" | "assistant";
       export interface A { a?: Cursor; b: Role; c: string | number;
         /** @minimum 0 */
         d: number }
       export type X = A & { a?: string; b: "user"; c: Role;
         /** @minimum 1 */
         d: number }`,
      ["a? Cursor", `b "user"`, "c Role", "d number"],
    ],
    [
      "`resolveObject` keeps both shapes when neither is clearly narrower",
      `export interface A { a: string } export interface B { b: string }
       export type X = { m: A } & { m: B }`,
      ["m intersection"],
    ],
    [
      "`resolveObject` finds names of Object.prototype only when they are declared",
      `export interface X { constructor: string }`,
      ["constructor string"],
    ],
  ])("%s", (_, text, expected) => {
    expect(flat(text, "X")).toEqual(expected);
  });

  it("`resolveObject` merges the index of an inherited map with the named properties", () => {
    const schema = readSchema(
      "test.ts",
      `export interface Base { [key: string]: unknown } export interface X extends Base { a: string }`,
    );
    expect(resolveObject({ kind: "reference", name: "X" }, schema)?.index).toEqual({ kind: "unknown" });
  });

  it.each([
    ["a union", `export type X = { a: string } | { b: string };`],
    ["a string", `export type X = string;`],
  ])("`resolveObject` returns undefined for %s", (_, text) => {
    expect(flat(text, "X")).toBeUndefined();
  });

  it.each([
    [
      "circular inheritance",
      `export interface X extends Y {} export interface Y extends X {}`,
      /defined by itself \(X -> Y -> X\)/,
    ],
    [
      "an intersection with a string",
      `export type X = { a: string } & string;`,
      /`X` has an intersection of something that is not an object/,
    ],
    [
      "a base that is not an object",
      `export type Y = string; export interface X extends Y {}`,
      /`X` extends something that is not an object/,
    ],
  ])("`resolveObject` rejects %s", (_, text, message) => {
    expect(() => flat(text, "X")).toThrow(message);
  });
});

describe("resolveAlias", () => {
  const schema = readSchema(
    "test.ts",
    `export type A = B; export type B = string; export type C = D; export interface D extends E { d: string } export interface E { e: string }`,
  );

  it("`resolveAlias` follows references to the first other shape", () => {
    expect(resolveAlias({ kind: "reference", name: "A" }, schema)).toEqual({ kind: "string" });
  });

  it("`resolveAlias` returns an interface with all inherited members", () => {
    expect(resolveAlias({ kind: "reference", name: "C" }, schema)).toMatchObject({
      properties: [{ name: "e" }, { name: "d" }],
    });
  });

  it("`resolveAlias` rejects a name that is not declared", () => {
    expect(() => resolveAlias({ kind: "reference", name: "toString" }, schema)).toThrow(
      /toString is referenced but not declared/,
    );
  });
});

it("`findRecursive` returns only the declarations in a circle of references", () => {
  const text = `export type Value = string | List; export type List = Value[]; export interface User { value: Value }`;
  expect([...findRecursive(readSchema("test.ts", text))]).toEqual(["Value", "List"]);
});

it("`declarationsByName` does not return members of Object.prototype", () => {
  expect(declarationsByName({ declarations: [] }).get("constructor")).toBeUndefined();
});
