import type { HttpRefusalReason } from "../../../protocol/profile.ts";

/** Header fields by name. */
export type HeaderFields = Readonly<Record<string, string>>;

/** A whole answer. */
export interface Answer {
  readonly status: number;
  readonly headers?: HeaderFields;
  readonly body?: string;
  /** Why a request is refused, for profiles; not sent. */
  readonly reason?: HttpRefusalReason;
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
  /**
   * True if a field stands on several lines: platforms hide it where one value is all that makes sense. Where the platform joins all lines
   * a value with a comma and a blank counts as several.
   */
  isRepeated(name: string): boolean;
  /** What the client has proven with its certificate; absent where it showed none, or the platform does not tell. */
  certificate(): ClientCertificate | undefined;
  /** Where the connection comes from, if the platform tells; behind a proxy that is the proxy. */
  readonly address: string | undefined;
  /** Host that the request is for, by its target or its `Host` line; none when there are several lines, or on Node when the two differ. */
  readonly host: string | undefined;
}

/** A certificate of a client, whose chain and key the TLS layer has checked. */
export interface ClientCertificate {
  /** The distinguished name, one part a line: `CN=agent`. */
  readonly subject: string;
  readonly issuer: string;
  /** SHA-256 of the certificate in base64url, as tokens that are bound to it say. */
  readonly thumbprint: string;
}

/** One HTTP request and its answer, on whatever platform. Exactly one of `answer` and `stream` is called, once. */
export interface Exchange extends RequestHead {
  /** Every host that the request names, by its target and its `Host` line; empty when it cannot be told which one is meant. */
  readonly hosts: readonly string[];
  /** True if there are so many header lines that the platform may have left some out. */
  readonly isCut: boolean;
  /** Nobody waits for the answer any more. */
  readonly isGone: boolean;
  /** Called once when the client goes away before it has been answered, soon if it has gone already; afterwards it may be called, too. */
  onClose(run: () => void): void;
  /** Adds fields to the answer, whatever it will be. */
  addFields(fields: HeaderFields): void;
  /** The body as text. */
  readBody(limits: BodyLimits): Promise<Body>;
  answer(answer: Answer): void;
  /** Answers with this alone when no response has begun, and breaks a stream off. A complete response stays as it is. */
  fail(answer: Answer): void;
  /** Called with the writer when a stream begins. */
  onStream(run: (writer: EventWriter) => void): void;
  /** Begins an answer of status 200 whose body follows piece by piece. */
  stream(headers: HeaderFields): EventWriter;
}

/** Bounds on a body. */
export interface BodyLimits {
  readonly maxBytes: number;
  /** Milliseconds in which some of it has to arrive. */
  readonly timeout: number;
}

/** Outcome of reading a body. `lost`: the client went away. `late`: nothing arrived in time. `not-text`: the bytes are not valid UTF-8. */
export type Body =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "too-large" }
  | { readonly kind: "lost" }
  | { readonly kind: "late" }
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
  /** Called once when nothing can be written any more, soon if that is so already. */
  onClose(run: () => void): void;
}
