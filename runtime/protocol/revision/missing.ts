import type { Without } from "./result-members.ts";

declare const unavailable: unique symbol;

/** Type of something missing at a revision but present at others: no value fits, and the compiler's error shows the reason. */
export interface Unavailable<Reason> {
  readonly [unavailable]: Reason;
}

/** Reasons for what a revision lacks, as a generated `index.ts` declares them. */
export interface MissingTypes {
  /** Reasons by the declaration with the method. */
  methods: object;
  /** Reasons by declaration and property. */
  members: object;
  /** Reasons by the `type` of content. */
  kinds: object;
}

/** Reason why a revision lacks a method; `never` where it has the method. */
export type MissingMethod<P, Name extends string> = Entry<Missing<P, "methods">, Name>;

/** Reasons why properties of a declaration are missing, by property; `unknown` where none is missing. */
export type MissingMembers<P, Name extends string> = Name extends keyof Missing<P, "members">
  ? Missing<P, "members">[Name]
  : unknown;

/** Reason why one property of a declaration is missing; `never` where the property exists. */
export type MissingMember<P, Name extends string, Member extends string> = Entry<MissingMembers<P, Name>, Member>;

/** Reason why a kind of content is missing; `never` where the kind exists. */
export type MissingKind<P, Kind extends string> = Entry<Missing<P, "kinds">, Kind>;

type Missing<P, Part extends keyof MissingTypes> = P extends { missing: { readonly [K in Part]: infer Found } }
  ? Found
  : unknown;

type Entry<Reasons, Name> = Name extends keyof Reasons ? Reasons[Name] : never;

/** Unavailable properties, each with its reason. */
export type UnavailableMembers<Reasons, Known extends PropertyKey = never> = {
  readonly [Member in Exclude<keyof Reasons, Known>]?: Unavailable<Reasons[Member]>;
};

/** Fields of a declaration for users to set: the fields of the revision, except derived ones. */
export type Fields<P, Name extends keyof P & string, Derived extends PropertyKey = never> = Readonly<
  Without<P[Name], Derived | keyof MissingMembers<P, Name>>
> &
  UnavailableMembers<MissingMembers<P, Name>, Derived>;

/** Content blocks of the kinds known to a revision; each other kind carries the reason why it is unavailable. */
export type AvailableContent<P, Block> =
  | Exclude<Block, { type: keyof Missing<P, "kinds"> }>
  | {
      [Kind in keyof Missing<P, "kinds">]: { readonly type: Kind } & Unavailable<Missing<P, "kinds">[Kind]>;
    }[keyof Missing<P, "kinds">];

/**
 * Declarations common to several revisions, with the types of the first: the newest. Requests must fit every revision, and what is missing at one of
 * them is unavailable at all. `forRevisions<CommonDeclarations<[v2026.Declarations, v2024.Declarations]>>([...])`
 */
export type CommonDeclarations<Revisions extends readonly { missing: MissingTypes }[]> = Revisions extends readonly [
  infer Newest,
  ...infer Older extends readonly { missing: MissingTypes }[],
]
  ? Older extends readonly []
    ? Newest
    : Both<Newest, CommonDeclarations<Older>>
  : never;

type Both<Newest, Older> = {
  [Name in keyof Newest & keyof Older]: Name extends "missing"
    ? MergeMissing<Newest[Name], Older[Name]>
    : Name extends `${string}Request`
      ? Newest[Name] & Older[Name]
      : Newest[Name];
};

type MergeMissing<A, B> = {
  [Part in keyof A & keyof B]: Part extends "members" ? MergeMembers<A[Part], B[Part]> : Merge<A[Part], B[Part]>;
};

type MergeMembers<A, B> = { [Name in keyof A | keyof B]: Merge<Property<A, Name>, Property<B, Name>> };

/** Merges reasons. Where both sides give one, the older revision's is kept: a later addition explains more than a removal. */
type Merge<A, B> = { [Name in keyof A | keyof B]: Name extends keyof B ? B[Name] : Property<A, Name> };

type Property<T, Name> = Name extends keyof T ? T[Name] : unknown;
