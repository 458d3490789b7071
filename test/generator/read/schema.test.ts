import { describe, expect, it } from "vitest";
import type { Declaration, Shape } from "../../../generator/model.ts";
import { readSchema } from "../../../generator/read/schema.ts";
import { catchSpecError } from "./spec-error.ts";

interface Rejected {
  readonly what: string;
  readonly text: string;
  /** `line:column`; a problem of the whole file has none. */
  readonly at?: string;
  readonly says: RegExp | string;
}

const deep = 200_000;

const statements: readonly Rejected[] = [
  { what: "an enum without members", text: "export enum A {}", at: "1:1", says: "enum with members" },
  {
    what: "an enum of computed values",
    text: "export enum A { B = 1 << 2 }",
    at: "1:17",
    says: "a string or a number",
  },
  {
    what: "an enum that goes on after a text",
    text: "export enum A { B = 'b', C }",
    at: "1:26",
    says: "a string or a number",
  },
  { what: "an enum in parts", text: "export enum A { B }\nexport enum A { C = 1 }", at: "2:1", says: "declared twice" },
  {
    what: "a member that an enum lacks",
    text: "export enum A { B }\nexport type C = A.D;",
    at: "1:1",
    says: "no member `D`",
  },
  { what: "a class", text: "export class A {}", at: "1:1", says: "ClassDeclaration" },
  { what: "a function", text: "export function f(): void;", at: "1:1", says: "FunctionDeclaration" },
  {
    what: "an import",
    text: 'import { x } from "y";',
    at: "1:1",
    says: /`create-mcp-server pin` joins.* ImportDeclaration/,
  },
  { what: "an export of names", text: "export { A as B };", at: "1:1", says: "`create-mcp-server pin` joins" },
  { what: "a re-export", text: 'export * from "./x";', at: "1:1", says: "`create-mcp-server pin` joins" },
  {
    what: "a namespace with a value",
    text: "namespace N { export const A = 1; }",
    at: "1:15",
    says: "expected an interface",
  },
  { what: "an ambient module", text: 'declare module "x" {}', at: "1:16", says: "expected `namespace Name" },
  { what: "a statement that runs", text: "export type A = string;\nalert(1);", at: "2:1", says: "ExpressionStatement" },
  { what: "a default export", text: "export default interface A {}", at: "1:1", says: "no modifier but `export`" },
  { what: "a variable", text: "export let a = 1;", at: "1:1", says: "export const NAME = literal" },
  { what: "two constants in one", text: "export const A = 1, B = 2;", at: "1:1", says: "export const NAME = literal" },
  { what: "a computed constant", text: "export const A = 1 + 1;", at: "1:18", says: "expected a string, a number" },
  { what: "an infinite constant", text: "export const A = 1e999;", at: "1:18", says: "expected a string, a number" },
  { what: "an annotated constant", text: "export const A: number = 1;", at: "1:14", says: "without a type annotation" },
  { what: "a constant in small letters", text: 'export const a = "b";', at: "1:1", says: "plain name" },
  { what: "a constant list that may change", text: "export const A = ['a'];", at: "1:18", says: "`as const`" },
  { what: "a constant list of names", text: "export const A = [B] as const;", at: "1:18", says: "`as const`" },
  {
    what: "a constant object with a prototype",
    text: "const a = { __proto__: 1 } as const;",
    at: "1:11",
    says: "`as const`",
  },
  { what: "only generic types", text: "export type A<T> = T[];", says: "no exported declarations" },
  {
    what: "a generic type without a type for its parameter",
    text: "export type A<T> = T[];\nexport type B = A;",
    at: "2:17",
    says: "type parameter `T` without a type",
  },
  {
    what: "a generic type with too many types",
    text: "export type A<T> = T[];\nexport type B = A<1, 2>;",
    at: "2:17",
    says: "fewer type parameters",
  },
  {
    what: "a type with types",
    text: "export type A = 1;\nexport type B = A<1>;",
    at: "2:17",
    says: "fewer type parameters",
  },
  {
    what: "a generic interface in parts",
    text: "interface A<T> { x: T }\ninterface A<T> { y: T }",
    at: "2:1",
    says: "declared twice",
  },
  {
    what: "a generic type that contains itself with larger types",
    text: "export interface A<T> { value: T; more?: A<T[]>[] }\nexport type B = A<1>;",
    at: "1:42",
    says: "`A` contains itself with ever larger types; write its own type parameters: TypeReference `A<T[]>`",
  },
  {
    what: "generic types that contain each other with larger types",
    text: "type A<T> = { a?: B<T> };\ntype B<T> = { b?: A<{ x: T }> };\nexport type C = A<1>;",
    at: "2:19",
    says: "contains itself with ever larger types",
  },
  {
    what: "a generic alias of itself",
    text: "type A<T> = A<T>;\nexport type B = A<1>;",
    at: "1:1",
    says: "`A2` is defined by itself (A2 -> A2)",
  },
  {
    what: "a generic interface that extends itself",
    text: "interface A<T> extends A<T> { x: T }\nexport type B = A<string>;",
    at: "1:1",
    says: "`AOfString` is defined by itself",
  },
  {
    what: "generic types that multiply",
    text: `type A0<T> = [T, T];\n${multiplying(30)}export type B = A30<1>;`,
    at: "19:19",
    says: "more than 20000 parts",
  },
  {
    what: "an alias named like an interface",
    text: "export interface A {}\nexport type A = 1;",
    at: "2:1",
    says: "`A` is declared twice",
  },
  {
    what: "merged interfaces that contradict each other",
    text: "export interface A { x: 1 }\nexport interface A { x: 2 }",
    at: "2:22",
    says: "`x` has two types",
  },
  {
    what: "merged interfaces of which one has an optional property",
    text: "export interface A { x: 1 }\nexport interface A { x?: 1 }",
    at: "2:22",
    says: "`x` has two types",
  },
  {
    what: "a type named like a constant",
    text: "export const A = 1;\nexport type A = 1;",
    at: "2:1",
    says: "declared twice",
  },
  { what: "a type named in small letters", text: "export type string = 1;", at: "1:1", says: "capital" },
  { what: "a type that hides a built-in one", text: "export interface Omit {}", at: "1:1", says: "plain name" },
  { what: "a name with a letter of another script", text: "export type Ärger = 1;", at: "1:1", says: "plain name" },
];

