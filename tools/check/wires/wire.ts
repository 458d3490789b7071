/** Outcome of one message sent to the server. */
export interface Exchange {
  /** Response with the id of the request; absent when none arrived in time. */
  readonly response?: unknown;
  /** HTTP status; absent on other transports. */
  readonly status?: number;
  /** Error response or redirect over HTTP. */
  readonly rejection?: HttpRejection;
  /** Reason why there is no response, as far as the client can know. */
  readonly reason?: string;
}

/** Parts of an error response or a redirect. */
export interface HttpRejection {
  /** Beginning of the body. */
  readonly body: string;
  readonly location: string | undefined;
  readonly wwwAuthenticate: string | undefined;
}

/** Options of one message. */
export interface ExchangeOptions {
  /** Id of the response to wait for. */
  readonly id?: string | number | undefined;
  /** HTTP headers. An empty value leaves out a header sent otherwise. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Stops waiting. Over HTTP it also closes the response stream. */
  readonly signal?: AbortSignal | undefined;
}

/** Received data that is not a message, quoted. */
export interface StrayData {
  readonly kind: "text" | "blank";
  readonly text: string;
}

/** A bare connection: it checks, completes and delays nothing, because checks examine exactly these things. */
export interface Wire {
  readonly transport: "stdio" | "http" | "sse" | "tcp" | "websocket";
  /** Sends one JSON value and waits for the response. Without an id it returns when the value was sent, over HTTP when it was accepted. */
  exchange(message: unknown, options?: ExchangeOptions): Promise<Exchange>;
  /** Sends text unchanged, followed by a line break on streams. */
  sendText(text: string): Promise<Exchange>;
  /** Messages received so far, except responses to this client. */
  readonly unsolicited: readonly unknown[];
  /** Data received so far that is not JSON. */
  readonly strayData: readonly StrayData[];
  /** True if the server can still receive messages. */
  readonly isOpen: boolean;
  /** Reason why no message arrives, as far as the client can know; empty when unknown. */
  readonly silence: string;
  /** Closes the connection. Reports whether the server process had to be killed. */
  close(): Promise<{ readonly wasKilled: boolean }>;
}

/** Opens connections to one server. */
export interface WireFactory {
  readonly transport: Wire["transport"];
  /** Address whose public documents are checked; only over Streamable HTTP. */
  readonly address?: PublicAddress;
  open(): Promise<Wire>;
}

/** Address of an endpoint, for requests without credentials. */
export interface PublicAddress {
  readonly url: URL;
  /** Milliseconds to wait for a response. */
  readonly timeout: number;
}
