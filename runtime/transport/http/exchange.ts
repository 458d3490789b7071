/** Header fields by name. */
export type HeaderFields = Readonly<Record<string, string>>;

/** A whole answer. */
export interface Answer {
  readonly status: number;
  readonly headers?: HeaderFields;
  readonly body?: string;
}

/** What is known of an HTTP request before its body has been read. */
export interface RequestHead {
  readonly method: string;
  /** Path of the target, without the query. */
  readonly path: string;
  /** The value of a query parameter. */
  query(name: string): string | undefined;
  /** The value of a field; several lines are joined by commas. */
  header(name: string): string | undefined;
  /** What the request says that it is for, by its target and its `Host` lines: one name, or none when they contradict each other. */
  readonly host: string | undefined;
}

/** One HTTP request and its answer, on whatever platform. Exactly one of `answer` and `stream` is called, once. */
export interface Exchange extends RequestHead {
  /** Nobody waits for the answer any more. */
  readonly isGone: boolean;
  /** Called once when the client goes away before it has been answered; afterwards it may be called, too. */
  onClose(run: () => void): void;
  /** Adds fields to the answer, whatever it will be. */
  addFields(fields: HeaderFields): void;
  /** The body as text. */
  readBody(maxBytes: number): Promise<Body>;
  answer(answer: Answer): void;
  /** Begins an answer of status 200 whose body follows piece by piece. */
  stream(headers: HeaderFields): EventWriter;
}

/** How reading a body went. `lost`: the client went away, or the bytes are not valid UTF-8. */
export type Body =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "too-large" }
  | { readonly kind: "lost" }
  | { readonly kind: "not-text" };

/** Writes server-sent events to one connection. */
export interface EventWriter {
  /** Bytes that wait for the reader. */
  readonly waiting: number;
  write(text: string): void;
  /** Resolves when nothing waits any more, or nobody reads any more. */
  drained(): Promise<void>;
  /** Ends the answer in order. */
  end(): void;
  /** Breaks the connection off. */
  destroy(): void;
  /** Called once when nothing can be written any more. */
  onClose(run: () => void): void;
}