const members: readonly Rejected[] = [
  { what: "a static property", text: "export interface A { static x: string }", at: "1:22", says: "no modifier but" },
  { what: "a method", text: "export interface A {\n  m(): void;\n}", at: "2:3", says: "MethodSignature" },
  { what: "a call signature", text: "export interface A { (): void }", at: "1:22", says: "CallSignature" },
  { what: "a constructor", text: "export interface A { new (): A }", at: "1:22", says: "ConstructSignature" },
  { what: "a getter", text: "export interface A { get x(): string }", at: "1:22", says: "GetAccessor" },
  {
    what: "a property twice",
    text: "export interface A { x: string; 'x': string }",
    at: "1:33",
    says: "`x` is declared twice",
  },
  {
    what: "a required property that another base excludes",
    text: "export type A = B & C;\nexport interface B { x: 1 }\nexport interface C { x?: never }",
    at: "1:1",
    says: "contradicting types of `x`",
  },
  {
    what: "an interface that lacks a picked member",
    text: "export interface A { x: 1 }\nexport type B = Pick<A, 'y'>;",
    at: "2:17",
    says: "no member `y`",
  },
  {
    what: "Pick of something that is no object",
    text: "export type A = Pick<string, 'length'>;",
    at: "1:17",
    says: "the type of an object",
  },
  {
    what: "members that need each other",
    text: "export interface A { x: B['y'] }\nexport interface B { y: A['x'] }",
    at: "1:22",
    says: "`A.x` is defined by itself",
  },
  {
    what: "a chain of members of one type",
    text: `export interface A { ${Array.from({ length: 5_000 }, (_, at) => `x${at}: A["x${at + 1}"];`).join(" ")} x5000: 1 }`,
    at: "1:168",
    says: "`A.x11` needs more than 10 other members",
  },
  {
    what: "an open type that lacks a member",
    text: "export interface A { x: A['y'] }",
    at: "1:1",
    says: "`A` is defined by itself (A -> A)",
  },
  {
    what: "a member of itself in a generic type",
    text: "interface A<T> { x: A<T>['x'] }\nexport type B = A<1>;",
    at: "1:18",
    says: "`A2.x` is defined by itself",
  },
  { what: "a chain of members", text: needing(30), at: "21:1", says: "needs more than 20 types" },
  {
    what: "types that nest through members of others",
    text: needing(18, 40),
    at: "9:34",
    says: "more than 200 types inside each other",
  },
  {
    what: "a member that an object lacks",
    text: "export type A = { x: 1 }['y'];",
    at: "1:17",
    says: "no such member",
  },
  { what: "an item that a tuple lacks", text: "export type A = [1][1];", at: "1:17", says: "no such item" },
  { what: "a list of undefined", text: "export type A = (1 | undefined)[];", at: "1:17", says: "no `undefined`" },
  { what: "a rest before other items", text: "export type A = [...1[], 2];", at: "1:17", says: "must come last" },
  { what: "a rest of one value", text: "export type A = [...1];", at: "1:18", says: "must be a list" },
  {
    what: "a mapped type with other names",
    text: "export type A = { [K in 'a' as 'b']: 1 };",
    at: "1:17",
    says: "[Key in Keys]",
  },
  {
    what: "a mapped type over numbers",
    text: "export type A = { [K in number]: 1 };",
    at: "1:25",
    says: "string literals",
  },
  {
    what: "a mapped prototype",
    text: "export type A = { [K in '__proto__']: 1 };",
    at: "1:25",
    says: "cannot be checked",
  },
  { what: "a template with numbers", text: "export type A = `a${number}`;", at: "1:21", says: "inside a template" },
  {
    what: "a template of too many texts",
    text: `type D = ${Array.from({ length: 32 }, (_, at) => `"${at}"`).join(" | ")};\nexport type A = \`\${D}\${D}\`;`,
    at: "2:17",
    says: "more than 1000 texts",
  },
  { what: "a text that is two texts", text: "export type A = 'a' & 'b';", at: "1:17", says: "no value has all" },
  { what: "a property without a type", text: "export interface A { x }", at: "1:22", says: "expected a type" },
  { what: "a property with a value", text: "export interface A { x: string = 'a' }", at: "1:22", says: "has no value" },
  {
    what: "a numeric property name",
    text: "export interface A { 1: string }",
    at: "1:22",
    says: "plain property name",
  },
  {
    what: "a computed property name",
    text: "export interface A { ['x']: string }",
    at: "1:22",
    says: "plain property name",
  },
  {
    what: "a property called __proto__",
    text: "export interface A { __proto__: A }",
    at: "1:22",
    says: "cannot be checked",
  },
  { what: "an index by number", text: "export interface A { [k: number]: 1 }", at: "1:22", says: "string keys" },
  {
    what: "an index by two keys",
    text: "export interface A { [k: string, l: string]: 1 }",
    at: "1:22",
    says: "string keys",
  },
  { what: "an index without a type", text: "export interface A { [k: string] }", at: "1:22", says: "and a type" },
  { what: "a static index", text: "export interface A { static [k: string]: 1 }", at: "1:22", says: "no modifier but" },
  {
    what: "two index signatures",
    text: "export interface A { [k: string]: 1; [l: string]: 1 }",
    at: "1:38",
    says: "unexpected member",
  },
];

