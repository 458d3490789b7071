import type { Without } from "./result-members.ts";

declare const unavailable: unique symbol;

/** Stands where a revision lacks something that others have: no value fits, and the compiler's complaint shows the reason. */
export interface Unavailable<Reason> {
  readonly [unavailable]: Reason;
}

/** What a revision lacks, as a generated `index.ts` declares it. */
export interface MissingTypes {
  /** Reasons by the declaration that carries the method. */
  methods: object;
  /** Reasons by declaration and property. */
  members: object;
  /** Reasons by the `type` of content. */
  kinds: object;
}

/** The reason why a revision lacks a method; `never` where it has it. */
export type MissingMethod<P, Name extends string> = Entry<Lacks<P, "methods">, Name>;

/** The reasons why properties of a declaration are lacking, by property; nothing where none is. */
export type MissingMembers<P, Name extends string> = Name extends keyof Lacks<P, "members">
  ? Lacks<P, "members">[Name]
  : unknown;

/** The reason why one property of a declaration is lacking; `never` where it is there. */
export type MissingMember<P, Name extends string, Member extends string> = Entry<MissingMembers<P, Name>, Member>;

/** The reason why a kind of content is lacking; `never` where it is there. */
export type MissingKind<P, Kind extends string> = Entry<Lacks<P, "kinds">, Kind>;

type Lacks<P, Part extends keyof MissingTypes> = P extends { lacks: { readonly [K in Part]: infer Found } }
  ? Found
  : unknown;

type Entry<Reasons, Name> = Name extends keyof Reasons ? Reasons[Name] : never;

/** Properties that cannot be given, each with its reason. */
export type UnavailableMembers<Reasons, Known extends PropertyKey = never> = {
  readonly [Member in Exclude<keyof Reasons, Known>]?: Unavailable<Reasons[Member]>;
};

/** The fields of a declaration that users may fill in: those of the revision, but for the ones that are derived. */
export type Fields<P, Name extends keyof P & string, Derived extends PropertyKey = never> = Readonly<
  Without<P[Name], Derived | keyof MissingMembers<P, Name>>
> &
  UnavailableMembers<MissingMembers<P, Name>, Derived>;

/** Blocks of content of the kinds that a revision has; each of the others with the reason why it cannot be given. */
export type AvailableContent<P, Block> =
  | Exclude<Block, { type: keyof Lacks<P, "kinds"> }>
  | { [Kind in keyof Lacks<P, "kinds">]: { readonly type: Kind } & Unavailable<Lacks<P, "kinds">[Kind]> }[keyof Lacks<
      P,
      "kinds"
    >];

/**
 * What all of several revisions have, with the types of the first: the newest. Requests must fit every one of them, and what any
 * lacks is as unavailable as if all did. `forRevisions<CommonDeclarations<[v2026.Declarations, v2024.Declarations]>>([...])`
 */
export type CommonDeclarations<Revisions extends readonly { lacks: MissingTypes }[]> = Revisions extends readonly [
  infer Newest,
  ...infer Older extends readonly { lacks: MissingTypes }[],
]
  ? Older extends readonly []
    ? Newest
    : Both<Newest, CommonDeclarations<Older>>
  : never;

type Both<Newest, Older> = {
  [Name in keyof Newest & keyof Older]: Name extends "lacks"
    ? MergeLacks<Newest[Name], Older[Name]>
    : Name extends `${string}Request`
      ? Newest[Name] & Older[Name]
      : Newest[Name];
};

type MergeLacks<A, B> = {
  [Part in keyof A & keyof B]: Part extends "members" ? MergeMembers<A[Part], B[Part]> : Merge<A[Part], B[Part]>;
};

type MergeMembers<A, B> = { [Name in keyof A | keyof B]: Merge<Property<A, Name>, Property<B, Name>> };

/** Where both give a reason it is the one of the older revision: what came later is more telling than what left again. */
type Merge<A, B> = { [Name in keyof A | keyof B]: Name extends keyof B ? B[Name] : Property<A, Name> };

type Property<T, Name> = Name extends keyof T ? T[Name] : unknown;
