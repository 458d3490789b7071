import type { Awaitable } from "../../../../generated/support.ts";
import type { HttpRejectionReason } from "../../../protocol/profile.ts";

/** Header fields by name. */
export type HeaderFields = Readonly<Record<string, string>>;

/** Complete HTTP response. */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: HeaderFields;
  readonly body?: string;
  /** Reason of a rejection, for profiles; not sent. */
  readonly reason?: HttpRejectionReason;
}

/** Head of an HTTP request, available before its body has been read. */
export interface RequestHead {
  readonly method: string;
  /** Path of the target, without the query. */
  readonly path: string;
  /** Returns the value of a query parameter. */
  query(name: string): string | undefined;
  /** Returns the value of a field; several lines are joined by commas. */
  header(name: string): string | undefined;
  /**
   * True if a field occurs on several lines: platforms hide this where only one value makes sense. Where the platform joins all lines, a value with a
   * comma and a blank counts as several.
   */
  isRepeated(name: string): boolean;
  /** Returns the verified certificate of the client; absent without a certificate, or when the platform does not report it. */
  certificate(): ClientCertificate | undefined;
  /** Remote address of the connection, if the platform reports it; behind a proxy it is the proxy. */
  readonly address: string | undefined;
  /** Remote port of the connection, if the platform reports it. */
  readonly port?: number | undefined;
  /** Version of HTTP, such as `1.1`, if the platform reports it. */
  readonly version?: string | undefined;
  /** Host addressed by the request, from its target or its `Host` line; absent with several lines, or on Node when the two differ. */
  readonly host: string | undefined;
}

/** Client certificate whose chain and key the TLS layer has verified. */
export interface ClientCertificate {
  /** Distinguished name, one part a line: `CN=agent`. */
  readonly subject: string;
  readonly issuer: string;
  /** SHA-256 of the certificate in base64url, as in tokens bound to it. */
  readonly thumbprint: string;
}

/** One HTTP request and its response, on any platform. Exactly one of `respond` and `stream` is called, once. */
export interface Exchange extends RequestHead {
  /** Every host named by the request, in its target and its `Host` line; empty when it is ambiguous. */
  readonly hosts: readonly string[];
  /** True if the request has so many header lines that the platform may have dropped some. */
  readonly isCut: boolean;
  /** True if the client no longer waits for the response. */
  readonly isGone: boolean;
  /** Calls `run` once when the client disconnects before the response, soon if it already has; possibly also after the response. */
  onClose(run: () => void): void;
  /** Adds fields to the response, of any kind. */
  addFields(fields: HeaderFields): void;
  /** Reads the body as text. */
  readBody(limits: BodyLimits): Awaitable<Body>;
  respond(respond: HttpResponse): void;
  /** Sends this response when none has begun, and breaks off a stream. A complete response stays unchanged. */
  fail(respond: HttpResponse): void;
  /**
   * Waits for the turn of a request of this principal. Returns `undefined` if it may be handled now. Absent where the platform keeps requests apart:
   * a worker must not resume one request from another.
   */
  takeTurn?(principal: string): Promise<void> | undefined;
  /** Calls `run` with the writer when a stream begins. */
  onStream(run: (writer: EventWriter) => void): void;
  /** Begins a response of status 200 whose body follows in parts. */
  stream(headers: HeaderFields): EventWriter;
}

/** Size and time within which a body is read. */
export interface BodyLimits {
  readonly maxBytes: number;
  /** Milliseconds within which a part of it has to arrive. */
  readonly timeout: number;
}

/** Outcome of reading a body. `lost`: the client disconnected. `late`: nothing arrived in time. `not-text`: the bytes are not valid UTF-8. */
export type Body =
  | { readonly kind: "text"; readonly text: string; readonly bytes: Uint8Array }
  | { readonly kind: "too-large" }
  | { readonly kind: "lost" }
  | { readonly kind: "late" }
  | { readonly kind: "not-text" };

/** Writes server-sent events to one connection. */
export interface EventWriter {
  /** Bytes not read by the client so far. */
  readonly waiting: number;
  write(text: string): void;
  /** Resolves when nothing is queued, or when the connection has closed. */
  drained(): Promise<void>;
  /** Ends the response in order. */
  end(): void;
  /** Destroys the connection. */
  destroy(): void;
  /** Calls `run` once when the writer can write no more. If it is closed already, the call follows soon. */
  onClose(run: () => void): void;
}