const types: readonly Rejected[] = [
  ...["never", "bigint", "symbol", "undefined", "void", "this", "unique symbol"].map((type) => ({
    what: `the type ${type}`,
    text: `export type A = ${type};`,
    at: "1:17",
    says: "not supported",
  })),
  { what: "a function type", text: "export type A = () => void;", at: "1:17", says: "FunctionType" },
  {
    what: "a condition that infers a type",
    text: "export type A = string[] extends (infer T)[] ? 1 : 2;",
    at: "1:35",
    says: "`infer` is not supported",
  },
  {
    what: "a condition that only a compiler can decide",
    text: "export type A = string extends { length: number } ? 1 : 2;",
    at: "1:17",
    says: "cannot be compared",
  },
  {
    what: "a condition on any",
    text: "export type A = any extends string ? 1 : 2;",
    at: "1:17",
    says: "no single result",
  },
  { what: "a sum", text: "export type A = +1;", at: "1:17", says: "not valid TypeScript" },
  { what: "an infinite literal", text: "export type A = 1e999;", at: "1:17", says: "this kind of literal" },
  { what: "keyof a list", text: "export type A = keyof 1[];", at: "1:23", says: "the type of an object" },
  { what: "an access to its own member", text: "export type A = A['x'];", at: "1:1", says: "defined by itself" },
  { what: "an imported type", text: "export type A = import('x').B;", at: "1:17", says: "not supported" },
  { what: "a qualified name", text: "export type A = ns.B;", at: "1:17", says: "`ns.B` is not declared" },
  { what: "typeof nothing", text: "export type A = typeof B;", at: "1:17", says: "`B` is not a constant" },
  {
    what: "Date",
    text: "export type A = 1;\nexport type B = Date;",
    at: "2:17",
    says: "`Date` is not declared by this file",
  },
  { what: "a dangling base", text: "export interface A extends B {}", at: "1:28", says: "`B` is not declared" },
  { what: "Partial of itself", text: "export type A = Partial<A>;", at: "1:1", says: "defined by itself" },
  { what: "Array of two", text: "export type A = Array<string, string>;", at: "1:17", says: "neither a generic type" },
  { what: "Record by number", text: "export type A = Record<number, string>;", at: "1:17", says: "string literals" },
  {
    what: "Record of three",
    text: "export type A = Record<string, 1, 2>;",
    at: "1:17",
    says: "neither a generic type",
  },
  { what: "Omit of three", text: "export type A = Omit<{}, 'x', 'y'>;", at: "1:17", says: "neither a generic type" },
  {
    what: "Omit of any key",
    text: "export type A = Omit<{ x: 1 }, string>;",
    at: "1:17",
    says: "Omit<Base, string literals>",
  },
];

