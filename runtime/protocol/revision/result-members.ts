/** Type `T` without some of its properties. Unlike `Omit` it keeps the others of a type with an index signature. */
export type Without<T, K extends PropertyKey> = { [Name in keyof T as Name extends K ? never : Name]: T[Name] };

/** Members of results set by the runtime. */
export type ResultEnvelope = "resultType" | "ttlMs" | "cacheScope";

/** Result as handlers return it: members set by the runtime may be omitted. */
export type HandlerResult<T> = Without<T, ResultEnvelope> & {
  readonly [Name in Extract<ResultEnvelope, KnownKeys<T>>]?: T[Name & keyof T];
};

/** Named keys of a type, without its index signature. */
export type KnownKeys<T> = keyof {
  [Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: T[Name];
};
