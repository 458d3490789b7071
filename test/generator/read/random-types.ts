import { pick, type Random } from "../../kit/random.ts";

/** Types for random ones to refer to. */
export const declared = `
export interface B { a: string; b?: number; c: "x" | "y" | null; d?: string[] }
export interface C { kind: "c"; a: number }
export interface D { kind: "d"; a: string; e?: B }
export type U = C | D;
export type K = "a" | "b";
export type Tuple = [string, number?, ...boolean[]];
export enum L { One = 1, Two }
export type G<T> = { g: T; h?: T[] };
export type If<T, V> = T extends V ? { yes: T } : { no: T[] };
export interface H<T, V = string> extends Pick<B, "a"> { t: T; v?: V }
`;

type Make = () => string;

/** Makes a type expression of constructs inside each other. */
export function makeType(random: Random, depth: number): string {
  const inner: Make = () => makeType(random, depth - 1);
  if (depth <= 0)
    return choose(["string", "number", "null", "boolean", "B['a']", "L", "L.Two", () => makeKeys(random)], random);
  const values: readonly (string | Make)[] = [
    () => makeKeys(random),
    () => `(${inner()})[]`,
    () => `(${inner()} | ${inner()})`,
    () => `[${inner()}, (${inner()})?]`,
    () => `NonNullable<${inner()} | null>`,
    () => `ReadonlyArray<${inner()}>`,
    () => `readonly (${inner()})[]`,
    () => `If<${inner()}, ${pick(others, random)}>`,
    () => `(${inner()} extends ${pick(others, random)} ? { yes: 1 } : { no: 1 })`,
    ...["Tuple", "Tuple[number]", "U", "U['a']", "B['c']", "NonNullable<B['c']>", "`v${string}`"],
  ];
  return choose([() => makeObject(random, depth), () => makeObject(random, depth), ...values], random);
}

/** Types compared with in conditions: no enum, of which every number is a value for the compiler. */
const others = [
  "string",
  "{ kind: 'c' }",
  "U",
  "string | number",
  "'x' | 'p'",
  "string[]",
  "null",
  "{ a: string }",
  "true",
];

function makeObject(random: Random, depth: number): string {
  const inner: Make = () => makeType(random, depth - 1);
  const object: Make = () => (depth <= 1 ? pick(["B", "C", "D"], random) : makeObject(random, depth - 1));
  return choose(
    [
      () => `{ a: ${inner()}; b?: ${inner()} }`,
      () =>
        `Pick<${pick(["B", "Partial<B>", "Required<B>"], random)}, ${pick(["'a'", "K", "'a' | 'c'", "keyof B"], random)}>`,
      () =>
        `Omit<${pick(["B", "Partial<B>", "D", "G<1>"], random)}, ${pick(["'a'", "K", "'kind'", "keyof C"], random)}>`,
      () => `Partial<${object()}>`,
      () => `Required<${object()}>`,
      () => `Readonly<${object()}>`,
      () => `Record<${makeKeys(random)}, ${inner()}>`,
      () => `{ [P in ${makeKeys(random)}]?: ${inner()} }`,
      () => `{ [P in keyof B]: B[P] | ${inner()} }`,
      () => `{ [P in keyof ${object()}]-?: P }`,
      () => `G<${inner()}>`,
      () => `H<${inner()}>`,
      () => `H<${inner()}, ${inner()}>`,
      () => `(${object()} & { extra: ${inner()} })`,
      ...["B", "Extract<U, { kind: 'c' }>", "Exclude<U, C>", "Record<string, B>", "NonNullable<D['e']>"],
    ],
    random,
  );
}

function makeKeys(random: Random): string {
  const keys = ["'a'", "'p' | 'q'", "K", "keyof C", "Exclude<K | 'z', 'b'>", "Extract<K | 1, string>", "U['kind']"];
  return pick([...keys, "`${K}1`", "Exclude<keyof B, 'd'>"], random);
}

function choose(makers: readonly (string | Make)[], random: Random): string {
  const made = pick(makers, random);
  return typeof made === "string" ? made : made();
}