const structures: readonly Rejected[] = [
  {
    what: "an interface that extends a literal",
    text: 'export interface A extends B {}\nexport type B = "x";',
    at: "1:1",
    says: "extends something that is not an object",
  },
  {
    what: "an interface that extends a union",
    text: "export type B = C | D;\nexport interface A extends B {}\nexport interface C {}\nexport interface D {}",
    at: "2:1",
    says: "extends something that is not an object",
  },
  {
    what: "an interface that implements",
    text: "export interface A implements B {}",
    at: "1:20",
    says: "nothing else",
  },
  {
    what: "an interface that extends twice",
    text: "export interface A extends B extends C {}",
    at: "1:30",
    says: "nothing else",
  },
  {
    what: "an interface that extends a list",
    text: "export interface A extends Array<string> {}",
    at: "1:28",
    says: "the type of an object",
  },
  {
    what: "an interface that extends itself",
    text: "export interface A extends A {}",
    at: "1:1",
    says: "defined by itself (A -> A)",
  },
  { what: "an alias of itself", text: "export type A = A | string;", at: "1:1", says: "defined by itself (A -> A)" },
  {
    what: "a circle of types",
    text: "export type A = B;\nexport type B = C | 1;\nexport interface C extends A {}",
    at: "1:1",
    says: "(A -> B -> C -> A)",
  },
  {
    what: "an intersection with a string",
    text: "export interface B {}\nexport type A = B & string;",
    at: "2:1",
    says: "intersection",
  },
  { what: "Omit of a union", text: "export type A = Omit<B, 'x'>;\nexport type B = 1 | 2;", at: "1:1", says: "omit" },
  {
    what: "two bases that contradict each other",
    text: "export interface A extends B, C {}\nexport interface B { x: 1 }\nexport interface C { x: string[] }",
    at: "1:1",
    says: "contradicting types of `x`",
  },
  {
    what: "two bases whose inner types contradict each other",
    text: "export interface A extends B, C {}\nexport interface B { x: D }\nexport interface C { x: { y: string } }\nexport interface D { y: 1 }",
    at: "1:1",
    says: "contradicting types of `x.y`",
  },
  {
    what: "an inline intersection of contradicting types",
    text: "export interface A { x: B & { y: string } }\nexport interface B { y: 1 }",
    at: "1:1",
    says: "contradicting types of `y`",
  },
  {
    what: "an endless chain of bases",
    text: `${chain(20_000)}export interface A20000 {}`,
    at: "51:1",
    says: "chain of more than 50",
  },
  {
    what: "an endless chain, last one first",
    text: `export interface A20000 {}\n${chain(20_000, -1)}`,
    at: "51:1",
    says: "chain of more than 50",
  },
  {
    what: "types that double",
    text: `export interface A0 {}\n${doubling(40)}`,
    at: "11:1",
    says: "`A10` is made of more than 2000 types",
  },
  {
    what: "an intersection of many unions",
    text: `export interface A {}\nexport interface B {}\nexport type C = ${Array(30).fill("(A | B)").join(" & ")};`,
    at: "3:1",
    says: "`C` has more than 2000 alternatives",
  },
];

