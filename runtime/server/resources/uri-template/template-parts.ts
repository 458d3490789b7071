/** Value of a variable for template expansion. */
export type ExpandValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly (string | number | boolean)[]
  | { readonly [key: string]: string };

/** Value of a variable after a match: a list if the variable is exploded (`{path*}`). */
export type MatchedValue = string | readonly string[] | undefined;

/** Part of a template: literal text or an expression. */
export type TemplatePart = { readonly kind: "literal"; readonly text: string } | Expression;

/** Expression between a pair of braces. */
export interface Expression {
  readonly kind: "expression";
  readonly operator: Operator;
  readonly variables: readonly Variable[];
}

/** Variable of an expression, with its modifier. */
export interface Variable {
  readonly name: string;
  /** Maximum length of the value: `{name:3}`. */
  readonly prefix?: number;
  /** True if lists and maps are exploded: `{name*}`. */
  readonly explode: boolean;
}

/** Expansion rules of an operator: a row of the table in appendix A of the RFC. */
export interface Operator {
  readonly symbol: "" | "+" | "#" | "." | "/" | ";" | "?" | "&";
  readonly first: string;
  readonly separator: string;
  /** True if values are written as `name=value`. */
  readonly named: boolean;
  /** Text after the name of an empty value. */
  readonly ifEmpty: "" | "=";
  /** True if reserved characters and existing percent-encoded triplets are kept. */
  readonly reserved: boolean;
}
