/** `T` without some of its properties; unlike `Omit` it keeps the others of a type that has an index signature. */
export type Without<T, K extends PropertyKey> = { [Name in keyof T as Name extends K ? never : Name]: T[Name] };

/** Members of results that the runtime fills in. */
export type Envelope = "resultType" | "ttlMs" | "cacheScope";

/** A result as handlers return it: the members that the runtime fills in may be left out. */
export type Answer<T> = Without<T, Envelope> & {
  readonly [Name in Extract<Envelope, KnownKeys<T>>]?: T[Name & keyof T];
};

/** The named keys of a type, without its index signature. */
export type KnownKeys<T> = keyof {
  [Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: T[Name];
};