const comments: readonly Rejected[] = [
  {
    what: "@minimum on a string",
    text: "/** @minimum 1 */\nexport type A = string;",
    at: "2:17",
    says: "belong on a number",
  },
  {
    what: "@maximum on a reference",
    text: "export interface A {\n  /** @maximum 1 */\n  x: B;\n}\nexport type B = string;",
    at: "3:6",
    says: "belong on a number",
  },
  {
    what: "@minimum without a number",
    text: "/** @minimum */\nexport type A = number;",
    at: "1:5",
    says: "expected a number",
  },
  {
    what: "@maximum that is infinite",
    text: "/** @maximum 1e999 */\nexport type A = number;",
    at: "1:5",
    says: "expected a number",
  },
  {
    what: "@maxItems on a string",
    text: "/** @maxItems 1 */\nexport type A = string;",
    at: "2:17",
    says: "belong on an array",
  },
  {
    what: "@minItems on a string",
    text: "/** @minItems 1 */\nexport type A = string;",
    at: "2:17",
    says: "belong on an array",
  },
  {
    what: "@maxLength on a number",
    text: "/** @maxLength 1 */\nexport type A = number;",
    at: "2:17",
    says: "belong on a string",
  },
  ...["-1", "1.5", "", "one", "1e3", "9".repeat(16)].map((count) => ({
    what: `@minLength ${count}`,
    text: `/** @minLength ${count} */\nexport type A = string;`,
    at: "1:5",
    says: "expected a count",
  })),
  {
    what: "bounds of lengths that contradict each other",
    text: "export type A = B & C;\nexport interface B {\n/** @minLength 3 */\nx: string }\nexport interface C {\n/** @maxLength 2 */\nx: string }",
    at: "1:1",
    says: "contradicting types of `x`",
  },
  {
    what: "a literal that is too long for its other type",
    text: 'export type A = B & C;\nexport interface B { x: "abc" }\nexport interface C {\n/** @maxLength 2 */\nx: string }',
    at: "1:1",
    says: "contradicting types of `x`",
  },
  {
    what: "@format on a number",
    text: "/** @format uri */\nexport type A = number;",
    at: "2:17",
    says: "belong on a string",
  },
  {
    what: "@format on an interface",
    text: "/** @format uri */\nexport interface A {}",
    at: "2:1",
    says: "not supported on an interface",
  },
  {
    what: "@nullable without a union",
    text: "/** @nullable */\nexport type A = string;",
    at: "2:17",
    says: "union with null",
  },
  {
    what: "@TJS-type of another type",
    text: "/** @TJS-type integer */\nexport type A = string;",
    at: "2:17",
    says: "names another type",
  },
  {
    what: "@items on a string",
    text: "/** @items.minimum 0 */\nexport type A = string;",
    at: "2:17",
    says: "belongs on an array",
  },
  { what: "@items without rules", text: "/** @items 1 */\nexport type A = 1[];", at: "1:5", says: "a JSON object" },
  {
    what: "@items with an unknown rule",
    text: '/** @items {"multipleOf": 2} */\nexport type A = number[];',
    at: "1:5",
    says: "`multipleOf` is not understood",
  },
  {
    what: "a tag in a comment that is not the last",
    text: "/** @minimum 1 */\n/** Text. */\nexport type A = number;",
    at: "3:1",
    says: "last comment",
  },
  {
    what: "a tag in a comment on the line of something else",
    text: "export interface A { /** @minimum 1 */ x: number }",
    at: "1:40",
    says: "separate line",
  },
];

