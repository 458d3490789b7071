import { joinFiles } from "../../../generator/read/join-files.ts";

/** Kind of type in a schema, with values of its type `A` in JSON, and other values. */
export interface Construct {
  readonly what: string;
  readonly text: string;
  /** Other files, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly valid: readonly unknown[];
  readonly invalid: readonly unknown[];
  /** Values with a place in messages only: the type wants a member with the value `undefined`, which JSON leaves out. */
  readonly onlyInMessages?: readonly unknown[];
  /** Values rejected by checks only: the compiler ignores tags. */
  readonly onlyChecked?: readonly unknown[];
}

const user = "export interface User { name: string; age?: number; tags?: string[] }";
const shapes =
  'export interface Circle { kind: "circle"; radius: number }\nexport interface Square { kind: "square"; side: number }\nexport type Any = Circle | Square;';

/** Returns the schema of a construct in one text. */
export function textOf({ text, files = {} }: Construct): string {
  const all = Object.entries({ ...files, "schema.ts": text });
  return all.length === 1 ? text : joinFiles(all.map(([name, own]) => ({ name, path: name, text: own }))).text;
}

/** Each kind of construct with a meaning for messages. */
export const constructs: readonly Construct[] = [
  {
    what: "Pick",
    text: `${user}\nexport type A = Pick<User, "name" | "age">;`,
    valid: [{ name: "a" }, { name: "a", age: 1 }],
    invalid: [{}, { name: "a", age: "1" }],
  },
  {
    what: "Pick as a base",
    text: `${user}\nexport interface A extends Pick<User, "name" | "age"> { age: number; x: 1 }`,
    valid: [{ name: "a", age: 1, x: 1 }],
    invalid: [
      { name: "a", x: 1 },
      { age: 1, x: 1 },
    ],
  },
  {
    what: "Omit of an object without a name",
    text: `export type A = Omit<{ a: string; b: number }, "b">;`,
    valid: [{ a: "a" }],
    invalid: [{}, { a: 1 }],
  },
  {
    what: "Omit with keys that have a name",
    text: `${user}\nexport type Keys = "name" | "tags";\nexport interface A extends Omit<User, Keys> { b: 1 }`,
    valid: [{ b: 1 }, { b: 1, age: 2 }],
    invalid: [{}, { b: 1, age: "2" }],
  },
  {
    what: "Partial",
    text: `${user}\nexport type A = Partial<User>;`,
    valid: [{}, { name: "a" }],
    invalid: [{ name: 1 }],
  },
  {
    what: "Partial of a union",
    text: `${shapes}\nexport type A = Partial<Any>;`,
    valid: [{}, { kind: "circle" }, { side: 1 }],
    invalid: [{ kind: "line" }],
  },
  {
    what: "Required",
    text: `${user}\nexport type A = Required<User>;`,
    valid: [{ name: "a", age: 1, tags: [] }],
    invalid: [{ name: "a" }, { name: "a", age: 1 }],
  },
  {
    what: "Readonly",
    text: `${user}\nexport type A = Readonly<User>;`,
    valid: [{ name: "a" }],
    invalid: [{}],
  },
  {
    what: "NonNullable",
    text: `${user}\nexport type A = NonNullable<User["age"] | null>;`,
    valid: [1],
    invalid: [null, "1"],
  },
  {
    what: "NonNullable of a name",
    text: "export type Name = string | null;\nexport type A = { x: NonNullable<Name> };",
    valid: [{ x: "a" }],
    invalid: [{ x: null }, {}],
  },
  {
    what: "Exclude on literals",
    text: 'export type Level = "low" | "high" | "off";\nexport type A = Exclude<Level, "off">;',
    valid: ["low", "high"],
    invalid: ["off", 1],
  },
  {
    what: "Extract on literals",
    text: 'export type Level = "low" | "high" | 1;\nexport type A = Extract<Level, string>;',
    valid: ["low", "high"],
    invalid: [1],
  },
  {
    what: "Exclude on boolean",
    text: "export type A = Exclude<boolean | 1, true>;",
    valid: [false, 1],
    invalid: [true, 2],
  },
  {
    what: "a condition",
    text: 'export type A = "a" extends string ? { x: 1 } : { x: 2 };',
    valid: [{ x: 1 }],
    invalid: [{ x: 2 }],
  },
  {
    what: "a condition on each alternative of a type parameter",
    text: 'export type Wrap<T> = T extends string ? { text: T } : T extends number ? { number: T } : never;\nexport type A = Wrap<"a" | "b" | 1 | boolean>;',
    valid: [{ text: "a" }, { text: "b" }, { number: 1 }],
    invalid: [{ text: 1 }, { number: 2 }, true],
  },
  {
    what: "a condition on objects, lists and undefined",
    text: `${shapes}\nexport type Kind<T> = T extends { kind: "circle" } ? "round" : T extends string[] ? "list" : T extends undefined ? "none" : "other";\nexport interface A { a: Kind<Any>; b: Kind<string[] | 1>; c: Kind<{ a?: 1 }["a"]> }`,
    valid: [
      { a: "round", b: "list", c: "none" },
      { a: "other", b: "other", c: "other" },
    ],
    invalid: [
      { a: "list", b: "list", c: "none" },
      { a: "round", b: "round", c: "none" },
      { a: "round", b: "list", c: "list" },
    ],
  },
  {
    what: "a condition on several alternatives at once",
    text: 'export type All<T> = [T][number] extends string ? "texts" : "mixed";\nexport interface A { a: All<"a" | "b">; b: All<"a" | 1> }',
    valid: [{ a: "texts", b: "mixed" }],
    invalid: [{ a: "mixed", b: "mixed" }],
  },
  {
    what: "Extract and Exclude by a template",
    text: 'export type Name = "v1" | "v22" | "other";\nexport interface A { x: Extract<Name, `v${string}`>; y: Exclude<Name, `v${string}2`> }',
    valid: [
      { x: "v1", y: "v1" },
      { x: "v22", y: "other" },
    ],
    invalid: [
      { x: "other", y: "v1" },
      { x: "v1", y: "v22" },
    ],
  },
  {
    what: "Extract on objects",
    text: `${shapes}\nexport type A = Extract<Any, { kind: "circle" }>;`,
    valid: [{ kind: "circle", radius: 1 }],
    invalid: [{ kind: "square", side: 1 }],
  },
  {
    what: "Exclude on objects",
    text: `${shapes}\nexport type A = Exclude<Any, { kind: "circle" }>;`,
    valid: [{ kind: "square", side: 1 }],
    invalid: [{ kind: "circle", radius: 1 }],
  },
  {
    what: "Record of literals",
    text: 'export type A = Record<"a" | "b", number>;',
    valid: [{ a: 1, b: 2 }],
    invalid: [{ a: 1 }, { a: 1, b: "2" }],
  },
  {
    what: "Record of a name",
    text: 'export type Key = "a" | "b";\nexport type A = Partial<Record<Key, number>>;',
    valid: [{}, { a: 1 }],
    invalid: [{ a: "1" }],
  },
  {
    what: "indexed access",
    text: `${user}\nexport type A = User["name"];`,
    valid: ["a"],
    invalid: [1],
  },
  {
    what: "indexed access to an optional member",
    text: `${user}\nexport interface A { x: User["age"] }`,
    valid: [{ x: 1 }],
    onlyInMessages: [{}],
    invalid: [{ x: "1" }],
  },
  {
    what: "an alias of an optional member",
    text: `${user}\nexport type Age = User["age"];\nexport type Again = Age | null;\nexport interface A { x: Again; y: Age }`,
    valid: [{ x: null, y: 1 }],
    onlyInMessages: [{}],
    invalid: [{ x: "1" }, { y: null }],
  },
  {
    what: "an optional member that is extended",
    text: `export interface Base { params?: { cursor?: string } }\nexport interface A extends Base { params?: Base["params"] & { uris?: string[] } }`,
    valid: [{}, { params: {} }, { params: { cursor: "a", uris: ["b"] } }],
    invalid: [{ params: { cursor: 1 } }, { params: { uris: "b" } }],
  },
  {
    what: "a member of the type itself",
    text: 'export interface A { id: string; next?: A["id"] | null; same: A["id" | "next"]; list?: Partial<{ a: A }>[] }',
    valid: [
      { id: "a", same: "b" },
      { id: "a", next: null, same: null, list: [{}, { a: { id: "a", same: "b" } }] },
    ],
    onlyInMessages: [{ id: "a" }],
    invalid: [
      { id: "a", next: 1, same: "b" },
      { id: "a", same: 1 },
      { id: "a", same: "b", list: [{ a: {} }] },
    ],
  },
  {
    what: "a member of a type that extends it",
    text: 'export interface A extends Size { kind: Own["kind"]; id: number; level: Own["size"] }\nexport interface Own extends A { kind: "own" | Deep["deep"]; other?: A["id"]; list: Own["size"][] }\nexport interface Deep extends Omit<Own, "list"> { deep: "deep"; id: Own["id"] }\nexport interface Size { size: "small" }',
    valid: [
      { kind: "own", id: 1, size: "small", level: "small" },
      { kind: "deep", id: 1, size: "small", level: "small" },
    ],
    invalid: [
      { kind: "other", id: 1, size: "small", level: "small" },
      { kind: "own", id: 1, size: "small", level: 1 },
      { kind: "own", id: "1", size: "small", level: "small" },
    ],
  },
  {
    what: "a member of a generic type inside of it",
    text: 'interface Base<T> { id: T }\ninterface Tree<T> extends Base<T> { value: T; next?: Tree<T>; first: Tree<T>["value" | "id"] }\nexport type A = Tree<string>;',
    valid: [{ id: "a", value: "b", first: "c" }],
    invalid: [
      { id: "a", value: "b", first: 1 },
      { id: "a", value: "b" },
    ],
  },
  {
    what: "indexed access by several keys",
    text: `${user}\nexport type A = User["name" | "tags"];`,
    valid: ["a", ["b"]],
    invalid: [1],
  },
  {
    what: "indexed access to items",
    text: `export interface List { items: { id: string }[] }\nexport type A = List["items"][number];`,
    valid: [{ id: "a" }],
    invalid: [{}, []],
  },
  {
    what: "keyof",
    text: `${user}\nexport type A = keyof User;`,
    valid: ["name", "age", "tags"],
    invalid: ["other", 1],
  },
  {
    what: "a generic alias",
    text: "export type Page<T> = { items: T[]; next?: string };\nexport type A = Page<number>;",
    valid: [{ items: [1] }, { items: [], next: "a" }],
    invalid: [{ items: ["a"] }, {}],
  },
  {
    what: "a generic interface as a base, with a default",
    text: "export interface Base { id: string }\nexport interface Page<T, Cursor = string> extends Base { items: T[]; next?: Cursor }\nexport interface A extends Page<number> { x: 1 }",
    valid: [{ id: "a", items: [1], next: "a", x: 1 }],
    invalid: [
      { items: [1], x: 1 },
      { id: "a", items: [1], next: 1, x: 1 },
    ],
  },
  {
    what: "a generic alias of a generic alias",
    text: "type Maybe<T> = T | null;\ntype Both<T, U> = { one: Maybe<T>; two: U };\nexport type A = Both<string, Maybe<number>>;",
    valid: [
      { one: null, two: null },
      { one: "a", two: 1 },
    ],
    invalid: [{ one: 1, two: 1 }, { one: "a" }],
  },
  {
    what: "a generic interface that contains itself",
    text: "interface Tree<T> { value: T; children?: Tree<T>[] }\nexport interface A { texts: Tree<string>; again?: Tree<string>; numbers?: Tree<number> }",
    valid: [
      { texts: { value: "a" } },
      {
        texts: { value: "a", children: [{ value: "b", children: [{ value: "c" }] }] },
        numbers: { value: 1, children: [{ value: 2 }] },
      },
    ],
    invalid: [
      { texts: { value: "a", children: [{ value: 1 }] } },
      { texts: { value: "a" }, again: { value: "a", children: [{ value: "b", children: [{}] }] } },
      { texts: { value: "a" }, numbers: { value: 1, children: [{ value: "a" }] } },
    ],
  },
  {
    what: "a generic alias that contains itself",
    text: "type Nested<T> = T | Nested<T>[] | { [key: string]: Nested<T> };\nexport type A = Nested<1 | null>;",
    valid: [1, null, [1, [null, []]], { x: { y: [1] } }],
    invalid: [2, "a", [2], { x: { y: ["a"] } }],
  },
  {
    what: "generic types that contain each other",
    text: "interface Branch<T> extends Base<Branch<T>> { leaves: Leaf<T>[] }\ninterface Leaf<T, Kind = 'leaf'> { kind: Kind; value: T; branch?: Branch<T> }\ninterface Base<Self> { parent?: Self }\nexport type A = Branch<{ id: string }> | Leaf<number>;",
    valid: [
      { leaves: [{ kind: "leaf", value: { id: "a" }, branch: { leaves: [] } }], parent: { leaves: [] } },
      { kind: "leaf", value: 1, branch: { leaves: [{ kind: "leaf", value: 2 }] } },
    ],
    invalid: [
      { leaves: [{ kind: "leaf", value: { id: "a" }, branch: {} }] },
      { leaves: [], parent: { leaves: [{}] } },
      { kind: "leaf", value: 1, branch: { leaves: [{ kind: "leaf", value: "a" }] } },
    ],
  },
  {
    what: "a generic type that contains itself with other types, which end",
    text: "interface Pair<T, U> { first: T; other?: Pair<U, T>; texts?: Pair<string, string> }\nexport type A = Partial<Pair<1, 2>> & { x: Pick<Pair<1, 2>, 'first'> };",
    valid: [{ x: { first: 1 } }, { x: { first: 1 }, first: 1, other: { first: 2, other: { first: 1 } } }],
    invalid: [{ x: { first: 2 } }, { x: { first: 1 }, other: { first: 1 } }, { x: { first: 1 }, texts: { first: 1 } }],
  },
  {
    what: "a tuple",
    text: "export type A = [string, number?, ...boolean[]];",
    valid: [["a"], ["a", 1], ["a", 1, true, false]],
    invalid: [[], [1], ["a", "b"], ["a", 1, 2]],
  },
  {
    what: "a closed tuple with names",
    text: "export type A = readonly [x: number, y: number];",
    valid: [[1, 2]],
    invalid: [[1], [1, 2, 3], [1, "2"], {}],
  },
  {
    what: "a list with at least one item",
    text: "export type NonEmpty<T> = [T, ...T[]];\nexport interface Entry { id: string }\nexport type A = NonEmpty<Entry>;",
    valid: [[{ id: "a" }], [{ id: "a" }, { id: "b" }]],
    invalid: [[], [{}], [{ id: "a" }, {}]],
  },
  {
    what: "a template literal",
    text: "export type A = `data:${string};base64,${string}`;",
    valid: ["data:;base64,", "data:image/png;base64,abc"],
    invalid: ["", "data:;base64", "xdata:;base64,", 1],
  },
  {
    what: "a template literal of literals",
    text: 'export type Size = "small" | "large";\nexport type A = `${Size}-${1 | 2}` | `v${string}`;',
    valid: ["small-1", "large-2", "v", "v1"],
    invalid: ["small-3", "medium-1", 1],
  },
  {
    what: "a template literal whose texts overlap",
    text: "export type A = `ab${string}ba`;",
    valid: ["abba", "abxba"],
    invalid: ["aba", "ab"],
  },
  {
    what: "a mapped type",
    text: 'export type A = { readonly [Key in "a" | "b"]?: number };',
    valid: [{}, { a: 1 }],
    invalid: [{ a: "1" }],
  },
  {
    what: "a mapped type over keyof",
    text: `${user}\nexport type A = { [Key in keyof User]: User[Key] | null };`,
    valid: [{ name: null }, { name: "a", age: null, tags: [] }],
    invalid: [{}, { name: "a", age: "1" }],
  },
  {
    what: "a mapped type that requires members",
    text: `${user}\nexport type A = { [Key in keyof User]-?: Key };`,
    valid: [{ name: "name", age: "age", tags: "tags" }],
    invalid: [{ name: "name" }, { name: "name", age: "name", tags: "tags" }],
  },
  {
    what: "an enum",
    text: 'export enum Level { Low = "low", High = "high" }\nexport interface A { level: `${Level}`; low?: `${Level.Low}` }',
    valid: [{ level: "low" }, { level: "high", low: "low" }],
    invalid: [{ level: "other" }, { level: "low", low: "high" }],
  },
  {
    what: "an enum of numbers",
    text: "export const enum Code { One = 1, Two, Minus = -1 }\nexport interface A { code: Code | Code.Two }",
    valid: [{ code: 1 }, { code: 2 }, { code: -1 }],
    invalid: [{ code: 3 }, { code: "1" }],
  },
  {
    what: "a namespace",
    text: "export namespace Outer { export interface Inner { id: string; next?: Inner }\nexport namespace Deep { export type Own = Inner } }\nexport interface A { inner: Outer.Inner; own?: Outer.Deep.Own }",
    valid: [{ inner: { id: "a" } }, { inner: { id: "a", next: { id: "b" } }, own: { id: "c" } }],
    invalid: [{ inner: {} }, { inner: { id: "a" }, own: {} }],
  },
  {
    what: "the values of a constant list",
    text: 'export const levels = ["low", "high"] as const;\nexport type A = (typeof levels)[number];',
    valid: ["low", "high"],
    invalid: ["other", 0],
  },
  {
    what: "the values of a constant object",
    text: 'const Level = { Low: "low", High: 2, Off: null, List: [true] } as const;\nexport type A = (typeof Level)[keyof typeof Level];',
    valid: ["low", 2, null, [true]],
    invalid: ["Low", 1, [false]],
  },
  {
    what: "a constant as the name of a member",
    text: 'export const KEY = "io.example/key";\nexport interface A { [KEY]: string }',
    valid: [{ "io.example/key": "a" }],
    invalid: [{}, { KEY: "a" }],
  },
  {
    what: "undefined",
    text: "export interface A { x: string | undefined; y?: undefined; z?: 1 | undefined }",
    valid: [{ x: "a", z: 1 }],
    onlyInMessages: [{}],
    invalid: [{ x: 1 }, { y: 1 }, { z: 2 }],
  },
  {
    what: "an open enum",
    text: 'export type A = "a" | "b" | (string & {});',
    valid: ["a", "other"],
    invalid: [1],
  },
  {
    what: "an intersection of values",
    text: 'export type Level = "low" | "high";\nexport interface A { x: string & "low"; y: number & unknown }',
    valid: [{ x: "low", y: 1 }],
    invalid: [
      { x: "high", y: 1 },
      { x: "low", y: "1" },
    ],
  },
  {
    what: "a list by name",
    text: "export interface A { a: ReadonlyArray<string>; b: readonly number[] }",
    valid: [{ a: ["a"], b: [1] }],
    invalid: [
      { a: [1], b: [1] },
      { a: "a", b: [] },
    ],
  },
  {
    what: "@pattern",
    text: "export interface A {\n/** @pattern ^[a-z]+/[a-z]+$ */\nx: string }",
    valid: [{ x: "a/b" }],
    invalid: [{ x: 1 }],
    onlyChecked: [{ x: "a" }, { x: "a/b/c" }],
  },
  {
    what: "@minLength on a union and on a name",
    text: "export type Name = string;\nexport interface A {\n/** @minLength 1 */\nx: string | null;\n/** @maxLength 2 */\ny?: Name }",
    valid: [{ x: "a" }, { x: null, y: "ab" }],
    invalid: [{ x: 1 }],
    onlyChecked: [{ x: "" }, { x: null, y: "abc" }],
  },
  {
    what: "@items for another type",
    text: "export interface A {\n/** @items.minimum 0 */\nx: string[] }",
    valid: [{ x: ["a"] }],
    invalid: [{ x: [1] }],
  },
  {
    what: "@items",
    text: 'export interface A {\n/** @items {"type": "integer", "minimum": 1} */\nx: number[];\n/** @items.minLength 1 */\ny?: string[] }',
    valid: [{ x: [1] }, { x: [], y: ["a"] }],
    invalid: [{ x: ["a"] }],
    onlyChecked: [{ x: [0] }, { x: [1.5] }, { x: [], y: [""] }],
  },
  {
    what: "types of other files",
    text: 'import type { User } from "./user.ts";\nimport { type Level, KEY } from "./parts/level.js";\nexport interface A { user: User; level?: Level; [KEY]?: typeof KEY }',
    files: {
      "parts/level.ts":
        'import type { User } from "../user";\nexport type Level = "low" | "high";\nexport const KEY = "key";\nexport interface Other { user: User }',
      "user.ts": "interface Helper { id: 1 }\nexport interface User extends Helper { name: string }",
    },
    valid: [
      { user: { id: 1, name: "a" }, level: "low" },
      { user: { id: 1, name: "a" }, key: "key" },
    ],
    invalid: [{ user: { name: "a" } }, { user: { id: 1, name: "a" }, level: "off" }],
  },
  {
    what: "exports of other files",
    text: 'export * from "./all.ts";\nexport { One, type Two } from "./some.ts";\nexport type { Three } from "./some.ts";\nexport {};',
    files: {
      "some.ts": "export type One = 1;\nexport type Two = 2;\nexport type Three = 3;\nexport type Four = 4;",
      "all.ts":
        'import type { One, Two, Three } from "./some.ts";\nexport interface A { one: One; two?: Two; three?: Three }',
    },
    valid: [{ one: 1 }, { one: 1, two: 2, three: 3 }],
    invalid: [{}, { one: 2 }, { one: 1, two: 3 }],
  },
  {
    what: "names that files change",
    text: 'export { Inner as A, Level as Stage } from "./inner.ts";\nimport type { Stage as Own } from "./names.ts";\nexport interface Later { stage: Own }',
    files: {
      "inner.ts":
        'import type { Number as Text } from "./names.ts";\nexport interface Inner { text: Text; map?: { [Text in "x"]: Text }; level?: Level; next?: Inner[] }\ninterface Level { level: 1 }\nexport { type Level };',
      "names.ts":
        'import type { Level as L } from "./inner.ts";\ntype Number = "text";\nexport type { Number, L as Stage };',
    },
    valid: [{ text: "text" }, { text: "text", map: { x: "x" }, level: { level: 1 }, next: [{ text: "text" }] }],
    invalid: [
      { text: 1 },
      { text: "text", map: { x: "text" } },
      { text: "text", level: 1 },
      { text: "text", next: [{}] },
    ],
  },
  {
    what: "a file by a name",
    text: 'import type * as all from "./all.ts";\nexport interface A extends all.Base { level: all.ns.Level; one?: typeof all.ONE; enumerated?: `${all.Enum.Low}` }',
    files: {
      "all.ts":
        'export interface Base { id: string }\nexport namespace ns { export type Level = "low" }\nexport const ONE = 1;\nexport enum Enum { Low = "low" }',
    },
    valid: [{ id: "a", level: "low", one: 1, enumerated: "low" }],
    invalid: [{ level: "low" }, { id: "a", level: "high" }, { id: "a", level: "low", one: 2 }],
  },
  {
    what: "files that import each other, with a generic type",
    text: 'import type { List } from "./list.ts";\nexport interface Item { id: string; list?: List<Item> }\nexport type A = List<Item>;',
    files: {
      "list.ts": 'import type { Item } from "./schema.ts";\nexport interface List<T> { items: T[]; first?: Item }',
    },
    valid: [{ items: [] }, { items: [{ id: "a", list: { items: [] } }], first: { id: "a" } }],
    invalid: [{}, { items: [{}] }, { items: [], first: {} }],
  },
];
