/** What a server sent back for one message of ours. */
export interface Exchange {
  /** The response with the id that was asked for; absent when none came in time. */
  readonly answer?: unknown;
  /** Of HTTP. */
  readonly status?: number;
}

/** How one message is sent. */
export interface ExchangeOptions {
  /** Id of the response that is waited for. */
  readonly id?: string | number | undefined;
  /** Of HTTP. An empty value leaves out a header that is sent otherwise. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Ends the waiting; over HTTP it closes the stream of the answer as well. */
  readonly signal?: AbortSignal | undefined;
}

/** Something that arrived and is not a message, quoted. */
export interface Noise {
  readonly kind: "text" | "blank";
  readonly text: string;
}

/** A bare connection: nothing is checked, completed or held back, because that is what the checks are about. */
export interface Wire {
  readonly transport: "stdio" | "http" | "sse" | "tcp" | "websocket";
  /** Sends one JSON value and waits for the response; with no id it returns when the value was taken. */
  exchange(message: unknown, options?: ExchangeOptions): Promise<Exchange>;
  /** Sends text as it is, followed by a line break on streams. */
  sendText(text: string): Promise<Exchange>;
  /** Everything that arrived so far and was asked for by nobody. */
  readonly unasked: readonly unknown[];
  /** Everything that arrived so far and is not JSON. */
  readonly noise: readonly Noise[];
  /** Whether the server can still be spoken to. */
  readonly isOpen: boolean;
  /** Why nothing comes, as far as that can be seen from here; empty when nothing is known. */
  readonly silence: string;
  /** Ends the connection. Says how the server took it. */
  close(): Promise<{ readonly wasKilled: boolean }>;
}

/** Opens connections to one server. */
export interface WireFactory {
  readonly transport: Wire["transport"];
  open(): Promise<Wire>;
}