const texts: readonly Rejected[] = [
  { what: "an empty file", text: "", says: "no exported declarations" },
  { what: "a file with only a comment", text: "// nothing\n", says: "no exported declarations" },
  { what: "an HTML page", text: "<!doctype html>\n<html></html>", at: "1:11", says: "not valid TypeScript" },
  {
    what: "an interface that is cut off",
    text: "export interface A {\n  x: st",
    at: "2:8",
    says: "not valid TypeScript",
  },
  { what: "a comment that is cut off", text: "export type A = 1;\n/** open", at: "2:9", says: "not valid TypeScript" },
  { what: "a string that is cut off", text: "export type A = 'x", at: "1:19", says: "not valid TypeScript" },
  { what: "a NUL byte", text: "export type A = 1;\n\0", at: "2:1", says: "U+0000" },
  { what: "a NUL byte in a string", text: "export type A = 'a\0';", at: "1:19", says: "U+0000" },
  {
    what: "an escape character in a comment",
    text: "/** \u001b[31m */\nexport type A = 1;",
    at: "1:5",
    says: "U+001B",
  },
  { what: "a carriage return alone", text: "export type A = 1;\rexport type B = 1;", at: "1:19", says: "U+000D" },
  { what: "half a surrogate pair", text: "export type A = '\uD83D';", at: "1:18", says: "U+D83D" },
  { what: "5 MB of a comment", text: `//${" ".repeat(5_000_000)}`, says: "larger than 4 MiB" },
  {
    what: "objects nested deeply",
    text: `export type A = ${"{ a: ".repeat(deep)}1${"}".repeat(deep)}`,
    says: "nested too deeply",
  },
  {
    what: "parentheses nested deeply",
    text: `export type A = ${"(".repeat(deep)}1${")".repeat(deep)}`,
    says: "nested too deeply",
  },
  {
    what: "arrays nested deeply",
    text: `export type A = ${"Array<".repeat(deep)}1${">".repeat(deep)}`,
    says: "nested too deeply",
  },
  { what: "blocks nested deeply", text: "{".repeat(deep), says: "nested too deeply" },
  {
    what: "brackets in a long row",
    text: `export type A = string${"[]".repeat(deep)}`,
    at: "1:17",
    says: "nested more than 50 deep",
  },
  {
    what: "objects nested not so deeply",
    text: `export type A = ${"{ a: ".repeat(60)}1${"}".repeat(60)}`,
    at: "1:272",
    says: "nested more than 50 deep",
  },
];

describe.each([
  ["statements", statements],
  ["members", members],
  ["types", types],
  ["structures", structures],
  ["comments", comments],
  ["texts", texts],
])("invalid %s", (_kind, table) => {
  it.each(table)("`readSchema` rejects $what", ({ text, at, says }) => {
    const error = catchSpecError(() => read(text));
    expect([error.line, error.column].filter((part) => part !== undefined).join(":")).toBe(at ?? "");
    expect(error.message.startsWith(at === undefined ? "some/schema.ts: " : `some/schema.ts:${at}: `)).toBe(true);
    expect(error.message).toMatch(says);
    expect(error.message.length).toBeLessThan(300);
  });
});

