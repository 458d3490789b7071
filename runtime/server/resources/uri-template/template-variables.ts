import type { MatchedValue } from "./template-parts.ts";

/** The variables of a template by name. Those of `{a}` and `{+a}` are required, others are optional; the value of `{a*}` is a list. */
export type TemplateVariables<T extends string> = string extends T
  ? { readonly [name: string]: MatchedValue }
  : Flat<Expressions<T>>;

type Expressions<T extends string> = T extends `${string}{${infer Body}}${infer Rest}`
  ? ExpressionVariables<Body> & Expressions<Rest>
  : unknown;

type ExpressionVariables<Body extends string> = Body extends `+${infer List}`
  ? Always<Split<List>>
  : Body extends `${"#" | "." | "/" | ";" | "?" | "&"}${infer List}`
    ? Sometimes<Split<List>>
    : Always<Split<Body>>;

type Split<List extends string> = List extends `${infer Head},${infer Tail}` ? Head | Split<Tail> : List;
type Always<Spec extends string> = { readonly [S in Spec as NameOf<S>]: ValueOf<S> };
type Sometimes<Spec extends string> = { readonly [S in Spec as NameOf<S>]?: ValueOf<S> };
type NameOf<S extends string> = S extends `${infer Name}*` ? Name : S extends `${infer Name}:${string}` ? Name : S;
type ValueOf<S extends string> = S extends `${string}*` ? readonly string[] : string;
/** Flattens an intersection to one object type. */
export type Flat<T> = { readonly [Name in keyof T]: T[Name] } & {};
