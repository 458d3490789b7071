/*
 * Messages between the inspector and its page. The inspector sends events on one stream; the page sends commands, each in a POST request of its own.
 * Results of commands arrive as events too, because a browser opens only a few connections to one address, and a call may wait for input.
 */

/** Message as the timeline shows it. */
export interface TimelineEntry {
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Its connection: between the page's client and the gateway (`client`), or between the gateway and the server (`server`). */
  readonly side: "client" | "server";
  readonly connection: string;
  readonly direction: "to-server" | "to-client";
  /** Revision of the connection, if it is known already. */
  readonly protocol?: string;
  readonly kind: "request" | "notification" | "result" | "error" | "other";
  /** Method of the message, or of the request it responds to. */
  readonly method?: string;
  /** Name or URI in its params. */
  readonly subject?: string;
  readonly id?: string | number;
  /** Sequence of the request it responds to. */
  readonly request?: number;
  /** True for a result in which a tool reports a failure. */
  readonly isFailure?: true;
  /** The message as JSON. */
  readonly json: string;
  /** Characters of the whole message, if `json` is only its beginning. */
  readonly length?: number;
  readonly problem?: { readonly path: string; readonly message: string };
  readonly losses?: readonly { readonly path: string; readonly reason: string }[];
}

/** Revision to choose on the page. */
export interface RevisionSummary {
  readonly id: string;
  readonly lifecycle: "handshake" | "per-request";
  /** Methods of requests for clients. */
  readonly methods: readonly string[];
}

/** Session of the page's client at one revision. */
export type SessionState =
  | { readonly kind: "opening" }
  | {
      readonly kind: "open";
      readonly serverInfo: Readonly<Record<string, unknown>>;
      readonly capabilities: Readonly<Record<string, unknown>>;
      readonly instructions?: string;
    }
  | { readonly kind: "closed"; readonly reason: string };

/** Everything shown on the page apart from messages. */
export interface InspectorState {
  /** Version of this package. */
  readonly version: string;
  /** Address or command of the server. */
  readonly target: string;
  /** Revision of the server itself. */
  readonly spoken: string;
  readonly revisions: readonly RevisionSummary[];
  /** Sessions by revision. */
  readonly sessions: Readonly<Record<string, SessionState>>;
  /** URIs of the roots of the client. */
  readonly roots: readonly string[];
}

/** Request of the server waiting for a response by hand. */
export interface InputRequest {
  readonly id: number;
  readonly kind: "form" | "url" | "sampling";
  readonly protocol: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Error as the page shows it. */
export interface ShownError {
  readonly message: string;
  /** True if the server does not have the method, or has not declared its capability. */
  readonly isMissing?: true;
  readonly code?: number;
  readonly data?: unknown;
}

/** Event from the inspector to its page. */
export type InspectorEvent =
  | { readonly kind: "state"; readonly state: InspectorState }
  /** Begins the timeline from the first message that is kept. */
  | { readonly kind: "reset" }
  | { readonly kind: "traffic"; readonly entries: readonly TimelineEntry[] }
  | { readonly kind: "input"; readonly requests: readonly InputRequest[] }
  | { readonly kind: "result"; readonly command: string; readonly result: unknown }
  | { readonly kind: "error"; readonly command: string; readonly error: ShownError }
  | { readonly kind: "progress"; readonly command: string; readonly progress: ShownProgress }
  | { readonly kind: "list-changed"; readonly protocol: string; readonly list: string }
  /** Output of the server on stderr. */
  | { readonly kind: "output"; readonly text: string };

/** Progress of a call. */
export interface ShownProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Command of the page; the path of the POST request is its kind. */
export type PageCommand =
  /** Sends a request at a revision. `id` is chosen by the page; the result is an event with it. */
  | {
      readonly kind: "request";
      readonly id: string;
      readonly protocol: string;
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>>;
      /** True to send exactly these params, and nothing else. */
      readonly isRaw?: boolean;
    }
  | { readonly kind: "cancel"; readonly id: string }
  | { readonly kind: "connect"; readonly protocol: string }
  | { readonly kind: "disconnect"; readonly protocol: string }
  /** Responds to an input request, or rejects it with an error message. */
  | { readonly kind: "input"; readonly id: number; readonly response?: object; readonly rejection?: string }
  | { readonly kind: "roots"; readonly roots: readonly string[] }
  /** Serves a document for a sandboxed frame, once. */
  | { readonly kind: "view"; readonly html: string };