describe("valid schemas", () => {
  const accepted: readonly { what: string; text: string; shape: Shape }[] = [
    { what: "a byte order mark", text: "\uFEFFexport type A = 1;", shape: { kind: "literal", value: 1 } },
    { what: "unknown", text: "export type A = unknown;", shape: { kind: "unknown" } },
    { what: "object", text: "export type A = object;", shape: { kind: "anyObject" } },
    { what: "parentheses", text: "export type A = (((true)));", shape: { kind: "literal", value: true } },
    {
      what: "a leading bar",
      text: "export type A =\n  | 'a'\n  | null;",
      shape: { kind: "union", of: [{ kind: "literal", value: "a" }, { kind: "null" }] },
    },
    {
      what: "an open union",
      text: "export type A = 'a' | string;",
      shape: { kind: "union", of: [{ kind: "literal", value: "a" }], open: true },
    },
    {
      what: "a type with members of its own kind",
      text: "export type A = A[];",
      shape: { kind: "array", items: { kind: "reference", name: "A" } },
    },
    {
      what: "Array<T> as T[]",
      text: "export type A = Array<string>;",
      shape: { kind: "array", items: { kind: "string" } },
    },
    {
      what: "Record as an index",
      text: "export type A = Record<string, 1>;",
      shape: { kind: "object", properties: [], index: { kind: "literal", value: 1 } },
    },
    {
      what: "Record of an open union as an index",
      text: 'export type A = Record<"a" | string, 1>;',
      shape: { kind: "object", properties: [], index: { kind: "literal", value: 1 } },
    },
    { what: "a negative literal", text: "export type A = -1.5;", shape: { kind: "literal", value: -1.5 } },
    ...["x?: never", "x: never"].map((text) => ({
      what: `${text}, which must be absent`,
      text: `export type A = { ${text} };`,
      shape: {
        kind: "object" as const,
        properties: [
          { name: "x", optional: true, shape: { kind: "never" as const }, location: { line: 1, column: 19 } },
        ],
      },
    })),
    { what: "a helper that is not exported", text: "type A = 1;", shape: { kind: "literal", value: 1 } },
    {
      what: "readonly members",
      text: "export type A = { readonly [k: string]: 1 };",
      shape: { kind: "object", properties: [], index: { kind: "literal", value: 1 } },
    },
    {
      what: "the value of a constant",
      text: "export const C = -1;\nexport type A = typeof C;",
      shape: { kind: "literal", value: -1, constant: "C" },
    },
    {
      what: "an intersection with a union of unions",
      text: "export interface B {}\nexport interface C {}\nexport type D = B | C;\nexport type A = B & (C | D);",
      shape: {
        kind: "union",
        of: ["C", "B", "C"].map((name): Shape => {
          return { kind: "intersection", of: [referenceTo("B"), referenceTo(name)] };
        }),
      },
    },
    ...[";;", '"use strict";', "export {};"].map((text) => ({
      what: `${text}, which declares nothing`,
      text: `${text}\nexport type A = 1;${text}`,
      shape: { kind: "literal", value: 1 } as const,
    })),
    { what: "an export of what is declared", text: "type A = 1;\nexport { A };", shape: { kind: "literal", value: 1 } },
    { what: "a declared type", text: "export declare type A = 1;", shape: { kind: "literal", value: 1 } },
    { what: "a text in backquotes", text: "export type A = `a`;", shape: { kind: "literal", value: "a" } },
    { what: "a template of any text", text: "export type A = `${string}${string}`;", shape: { kind: "string" } },
    {
      what: "a template with holes in a row",
      text: "export type A = `a${string}${string}b`;",
      shape: { kind: "string", template: ["a", "b"] },
    },
    {
      what: "an integer",
      text: "/** @TJS-type integer */\nexport type A = number;",
      shape: { kind: "number", integer: true },
    },
    {
      what: "an integer of a union, by its format",
      text: "/**\n * @format int\n * @nullable\n */\nexport type A = number | null;",
      shape: { kind: "union", of: [{ kind: "number", integer: true }, { kind: "null" }], nullable: true },
    },
    {
      what: "a tag that names the type",
      text: "/** @TJS-type string */\nexport type A = string;",
      shape: { kind: "string" },
    },
    {
      what: "a tag on a name",
      text: "/** @minLength 1 */\nexport type A = B;\nexport type B = string;",
      shape: { kind: "string", minLength: 1 },
    },
    {
      what: "a type of the file that hides a utility type",
      text: "export type Partial<T> = T[];\nexport type A = Partial<1>;",
      shape: { kind: "array", items: { kind: "literal", value: 1 } },
    },
    {
      what: "wrapped values",
      text: "export type A = String;",
      shape: { kind: "string" },
    },
    {
      what: "bounds",
      text: "/**\n * @minimum 0\n * @maximum 1.5\n */\nexport type A = number;",
      shape: { kind: "number", minimum: 0, maximum: 1.5 },
    },
    {
      what: "lengths",
      text: "/**\n * @minLength 0\n * @maxLength 15\n */\nexport type A = string;",
      shape: { kind: "string", minLength: 0, maxLength: 15 },
    },
    {
      what: "numbers of items",
      text: "/**\n * @minItems 1\n * @maxItems 2\n */\nexport type A = 1[];",
      shape: { kind: "array", items: { kind: "literal", value: 1 }, minItems: 1, maxItems: 2 },
    },
  ];

  it.each(accepted)("`readSchema` accepts $what", ({ text, shape }) => {
    expect(read(text).find(({ name }) => name === "A")?.shape).toEqual(shape);
  });

  it("`readSchema` reads CRLF line endings like line feeds", () => {
    const text = "/**\n * First line.\n *\n * Second.\n */\nexport interface A {\n  /** Text. */\n  x: string;\n}\n";
    expect(readSchema("a.ts", text.replaceAll("\n", "\r\n"))).toEqual(readSchema("a.ts", text));
  });

  it("`readSchema` reads references unchanged, including addresses", () => {
    const [a] = read(
      "/**\n * @see https://example.com/a#b\n * @see Other for more\n * @see {@link A}\n */\nexport type A = 1;",
    );
    expect(a?.doc?.see).toEqual(["https://example.com/a#b", "Other for more", "{@link A}"]);
  });

  it("`readSchema` merges interfaces of the same name, with their bases and members", () => {
    const text =
      "export interface B {}\nexport interface A extends B { readonly x: 1 }\n/** Text. */\nexport interface A extends B { y: 2; x: 1; [k: string]: unknown }";
    const merged = read(text);
    expect(merged.map(({ name }) => name)).toEqual(["B", "A"]);
    expect(merged[1]).toMatchObject({
      extends: [referenceTo("B")],
      shape: { properties: [{ name: "x" }, { name: "y" }], index: { kind: "unknown" } },
      doc: { text: "Text." },
      location: { line: 2 },
    });
  });

  it("`readSchema` keeps unknown tags as documentation, with one warning for each name", () => {
    const text =
      "/**\n * Text.\n * @rule one\n *   two\n * @default {}\n */\nexport type A = 1;\n/** @rule three */\nexport type B = 1;\nexport interface C {\n  /** @pattern ^(a*)*$ */\n  x: string;\n}";
    const { declarations, warnings } = readSchema("a.ts", text);
    expect(declarations.map(({ doc }) => doc)).toEqual([
      { text: "Text.", tags: ["@rule one\n  two", "@default {}"] },
      { text: "", tags: ["@rule three"] },
      undefined,
    ]);
    expect(warnings).toEqual([
      { file: "a.ts", line: 3, column: 4, text: "the tag @rule changes no check; it is kept as documentation" },
      { file: "a.ts", line: 11, column: 7, text: "the tag @pattern changes no check; it is kept as documentation" },
    ]);
  });

  it("`readSchema` keeps rules for items in the comment", () => {
    const [a] = read("/**\n * Text.\n * @items.minLength 1\n */\nexport type A = string[];");
    expect(a).toMatchObject({ doc: { tags: ["@items.minLength 1"] }, shape: { items: { minLength: 1 } } });
  });

  it("`readSchema` keeps an unknown tag before the last comment out of the documentation", () => {
    expect(read("/** @rule 1 */\n/** Text. */\nexport type A = number;")[0]?.doc).toEqual({ text: "Text." });
  });

  it.each([
    ["at the start of a line", "Text.\n * @{namespace}/list lists.", "Text.\n@{namespace}/list lists."],
    ["inside of a line", "Of -, @, and dots.", "Of -, @, and dots."],
  ])("`readSchema` reads an `@` without a name as prose, %s", (_where, written, text) => {
    const { declarations, warnings } = readSchema("a.ts", `/**\n * ${written}\n */\nexport type A = 1;`);
    expect([declarations[0]?.doc, warnings]).toEqual([{ text }, []]);
  });

  it("`readSchema` ignores comments that are not JSDoc, and lines between comment and declaration (T12)", () => {
    const [plain, doc] = read("/* Plain. */\nexport type A = 1;\n/** Real. */\n// A note.\nexport type B = 1;");
    expect(plain?.doc).toBeUndefined();
    expect(doc?.doc).toEqual({ text: "Real." });
  });
});

function read(text: string): readonly Declaration[] {
  return readSchema("some/schema.ts", text).declarations;
}

function referenceTo(name: string): Shape {
  return { kind: "reference", name };
}

/** Each type is an intersection of two of the one before. */
function doubling(count: number): string {
  return Array.from({ length: count }, (_, at) => `export type A${at + 1} = A${at} & A${at};\n`).join("");
}

/** Each type is a tuple of two of the one before. */
function multiplying(count: number): string {
  return Array.from({ length: count }, (_, at) => `type A${at + 1}<T> = A${at}<[T, T]>;\n`).join("");
}

/** Each type needs a member of the next, inside of other types. */
function needing(length: number, depth = 0): string {
  const [start, end] = ["Partial<{ y: ".repeat(depth / 2), " }>".repeat(depth / 2)];
  const names = Array.from({ length }, (_, at) => `export interface A${at} { x: ${start}A${at + 1}["x"]${end} }\n`);
  return `${names.join("")}export interface A${length} { x: 1 }`;
}

function chain(length: number, step = 1): string {
  const names = Array.from({ length }, (_, at) => at);
  const ordered = step < 0 ? names.reverse() : names;
  return ordered.map((at) => `export interface A${at} extends A${at + 1} {}\n`).join("");
}
