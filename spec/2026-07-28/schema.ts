/**
 * The declarations of the Model Context Protocol, revision 2026-07-28.
 *
 * Names and shapes are those of the specification, in its order; tests prove them equal. The comments are this project's own.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28
 */

/**
 * Any value that JSON can express, `null` included.
 *
 * @category Common Types
 */
export type JSONValue = string | number | boolean | null | JSONObject | JSONArray;

/**
 * JSON object with arbitrary members.
 *
 * @category Common Types
 */
export type JSONObject = { [key: string]: JSONValue };

/**
 * JSON array whose elements may be of any JSON type.
 *
 * @category Common Types
 */
export type JSONArray = JSONValue[];

/**
 * Any single message that can travel over a transport: request, notification, success response or
 * error response. Batches (JSON arrays) are not valid.
 *
 * @category JSON-RPC
 */
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse;

/**
 * Revision date that identifies this version of the protocol on the wire.
 *
 * @internal
 */
export const LATEST_PROTOCOL_VERSION = "2026-07-28";

/**
 * Required value of the `jsonrpc` member in all messages.
 *
 * @internal
 */
export const JSONRPC_VERSION = "2.0";

/**
 * Free-form metadata in a `_meta` field. Keys are an optional reverse-DNS prefix plus a name
 * (`com.example/trace`); prefixes whose second label is `mcp` or `modelcontextprotocol` are reserved.
 *
 * Pass unknown keys through untouched. `traceparent`, `tracestate` and `baggage` are allowed without a
 * prefix and follow the W3C formats.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta
 * @category Common Types
 */
export type MetaObject = Record<string, unknown>;

/**
 * The `_meta` of every client request: it names the protocol version and the client capabilities,
 * because there is no handshake to remember them from. A request without either is rejected with
 * `-32602` (HTTP 400).
 *
 * @category Common Types
 */
export interface RequestMetaObject extends MetaObject {
  /**
   * Asks for `notifications/progress` while the request runs; each one repeats this token. Pick a value
   * unique among your active requests, and expect that the server may send none.
   */
  progressToken?: ProgressToken;

  /**
   * Revision the request is written in, such as `"2026-07-28"`. Over HTTP it must equal the
   * `MCP-Protocol-Version` header (otherwise 400 with `-32020`); a version the server does not speak
   * yields `-32022`.
   */
  "io.modelcontextprotocol/protocolVersion": string;

  /**
   * Name and version of the client; should be sent with each request, yet servers must work without it.
   * Unverified: good for logs and display, not for access decisions or feature switches.
   */
  "io.modelcontextprotocol/clientInfo"?: Implementation;

  /**
   * What the client can do for this one request; `{}` means nothing optional. Servers must not remember
   * it across requests, and answer `-32021` when something they need is missing.
   */
  "io.modelcontextprotocol/clientCapabilities": ClientCapabilities;

  /**
   * Lowest severity of `notifications/message` the client wants while this request runs. Without it the
   * server must not log to the client at all.
   * @deprecated Protocol logging is being phased out since revision 2026-07-28 (SEP-2577); it stays
   * usable for a year or longer.
   */
  "io.modelcontextprotocol/logLevel"?: LoggingLevel;
}

/**
 * The `_meta` of a notification: free-form metadata plus the tag that ties it to a subscription.
 *
 * @category Common Types
 */
export interface NotificationMetaObject extends MetaObject {
  /**
   * Id of the `subscriptions/listen` request whose stream carries this notification, with its JSON type
   * kept (`7` is not `"7"`). Present on everything sent over such a stream, absent elsewhere, for
   * example on progress.
   */
  "io.modelcontextprotocol/subscriptionId"?: RequestId;
}

/**
 * The `_meta` of a result: free-form metadata plus the identity of the server.
 *
 * @category Common Types
 */
export interface ResultMetaObject extends MetaObject {
  /**
   * Name and version of the server; should accompany each result. Unverified: good for logs and display,
   * not for trust decisions or feature switches.
   */
  "io.modelcontextprotocol/serverInfo"?: Implementation;
}

/**
 * Opaque value chosen by the sender of a request and repeated in every `notifications/progress` about
 * it. Numbers must be integers, and a token must be unique among the sender's active requests.
 *
 * @category Common Types
 */
export type ProgressToken = string | number;

/**
 * Position in a paginated list, issued by the server. Treat it as opaque: do not parse, alter or build
 * one yourself; the empty string is a legal value.
 *
 * @category Common Types
 */
export type Cursor = string;

/**
 * Base of all request parameters; adds the mandatory `_meta`.
 *
 * @category Common Types
 */
export interface RequestParams {
  /**
   * Carries the protocol version and client capabilities, which every request must state anew, and
   * optionally client identity, a progress token and further prefixed keys. A missing mandatory key is
   * answered with error `-32602`.
   */
  _meta: RequestMetaObject;
}

/**
 * Base shape of all requests, before the JSON-RPC envelope (`jsonrpc`, `id`) is added.
 *
 * @internal
 */
export interface Request {
  method: string;

  params?: { [key: string]: any };
}

/**
 * Base of all notification parameters; adds the optional `_meta`.
 *
 * @category Common Types
 */
export interface NotificationParams {
  /**
   * Open map of extra data about the notification, keyed by optionally prefixed names
   * (`com.example/key`). On a `subscriptions/listen` stream it must hold the subscription id.
   */
  _meta?: NotificationMetaObject;
}

/**
 * Base shape of all notifications, before the JSON-RPC envelope is added.
 *
 * @internal
 */
export interface Notification {
  method: string;

  params?: { [key: string]: any };
}

/**
 * Discriminator of every result: `"complete"` is the final answer, `"input_required"` asks for input
 * and a retry. Extensions negotiated by both sides may add values such as `"task"`; a client must
 * reject any other, and reads an absent one as `"complete"`.
 *
 * @category Common Types
 */
export type ResultType = "complete" | "input_required" | string;

/**
 * Base shape of every success result, with a mandatory `resultType`; unknown members are allowed and
 * should survive parsing.
 *
 * @category Common Types
 */
export interface Result {
  /**
   * Free-form metadata attached to the answer. Servers should identify themselves here under
   * `io.modelcontextprotocol/serverInfo`.
   */
  _meta?: ResultMetaObject;

  /**
   * Tells the client which shape to expect, for example `complete` or `input_required`. Servers must
   * always set it; a missing value (older servers) means `complete`, and a value the client does not
   * know makes the response invalid.
   */
  resultType: ResultType;

  [key: string]: unknown;
}

/**
 * Body of a JSON-RPC error response. A plain data shape, unrelated to the JavaScript `Error` class.
 *
 * @category Errors
 */
export interface Error {
  /**
   * Integer that identifies the kind of failure, such as `-32602` for invalid parameters. Branch on this
   * rather than on `message`.
   */
  code: number;

  /** One short sentence for people and logs; its wording is not stable. */
  message: string;

  /** Further details in a shape chosen by the sender; some codes prescribe it. */
  data?: unknown;
}

/**
 * Correlates a response with its request. Numbers must be integers, `null` is not allowed, `1` and
 * `"1"` are different ids, and an id must not repeat one that still awaits its response.
 *
 * @category Common Types
 */
export type RequestId = string | number;

/**
 * Wire form of a request; unless it is cancelled, the receiver must answer it with one result or error
 * bearing the same `id`.
 *
 * @category JSON-RPC
 */
export interface JSONRPCRequest extends Request {
  jsonrpc: typeof JSONRPC_VERSION;

  /**
   * Chosen by the sender; `0` and the empty string are valid, so compare with `undefined` rather than
   * testing truthiness.
   */
  id: RequestId;
}

/**
 * Wire form of a one-way message. It has no `id` and must never be answered, not even with an error.
 *
 * @category JSON-RPC
 */
export interface JSONRPCNotification extends Notification {
  jsonrpc: typeof JSONRPC_VERSION;
}

/**
 * Reports that a request succeeded. Exactly one response, this or an error, answers each request.
 *
 * @category JSON-RPC
 */
export interface JSONRPCResultResponse {
  jsonrpc: typeof JSONRPC_VERSION;

  /** Copied from the request, with the same JSON type (`7` is not `"7"`). */
  id: RequestId;

  /** Payload whose type follows from the method of the original request. */
  result: Result;
}

/**
 * Reports that a request failed at the protocol level. Failures inside a tool are not sent this way
 * but as a result with `isError: true`.
 *
 * @category JSON-RPC
 */
export interface JSONRPCErrorResponse {
  jsonrpc: typeof JSONRPC_VERSION;

  /**
   * Copied from the failed request; left out (never `null`) only if the request was too malformed to
   * read its `id`.
   */
  id?: RequestId;

  /** What went wrong. */
  error: Error;
}

/**
 * Wire form of either outcome of a request: success (`result`) or failure (`error`), never both.
 *
 * @category JSON-RPC
 */
export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse;

/** JSON-RPC code for a message that is not valid JSON. */
export const PARSE_ERROR = -32700;

/** JSON-RPC code for valid JSON that is not an acceptable request object. */
export const INVALID_REQUEST = -32600;

/**
 * JSON-RPC code for a method the receiver does not know or whose capability it did not declare; over
 * HTTP it goes with status 404.
 */
export const METHOD_NOT_FOUND = -32601;

/**
 * JSON-RPC code for missing or malformed parameters: unknown tool or prompt names, bad cursors,
 * incomplete request `_meta` and, in this revision, resources that do not exist.
 */
export const INVALID_PARAMS = -32602;

/** JSON-RPC code for an unexpected failure inside the receiver. */
export const INTERNAL_ERROR = -32603;

/**
 * Error member of a response to text that is not valid JSON. The answer usually carries no `id`,
 * because none could be read.
 *
 * @category Errors
 */
export interface ParseError extends Error {
  /** Always `-32700`. */
  code: typeof PARSE_ERROR;
}

/**
 * Error member of a response to valid JSON that is no JSON-RPC request: a batch, a missing or wrongly
 * typed `jsonrpc` or `method`.
 *
 * @category Errors
 */
export interface InvalidRequestError extends Error {
  /** Always `-32600`. */
  code: typeof INVALID_REQUEST;
}

/**
 * Error member of a response to a method the server does not offer, be it unknown or tied to a server
 * capability that is not advertised. HTTP status 404. For a missing client capability see
 * `MissingRequiredClientCapabilityError`.
 *
 * @category Errors
 */
export interface MethodNotFoundError extends Error {
  /** Always `-32601`. */
  code: typeof METHOD_NOT_FOUND;
}

/**
 * Error member of a response to unusable params: incomplete `_meta` (HTTP 400), an unknown tool,
 * prompt or resource, a bad cursor or log level, a rejected `requestState`. Arguments that violate a
 * tool's input schema are better reported as a tool result with `isError: true`, which the model can
 * see and correct.
 *
 * @category Errors
 */
export interface InvalidParamsError extends Error {
  /** Always `-32602`. */
  code: typeof INVALID_PARAMS;
}

/**
 * Error member of a response to a request that failed through no fault of the sender. Keep stack
 * traces and secrets out of `message` and `data`.
 *
 * @category Errors
 */
export interface InternalError extends Error {
  /** Always `-32603`. */
  code: typeof INTERNAL_ERROR;
}

/**
 * JSON-RPC error code for an HTTP request with headers that are absent, malformed, or in conflict with
 * its body.
 *
 * @category Errors
 */
export const HEADER_MISMATCH = -32020;

/**
 * JSON-RPC error code for a request that cannot be served without a client capability it does not
 * declare.
 *
 * @category Errors
 */
export const MISSING_REQUIRED_CLIENT_CAPABILITY = -32021;

/**
 * JSON-RPC error code for a request in a revision the server does not speak.
 *
 * @category Errors
 */
export const UNSUPPORTED_PROTOCOL_VERSION = -32022;

/**
 * Error response with HTTP status 400: a required header is absent or malformed, or disagrees with the
 * body. If it concerns parameter headers, call `tools/list` again, rebuild them and retry once.
 *
 * @category Errors
 */
export interface HeaderMismatchError extends Omit<JSONRPCErrorResponse, "error"> {
  /** The JSON-RPC error object; `message` should name the offending header. */
  error: Error & {
    /** Always `-32020`. */
    code: typeof HEADER_MISMATCH;
  };
}

/**
 * Error response with HTTP status 400: the server does not know, or has not enabled, the version named
 * in `_meta`. The server never downgrades by itself; pick a version from `error.data.supported` and
 * send the request again.
 *
 * @category Errors
 */
export interface UnsupportedProtocolVersionError extends Omit<JSONRPCErrorResponse, "error"> {
  /** The JSON-RPC error object, with both sides' versions in `data`. */
  error: Error & {
    /** Always `-32022`. */
    code: typeof UNSUPPORTED_PROTOCOL_VERSION;

    /** What the client needs to choose another version. */
    data: {
      /**
       * Revisions this server accepts. If you speak none of them, report the incompatibility instead of
       * retrying.
       */
      supported: string[];

      /** The rejected version, as it stood in the request. */
      requested: string;
    };
  };
}

/**
 * Error response with HTTP status 400: the request cannot be served without a client capability that
 * its `_meta` does not declare. Repeat it with the capability declared if you implement it; otherwise
 * the feature is out of reach.
 *
 * @category Errors
 */
export interface MissingRequiredClientCapabilityError extends Omit<JSONRPCErrorResponse, "error"> {
  /** The JSON-RPC error object, with the missing capabilities in `data`. */
  error: Error & {
    /** Always `-32021`. */
    code: typeof MISSING_REQUIRED_CLIENT_CAPABILITY;

    /** Says which capabilities are missing. */
    data: {
      /**
       * The missing capabilities in the shape of `ClientCapabilities`, for example `{ elicitation: { url: {}
       * } }`, not a list of names.
       */
      requiredCapabilities: ClientCapabilities;
    };
  };
}

/**
 * Bare acknowledgement for methods that have nothing to return; `resultType` is still mandatory.
 *
 * @category Common Types
 */
export type EmptyResult = Result;

/**
 * One question of the server to the client, embedded in an `InputRequiredResult`. It has a `method`
 * and usually `params` but is no JSON-RPC message: no `jsonrpc`, no `id`.
 *
 * @internal
 */
export type InputRequest = CreateMessageRequest | ListRootsRequest | ElicitRequest;

/**
 * Answer to one `InputRequest`. The union has no tag: decode it by the kind of request that was issued
 * under the same key.
 *
 * @internal
 */
export type InputResponse = CreateMessageResult | ListRootsResult | ElicitResult;

/**
 * Questions the client has to answer before it retries, under keys chosen by the server. Only kinds
 * and modes declared in the capabilities of the current request may appear.
 *
 * @category Multi Round-Trip
 */
export interface InputRequests {
  [key: string]: InputRequest;
}

/**
 * Answers to the latest `InputRequests`, under the same keys. Send those of this round only; the
 * server ignores keys it does not know.
 *
 * @category Multi Round-Trip
 */
export interface InputResponses {
  [key: string]: InputResponse;
}

/**
 * Answer to `tools/call`, `prompts/get` or `resources/read` when the server needs something from the
 * user, the model or the client first. Collect the answers, then send the same request again with a
 * new `id`, `inputResponses` and the unchanged `requestState`. It must carry `inputRequests`,
 * `requestState` or both.
 *
 * @category Multi Round-Trip
 */
export interface InputRequiredResult extends Result {
  /**
   * Questions to answer before the retry. If absent, retry with `requestState` alone, after a short
   * pause.
   */
  inputRequests?: InputRequests;

  /**
   * Opaque server state: repeat it byte for byte in the retry, never parse or alter it, and omit it
   * there when absent here. Servers must treat what comes back as hostile and protect its integrity
   * (HMAC or authenticated encryption) if anything depends on it.
   */
  requestState?: string;
}

/**
 * Base of the params of requests that may be answered with an `InputRequiredResult`; both fields are
 * set on the retry only.
 */
export interface InputResponseRequestParams extends RequestParams {
  /**
   * Answers to the questions of the preceding `InputRequiredResult`, one per key. Earlier rounds are not
   * repeated.
   */
  inputResponses?: InputResponses;

  /**
   * The `requestState` of the preceding `InputRequiredResult`, unchanged; omitted if there was none. A
   * server that cannot verify it should answer with `-32602`.
   */
  requestState?: string;
}

/**
 * Parameters of `notifications/cancelled`: which request to abandon and why.
 *
 * @category `notifications/cancelled`
 */
export interface CancelledNotificationParams extends NotificationParams {
  /**
   * Id of the request to abandon; it must be one of the client's own, still in flight. Unknown or
   * finished ids are ignored.
   */
  requestId: RequestId;

  /** Free text for logs or the user interface; has no effect on the protocol. */
  reason?: string;
}

/**
 * Sent by the client on shared channels such as stdio to withdraw one of its requests; HTTP clients
 * close the response stream instead. The server should stop the work and send no response, and a late
 * or unknown id is normal (a race). A server may send it only on stdio and only to end a
 * `subscriptions/listen` stream.
 *
 * @category `notifications/cancelled`
 */
export interface CancelledNotification extends JSONRPCNotification {
  method: "notifications/cancelled";

  params: CancelledNotificationParams;
}

/**
 * Asks the server for its protocol versions, capabilities and usage hints. Every server must implement
 * it; for clients it is optional, since each request names its own version and a wrong one is answered
 * with `-32022`.
 *
 * @category `server/discover`
 */
export interface DiscoverRequest extends JSONRPCRequest {
  method: "server/discover";

  params: RequestParams;
}

/**
 * Answer to `server/discover`. The identity of the server is not in the body but in `_meta`, under
 * `io.modelcontextprotocol/serverInfo`.
 *
 * @category `server/discover`
 */
export interface DiscoverResult extends CacheableResult {
  /** Revisions the server accepts in the `_meta` of a request. Use one of them from here on. */
  supportedVersions: string[];

  /**
   * Features the server offers; an absent member means that its methods are not available. There is no
   * change notification: ask again when the result is stale.
   */
  capabilities: ServerCapabilities;

  /**
   * Hints for the model on how to use this server, often added to the system prompt. Not the place to
   * repeat tool descriptions; clients should treat it as untrusted text.
   */
  instructions?: string;
}

/**
 * JSON-RPC response that carries the result of `server/discover`. Errors arrive as
 * `JSONRPCErrorResponse` instead.
 *
 * @category `server/discover`
 */
export interface DiscoverResultResponse extends JSONRPCResultResponse {
  result: DiscoverResult;
}

/**
 * Features the client declares in the `_meta` of every request, not once per connection. A present key
 * means support, even with `{}` as value; unknown keys are allowed.
 *
 * @category `server/discover`
 */
export interface ClientCapabilities {
  /**
   * Features outside the standard, keyed by name with a settings object each; both sides need prior
   * agreement on their meaning.
   */
  experimental?: { [key: string]: JSONObject };

  /**
   * Declares that the client can answer a `roots/list` input request; absent means the server must not
   * ask.
   * @deprecated Roots are on their way out since this revision (SEP-2577); pass locations as tool
   * arguments or configuration instead.
   */
  roots?: {};

  /**
   * Declares that the client can answer a `sampling/createMessage` input request; `{}` covers plain
   * sampling, and the inner keys add optional features.
   * @deprecated Sampling is on its way out since this revision (SEP-2577); call a model provider from
   * the server instead.
   */
  sampling?: {
    /**
     * Present when the client honours `includeContext` values other than `none`; without it, servers
     * should not send those.
     */
    context?: JSONObject;

    /**
     * Present when the client accepts `tools` and `toolChoice` in sampling requests; otherwise such a
     * request must fail with an error.
     */
    tools?: JSONObject;
  };

  /**
   * Declares that the client can ask its user for input when a result requests `elicitation/create`. The
   * inner keys name the supported modes; `{}` means form mode only.
   */
  elicitation?: {
    /** Present when the client can show a form built from a requested schema. */
    form?: JSONObject;

    /**
     * Present when the client can send the user to a URL, which suits secrets and payments that must not
     * pass through the client. Servers must not use this mode without it.
     */
    url?: JSONObject;
  };

  /**
   * Protocol extensions the client has enabled, keyed by prefixed identifier such as
   * `io.modelcontextprotocol/ui`. The value holds that extension's settings; `{}` enables it without
   * any.
   */
  extensions?: { [key: string]: JSONObject };
}

/**
 * Features the server declares in its `server/discover` answer. A present key means support, even with
 * `{}` as value; unknown keys are allowed.
 *
 * @category `server/discover`
 */
export interface ServerCapabilities {
  /**
   * Features outside the standard, keyed by name with a settings object each; both sides need prior
   * agreement on their meaning.
   */
  experimental?: { [key: string]: JSONObject };

  /**
   * Declares that the server can emit `notifications/message`; it does so only for requests whose
   * `_meta` names a log level.
   * @deprecated Protocol logging is on its way out since this revision (SEP-2577); write to stderr or
   * use OpenTelemetry instead.
   */
  logging?: JSONObject;

  /**
   * Declares that the server answers `completion/complete` for prompt arguments and resource template
   * variables.
   */
  completions?: JSONObject;

  /** Declares that the server answers `prompts/list` and `prompts/get`. */
  prompts?: {
    /**
     * When `true`, clients can receive `notifications/prompts/list_changed` by asking for it in
     * `subscriptions/listen`. Absent means `false`.
     */
    listChanged?: boolean;
  };

  /**
   * Declares that the server answers `resources/list`, `resources/templates/list` and `resources/read`;
   * the two inner flags are independent of each other.
   */
  resources?: {
    /**
     * When `true`, clients may follow single resources by naming their URIs in `subscriptions/listen`.
     * Absent means `false`.
     */
    subscribe?: boolean;

    /**
     * When `true`, clients can receive `notifications/resources/list_changed` by asking for it in
     * `subscriptions/listen`. Absent means `false`.
     */
    listChanged?: boolean;
  };

  /** Declares that the server answers `tools/list` and `tools/call`. */
  tools?: {
    /**
     * When `true`, clients can receive `notifications/tools/list_changed` by asking for it in
     * `subscriptions/listen`. Absent means `false`.
     */
    listChanged?: boolean;
  };

  /**
   * Protocol extensions the server has enabled, keyed by prefixed identifier such as
   * `io.modelcontextprotocol/tasks`. The value holds that extension's settings; `{}` enables it without
   * any.
   */
  extensions?: { [key: string]: JSONObject };
}

/**
 * Image that a user interface may show beside an implementation, tool, prompt or resource.
 *
 * @category Common Types
 */
export interface Icon {
  /**
   * Where to load the image: a web URL, preferably `https:`, or a `data:` URI with base64 content. Load
   * it without credentials, reject other schemes, trust only hosts that belong to the peer or are known
   * to be safe, and treat SVG as untrusted code since it may contain scripts.
   *
   * @format uri
   */
  src: string;

  /** Media type such as `image/png`, for when the source declares none or only a generic one. */
  mimeType?: string;

  /**
   * Pixel sizes the image suits, written as `"48x48"`, or `"any"` for scalable graphics. Fits every size
   * when absent.
   */
  sizes?: string[];

  /** Background the image is drawn for, `light` or `dark`. Works on both when absent. */
  theme?: "light" | "dark";
}

/**
 * Mixin that adds `icons` to a declaration.
 *
 * @internal
 */
export interface Icons {
  /**
   * Images to choose from by size and theme. A client that shows icons must handle PNG and JPEG, and
   * should handle SVG (sanitized) and WebP too.
   */
  icons?: Icon[];
}

/**
 * Base of everything that has both an identifier (`name`) and a label for people (`title`).
 *
 * @internal
 */
export interface BaseMetadata {
  /** Identifier for use in code and in requests. Doubles as the label when `title` is missing. */
  name: string;

  /**
   * Label for people, without technical jargon. When it is missing, show `name`; for a tool, try
   * `annotations.title` first.
   */
  title?: string;
}

/**
 * Identity by which a client or server introduces itself: name, version and optional display data such
 * as title, icons and website. Self-declared: fine for logs and display, not for security decisions.
 *
 * @category `server/discover`
 */
export interface Implementation extends BaseMetadata, Icons {
  /** Version of the program (not of the protocol); any string is legal. */
  version: string;

  /**
   * Short text for people about what the program is for, shown for instance in a list of connected
   * servers.
   */
  description?: string;

  /**
   * Absolute URL of the program's home page. Untrusted input: check the scheme before rendering it as a
   * link.
   *
   * @format uri
   */
  websiteUrl?: string;
}

/**
 * Parameters of `notifications/progress`, sent by the server on the response stream of a request that
 * carried a `progressToken`.
 *
 * @category `notifications/progress`
 */
export interface ProgressNotificationParams extends NotificationParams {
  /**
   * The value the requester put into `_meta.progressToken`, with the same JSON type. Once the request
   * has ended, the token must no longer be used.
   */
  progressToken: ProgressToken;

  /**
   * Amount done so far, in any unit; fractions are allowed. Must be larger in each notification than in
   * the one before, even if `total` is unknown.
   *
   * @TJS-type number
   */
  progress: number;

  /**
   * Amount at which the work is done, in the same unit as `progress`; absent when unknown.
   *
   * @TJS-type number
   */
  total?: number;

  /** Short text for people about the current step. */
  message?: string;
}

/**
 * Reports how far a running request has come, from server to client on the response stream of that
 * request. Allowed only while the request is active and only if it carried a `progressToken`.
 *
 * @category `notifications/progress`
 */
export interface ProgressNotification extends JSONRPCNotification {
  method: "notifications/progress";

  params: ProgressNotificationParams;
}

/**
 * Base of the parameters of list requests; adds the optional `cursor`.
 *
 * @category Common Types
 */
export interface PaginatedRequestParams extends RequestParams {
  /**
   * The `nextCursor` of the previous page, passed back unchanged; omit it for the first page. Never
   * parse or build one yourself: a cursor the server does not accept yields error `-32602`.
   */
  cursor?: Cursor;
}

/**
 * Base shape of list requests that return their items page by page.
 *
 * @internal
 */
export interface PaginatedRequest extends JSONRPCRequest {
  params: PaginatedRequestParams;
}

/**
 * Base shape of results that hold one page of a longer list. The server decides the page size.
 *
 * @internal
 */
export interface PaginatedResult extends Result {
  /**
   * Pass it as `cursor` to fetch the following page. Only its absence marks the last page: an empty
   * string is still a cursor, and `null` is invalid.
   */
  nextCursor?: Cursor;
}

/**
 * Base of results that clients may cache: `server/discover`, the four lists and `resources/read`. Key
 * the cache by method and all params, never store the answer to a request that carried
 * `inputResponses` or `requestState`, and drop entries on a matching change notification.
 *
 * @internal
 */
export interface CacheableResult extends Result {
  /**
   * Freshness in milliseconds, counted from receipt; an integer of at least 0. `0` means stale at once,
   * and so should an absent or negative value be read. Not a polling interval: fetch again on the next
   * use.
   *
   * @minimum 0
   */
  ttlMs: number;

  /**
   * Who may reuse the cached result: `"private"` limits it to the same authorization context (for
   * instance the same access token), `"public"` lets anyone share it, proxies included. Servers must not
   * mark user-dependent data `"public"`.
   */
  cacheScope: "public" | "private";
}

/**
 * Asks the server for one page of its resources. Needs the server's `resources` capability.
 *
 * @category `resources/list`
 */
export interface ListResourcesRequest extends PaginatedRequest {
  method: "resources/list";
}

/**
 * Answer to `resources/list`: one page of resources, with `nextCursor` if more follow and cache hints
 * in `ttlMs` and `cacheScope`.
 *
 * @category `resources/list`
 */
export interface ListResourcesResult extends PaginatedResult, CacheableResult {
  /** The resources of this page; may be empty even when more pages follow. */
  resources: Resource[];
}

/**
 * JSON-RPC response that carries the result of `resources/list`. Errors arrive as
 * `JSONRPCErrorResponse` instead.
 *
 * @category `resources/list`
 */
export interface ListResourcesResultResponse extends JSONRPCResultResponse {
  result: ListResourcesResult;
}

/**
 * Asks the server for one page of its URI templates for parameterized resources. Needs the server's
 * `resources` capability.
 *
 * @category `resources/templates/list`
 */
export interface ListResourceTemplatesRequest extends PaginatedRequest {
  method: "resources/templates/list";
}

/**
 * Answer to `resources/templates/list`: one page of templates, with `nextCursor` if more follow and
 * cache hints in `ttlMs` and `cacheScope`.
 *
 * @category `resources/templates/list`
 */
export interface ListResourceTemplatesResult extends PaginatedResult, CacheableResult {
  /** The templates of this page; may be empty even when more pages follow. */
  resourceTemplates: ResourceTemplate[];
}

/**
 * JSON-RPC response that carries the result of `resources/templates/list`. Errors arrive as
 * `JSONRPCErrorResponse` instead.
 *
 * @category `resources/templates/list`
 */
export interface ListResourceTemplatesResultResponse extends JSONRPCResultResponse {
  result: ListResourceTemplatesResult;
}

/**
 * Base of the parameters of `resources/read`; adds the `uri`.
 *
 * @internal
 */
export interface ResourceRequestParams extends RequestParams {
  /**
   * Address of the resource, taken from a listing or expanded from a template. Any scheme is possible,
   * and only the server knows what it means.
   *
   * @format uri
   */
  uri: string;
}

/**
 * Parameters of `resources/read`: the resource whose contents the client wants. After an
 * `input_required` result, the retry adds `inputResponses` and the unchanged `requestState`.
 *
 * @category `resources/read`
 */
export interface ReadResourceRequestParams extends ResourceRequestParams, InputResponseRequestParams {}

/**
 * Asks the server for the contents of one resource. Needs the server's `resources` capability; an
 * unknown URI fails with error -32602, and the server may first ask for input (`input_required`).
 *
 * @category `resources/read`
 */
export interface ReadResourceRequest extends JSONRPCRequest {
  method: "resources/read";

  params: ReadResourceRequestParams;
}

/**
 * Answer to `resources/read`: the contents as text or base64 data, with cache hints in `ttlMs` and
 * `cacheScope`.
 *
 * @category `resources/read`
 */
export interface ReadResourceResult extends CacheableResult {
  /**
   * Often a single item, but reading a container such as a directory may yield several; each has its own
   * `uri`. Never use an empty array to report a missing resource: answer with an error.
   */
  contents: (TextResourceContents | BlobResourceContents)[];
}

/**
 * JSON-RPC response that carries the result of `resources/read`, or a call for more input. Errors
 * arrive as `JSONRPCErrorResponse` instead.
 *
 * @category `resources/read`
 */
export interface ReadResourceResultResponse extends JSONRPCResultResponse {
  /**
   * Check `resultType`: `"complete"` marks the final result, `"input_required"` asks for input and a
   * retry.
   */
  result: ReadResourceResult | InputRequiredResult;
}

/**
 * Tells the client that resources were added or removed, so it can call `resources/list` again.
 * Arrives only on a `subscriptions/listen` stream opened with `resourcesListChanged`.
 *
 * @category `notifications/resources/list_changed`
 */
export interface ResourceListChangedNotification extends JSONRPCNotification {
  method: "notifications/resources/list_changed";

  params?: NotificationParams;
}

/**
 * Change notifications wanted on a `subscriptions/listen` stream. Nothing is on by default; the server
 * must not send a kind that is not listed. Extensions may add members.
 *
 * @category `subscriptions/listen`
 */
export interface SubscriptionFilter {
  /**
   * `true` asks for `notifications/tools/list_changed`; honored if the server advertises
   * `tools.listChanged`.
   */
  toolsListChanged?: boolean;

  /**
   * `true` asks for `notifications/prompts/list_changed`; honored if the server advertises
   * `prompts.listChanged`.
   */
  promptsListChanged?: boolean;

  /**
   * `true` asks for `notifications/resources/list_changed`; honored if the server advertises
   * `resources.listChanged`.
   */
  resourcesListChanged?: boolean;

  /**
   * URIs of resources to watch through `notifications/resources/updated`; honored if the server
   * advertises `resources.subscribe`. An update may name a URI below a watched one.
   */
  resourceSubscriptions?: string[];
}

/**
 * Body of `subscriptions/listen`.
 *
 * @category `subscriptions/listen`
 */
export interface SubscriptionsListenRequestParams extends RequestParams {
  /** What to be notified about. The acknowledgement tells which part of it the server honors. */
  notifications: SubscriptionFilter;
}

/**
 * Opens a stream of change notifications that lasts until either side ends it. Several may be open at
 * once; none survives a reconnect and nothing is replayed, so subscribe again and then fetch afresh
 * what you depend on.
 *
 * @category `subscriptions/listen`
 */
export interface SubscriptionsListenRequest extends JSONRPCRequest {
  method: "subscriptions/listen";

  params: SubscriptionsListenRequestParams;
}

/**
 * The `_meta` of the result that ends a subscription.
 *
 * @category `subscriptions/listen`
 */
export interface SubscriptionsListenResultMetaObject extends ResultMetaObject {
  /**
   * Id of the `subscriptions/listen` request that ends here, with its JSON type kept; the same as the
   * `id` of this response.
   */
  "io.modelcontextprotocol/subscriptionId": RequestId;
}

/**
 * Answer to `subscriptions/listen`, sent only when the server ends the subscription in an orderly way.
 * A stream that breaks off without it ended unexpectedly, and the client may subscribe again.
 *
 * @category `subscriptions/listen`
 */
export interface SubscriptionsListenResult extends Result {
  /** Required here, unlike on other results, because it names the subscription that ends. */
  _meta: SubscriptionsListenResultMetaObject;
}

/**
 * JSON-RPC response that ends a `subscriptions/listen` stream in an orderly way. Errors arrive as
 * `JSONRPCErrorResponse` instead.
 *
 * @category `subscriptions/listen`
 */
export interface SubscriptionsListenResultResponse extends JSONRPCResultResponse {
  result: SubscriptionsListenResult;
}

/**
 * Body of `notifications/subscriptions/acknowledged`.
 *
 * @category `notifications/subscriptions/acknowledged`
 */
export interface SubscriptionsAcknowledgedNotificationParams extends NotificationParams {
  /**
   * The part of the requested filter that the server honors. Compare it with your request: kinds the
   * server cannot deliver are silently left out.
   */
  notifications: SubscriptionFilter;
}

/**
 * Confirms a `subscriptions/listen` request and tells which notifications will follow. It must come
 * before any other message of that subscription; on a shared channel such as stdio, messages of other
 * subscriptions may arrive in between.
 *
 * @category `notifications/subscriptions/acknowledged`
 */
export interface SubscriptionsAcknowledgedNotification extends JSONRPCNotification {
  method: "notifications/subscriptions/acknowledged";

  params: SubscriptionsAcknowledgedNotificationParams;
}

/**
 * Parameters of `notifications/resources/updated`, sent by the server on a `subscriptions/listen`
 * stream that asked for this resource. They contain no new contents: call `resources/read` to fetch
 * them.
 *
 * @category `notifications/resources/updated`
 */
export interface ResourceUpdatedNotificationParams extends NotificationParams {
  /**
   * What changed. It can lie below the subscribed URI, so do not match subscriptions by equality alone.
   *
   * @format uri
   */
  uri: string;
}

/**
 * Tells the client that a resource changed; it carries only the URI, so call `resources/read` for the
 * new contents. Arrives only on a `subscriptions/listen` stream whose `resourceSubscriptions` covers
 * the resource.
 *
 * @category `notifications/resources/updated`
 */
export interface ResourceUpdatedNotification extends JSONRPCNotification {
  method: "notifications/resources/updated";

  params: ResourceUpdatedNotificationParams;
}

/**
 * Entry of `resources/list`: describes something the client can fetch with `resources/read`. It holds
 * no contents.
 *
 * @category `resources/list`
 */
export interface Resource extends BaseMetadata, Icons {
  /**
   * Identifies the resource; pass it to `resources/read` as is.
   *
   * @format uri
   */
  uri: string;

  /** Explains what the resource holds; hosts may pass it to the model to help it choose. */
  description?: string;

  /** Media type of the contents, such as `text/markdown`; absent when the server cannot tell. */
  mimeType?: string;

  /** Hints for the client: audience and priority. The receiver may ignore them. */
  annotations?: Annotations;

  /**
   * Length of the raw contents in bytes, before any base64 encoding; absent when unknown. Useful for
   * size displays and rough context estimates, not as a guarantee.
   */
  size?: number;

  /** Free-form metadata; the specification keeps some prefixes of its keys for MCP itself. */
  _meta?: MetaObject;
}

/**
 * Entry of `resources/templates/list`: describes a family of resources whose URIs come from filling in
 * a template.
 *
 * @category `resources/templates/list`
 */
export interface ResourceTemplate extends BaseMetadata, Icons {
  /**
   * RFC 6570 template, for example `file:///{path}`; expand it, then pass the URI to `resources/read`.
   * Values for its variables can come from `completion/complete`.
   *
   * @format uri-template
   */
  uriTemplate: string;

  /** Explains what the matching resources hold; hosts may pass it to the model to help it choose. */
  description?: string;

  /** Media type shared by every matching resource; leave it out when they differ. */
  mimeType?: string;

  /** Hints for the client: audience and priority. The receiver may ignore them. */
  annotations?: Annotations;

  /** Free-form metadata; the specification keeps some prefixes of its keys for MCP itself. */
  _meta?: MetaObject;
}

/**
 * Base shape of one piece of resource data; the actual payload is in `text` or `blob` of the subtypes.
 *
 * @internal
 */
export interface ResourceContents {
  /**
   * Identifies this item; it can differ from the requested URI when a container was read.
   *
   * @format uri
   */
  uri: string;

  /** Media type of this item, such as `text/markdown`; absent when the server cannot tell. */
  mimeType?: string;

  /** Free-form metadata; the specification keeps some prefixes of its keys for MCP itself. */
  _meta?: MetaObject;
}

/**
 * Resource data delivered as text. Tell it apart from `BlobResourceContents` by the presence of
 * `text`.
 *
 * @category Content
 */
export interface TextResourceContents extends ResourceContents {
  /** The data as a plain string, possibly empty. Use `blob` for anything that is not truly textual. */
  text: string;
}

/**
 * Resource data delivered as base64. Tell it apart from `TextResourceContents` by the presence of
 * `blob`.
 *
 * @category Content
 */
export interface BlobResourceContents extends ResourceContents {
  /**
   * The raw bytes in base64; the encoding makes them about a third larger on the wire.
   *
   * @format byte
   */
  blob: string;
}

/**
 * Asks the server for one page of its prompts. Needs the server's `prompts` capability.
 *
 * @category `prompts/list`
 */
export interface ListPromptsRequest extends PaginatedRequest {
  method: "prompts/list";
}

/**
 * Answer to `prompts/list`: one page of prompts, with `nextCursor` if more follow and cache hints in
 * `ttlMs` and `cacheScope`.
 *
 * @category `prompts/list`
 */
export interface ListPromptsResult extends PaginatedResult, CacheableResult {
  /** The prompts of this page; may be empty even when more pages follow. */
  prompts: Prompt[];
}

/**
 * JSON-RPC response that carries the result of `prompts/list`. Errors arrive as `JSONRPCErrorResponse`
 * instead.
 *
 * @category `prompts/list`
 */
export interface ListPromptsResultResponse extends JSONRPCResultResponse {
  result: ListPromptsResult;
}

/**
 * Parameters of `prompts/get`: which prompt to render and with what values. After an `input_required`
 * result, the retry adds `inputResponses` and the unchanged `requestState`.
 *
 * @category `prompts/get`
 */
export interface GetPromptRequestParams extends InputResponseRequestParams {
  /**
   * The prompt's `name` as listed by `prompts/list`, not its `title`; an unknown one yields error
   * `-32602`.
   */
  name: string;

  /**
   * Values for the prompt's declared arguments, strings only. Leaving out a required one yields error
   * `-32602`.
   */
  arguments?: { [key: string]: string };
}

/**
 * Asks the server to fill in one prompt and return its messages. Needs the server's `prompts`
 * capability; an unknown name or a missing required argument fails with error -32602, and the server
 * may first ask for input (`input_required`).
 *
 * @category `prompts/get`
 */
export interface GetPromptRequest extends JSONRPCRequest {
  method: "prompts/get";

  params: GetPromptRequestParams;
}

/**
 * Final answer to `prompts/get`: the prompt with its arguments filled in, ready to be placed in a
 * conversation. The server may first return an `InputRequiredResult`.
 *
 * @category `prompts/get`
 */
export interface GetPromptResult extends Result {
  /** Says what the prompt is for, in words a person can read; it is not part of the conversation. */
  description?: string;

  /** The conversation turns to insert, in order. */
  messages: PromptMessage[];
}

/**
 * JSON-RPC response that carries the result of `prompts/get`, or a call for more input. Errors arrive
 * as `JSONRPCErrorResponse` instead.
 *
 * @category `prompts/get`
 */
export interface GetPromptResultResponse extends JSONRPCResultResponse {
  /**
   * Check `resultType`: `"complete"` marks the final result, `"input_required"` asks for input and a
   * retry.
   */
  result: GetPromptResult | InputRequiredResult;
}

/**
 * Entry of a `prompts/list` answer: a reusable message template that a user can pick, for example as a
 * slash command. Fetch its messages with `prompts/get`.
 *
 * @category `prompts/list`
 */
export interface Prompt extends BaseMetadata, Icons {
  /** Tells the user what the prompt does. */
  description?: string;

  /** The inputs that `prompts/get` accepts for this prompt; absent means it takes none. */
  arguments?: PromptArgument[];

  /** Free-form metadata; the specification keeps some prefixes of its keys for MCP itself. */
  _meta?: MetaObject;
}

/**
 * One input of a prompt. Its value is always a string, and clients can offer suggestions for it
 * through `completion/complete`.
 *
 * @category `prompts/list`
 */
export interface PromptArgument extends BaseMetadata {
  /** Tells the user what to enter. */
  description?: string;

  /** `true` if `prompts/get` fails without a value, usually with error `-32602`; absent means optional. */
  required?: boolean;
}

/**
 * Who speaks in a message, or whom content is meant for: the human side (`user`) or the model
 * (`assistant`). No `system` role exists.
 *
 * @category Common Types
 */
export type Role = "user" | "assistant";

/**
 * One turn of a prompt. Unlike a sampling message it may carry resources, and it always holds exactly
 * one content block.
 *
 * @category `prompts/get`
 */
export interface PromptMessage {
  /** Whose turn the message is written as. */
  role: Role;

  /** A single content block; use several messages to send several blocks. */
  content: ContentBlock;
}

/**
 * Content block that names a resource by URI instead of carrying its data; the client gets the data
 * with `resources/read`. The resource may be missing from `resources/list`.
 *
 * @category Content
 */
export interface ResourceLink extends Resource {
  type: "resource_link";
}

/**
 * Content block that carries a whole resource, text or binary, inline in a prompt message or tool
 * result, so no `resources/read` is needed. The client decides how to show it.
 *
 * @category Content
 */
export interface EmbeddedResource {
  type: "resource";

  /** The URI with the data itself: a `text` string, or a base64 `blob` for binary content. */
  resource: TextResourceContents | BlobResourceContents;

  /** Hints for the client: audience, priority, last change. The receiver may ignore them. */
  annotations?: Annotations;

  /** Free-form metadata; the specification keeps some prefixes of its keys for MCP itself. */
  _meta?: MetaObject;
}

/**
 * Sent by the server when its set of prompts changes, so that clients fetch `prompts/list` again.
 * Arrives only on an open `subscriptions/listen` stream whose filter sets `promptsListChanged`, and
 * needs the server's `prompts.listChanged` capability.
 *
 * @category `notifications/prompts/list_changed`
 */
export interface PromptListChangedNotification extends JSONRPCNotification {
  method: "notifications/prompts/list_changed";

  params?: NotificationParams;
}

/**
 * Asks the server which tools it offers, one page at a time. Needs the server's `tools` capability.
 *
 * @category `tools/list`
 */
export interface ListToolsRequest extends PaginatedRequest {
  method: "tools/list";
}

/**
 * Answer to `tools/list`: one page of tools, with `ttlMs` and `cacheScope` saying how long and for
 * whom it may be cached. A `nextCursor` means that more pages follow.
 *
 * @category `tools/list`
 */
export interface ListToolsResult extends PaginatedResult, CacheableResult {
  /**
   * The tools on this page; may be empty. Keep the order stable between calls, since it feeds the prompt
   * cache of models.
   */
  tools: Tool[];
}

/**
 * JSON-RPC response that carries the result of `tools/list`. Errors arrive as `JSONRPCErrorResponse`
 * instead.
 *
 * @category `tools/list`
 */
export interface ListToolsResultResponse extends JSONRPCResultResponse {
  result: ListToolsResult;
}

/**
 * Final answer to `tools/call`. A failure inside the tool, invalid argument values included, is
 * returned here with `isError: true`, so that the model can read it and try again; an unknown tool is
 * a JSON-RPC error instead.
 *
 * @category `tools/call`
 */
export interface CallToolResult extends Result {
  /**
   * What the model gets to read, in order; may be an empty array but must be present. With
   * `structuredContent`, also include the same JSON as a text block for clients that only read this
   * field.
   */
  content: ContentBlock[];

  /**
   * Machine-readable output: any JSON value, `null` included, so test for presence rather than
   * truthiness. If the tool declares an `outputSchema`, a successful result must carry a value that
   * conforms to it, and clients should validate it.
   */
  structuredContent?: unknown;

  /**
   * `true` when the tool failed or rejected its argument values; `content` explains why, and the model
   * can correct itself. Absent means success; unknown tools are reported as JSON-RPC errors, never here.
   */
  isError?: boolean;
}

/**
 * JSON-RPC response that carries the result of `tools/call`, or a call for more input. Errors arrive
 * as `JSONRPCErrorResponse` instead.
 *
 * @category `tools/call`
 */
export interface CallToolResultResponse extends JSONRPCResultResponse {
  /**
   * Check `resultType`: `"complete"` marks the final result, `"input_required"` asks for input and a
   * retry.
   */
  result: CallToolResult | InputRequiredResult;
}

/**
 * Parameters of `tools/call`: which tool to run and with what input. After an `input_required` result,
 * the retry adds `inputResponses` and the unchanged `requestState`.
 *
 * @category `tools/call`
 */
export interface CallToolRequestParams extends InputResponseRequestParams {
  /**
   * The tool's `name` as listed by `tools/list`, not its `title`; case matters, and an unknown one
   * yields error `-32602`.
   */
  name: string;

  /** Input object that has to satisfy the tool's `inputSchema`; omit it for a tool without arguments. */
  arguments?: { [key: string]: unknown };
}

/**
 * Asks the server to run one tool. Needs the server's `tools` capability; an unknown tool name fails
 * with error `-32602`. The server may first answer with an `InputRequiredResult`, after which the
 * client repeats the call with the requested input.
 *
 * @category `tools/call`
 */
export interface CallToolRequest extends JSONRPCRequest {
  method: "tools/call";

  params: CallToolRequestParams;
}

/**
 * Sent by the server when its set of tools changes, so that clients fetch `tools/list` again. Arrives
 * only on an open `subscriptions/listen` stream whose filter sets `toolsListChanged`, and needs the
 * server's `tools.listChanged` capability.
 *
 * @category `notifications/tools/list_changed`
 */
export interface ToolListChangedNotification extends JSONRPCNotification {
  method: "notifications/tools/list_changed";

  params?: NotificationParams;
}

/**
 * Hints on how a tool behaves, for use in a UI or when asking for confirmation. A server can claim
 * anything here, so never decide on the safety of a call by hints from a server you do not trust.
 *
 * @category `tools/list`
 */
export interface ToolAnnotations {
  /** Display name for users; the tool's own `title` wins if both are set. */
  title?: string;

  /** `true` claims that the tool changes nothing. Absent means `false`: assume that it writes. */
  readOnlyHint?: boolean;

  /**
   * `true` warns that the tool may delete or overwrite things, `false` claims that it only adds. Absent
   * means `true`; ignore it when `readOnlyHint` is `true`.
   */
  destructiveHint?: boolean;

  /**
   * `true` claims that repeating an identical call changes nothing further, so a retry is safe. Absent
   * means `false`; ignore it when `readOnlyHint` is `true`.
   */
  idempotentHint?: boolean;

  /**
   * `true` says that the tool reaches systems beyond the server's control, such as the web; `false` says
   * that it stays within a closed set, such as a local note store. Absent means `true`.
   */
  openWorldHint?: boolean;
}

/**
 * Entry of a `tools/list` answer: a function that models can have run through `tools/call`.
 *
 * @category `tools/list`
 */
export interface Tool extends BaseMetadata, Icons {
  /**
   * Says what the tool does and when to use it. Models choose tools by this text, so write it for them;
   * from a server you do not trust, treat it as untrusted input.
   */
  description?: string;

  /**
   * JSON Schema for the `arguments` of `tools/call`, in dialect 2020-12 unless `$schema` names another;
   * the root must have `type: "object"` and may use every other keyword, so keep the ones you do not
   * know. Over Streamable HTTP, clients copy the value of a property marked `x-mcp-header` into a
   * request header, and must drop tools that use the mark wrongly.
   */
  inputSchema: {
    /** URI of the JSON Schema dialect; absent means 2020-12. */
    $schema?: string;

    type: "object";

    [key: string]: unknown;
  };

  /**
   * JSON Schema for `structuredContent` in the results of this tool, in dialect 2020-12 unless `$schema`
   * names another; the root may be of any type. Declaring it obliges the server to return conforming
   * structured output.
   */
  outputSchema?: {
    /** URI of the JSON Schema dialect; absent means 2020-12. */
    $schema?: string;

    [key: string]: unknown;
  };

  /**
   * Hints on how the tool behaves; treat them as untrusted unless you trust the server. To label the
   * tool in a UI, take `title`, else `annotations.title`, else `name`.
   */
  annotations?: ToolAnnotations;

  /** Free-form metadata; the specification keeps some prefixes of its keys for MCP itself. */
  _meta?: MetaObject;
}

/**
 * Parameters of `notifications/message`: one log entry from the server, sent only on the response
 * stream of a request that set `io.modelcontextprotocol/logLevel` in `_meta`. Log entries must not
 * contain credentials or personal data.
 * @deprecated Since 2026-07-28 (SEP-2577), together with the whole logging feature; write to stderr or
 * use OpenTelemetry instead.
 *
 * @category `notifications/message`
 */
export interface LoggingMessageNotificationParams extends NotificationParams {
  /** How serious the entry is. */
  level: LoggingLevel;

  /**
   * Which part of the server wrote the entry; free text, best kept consistent so that clients can filter
   * by it.
   */
  logger?: string;

  /** The entry itself: any JSON value, commonly a string or an object with details. */
  data: unknown;
}

/**
 * Carries one log entry from the server to the client, on the response stream of the request that it
 * concerns. Needs the server's `logging` capability, and must not be sent unless that request set
 * `io.modelcontextprotocol/logLevel` in its `_meta`.
 * @deprecated Protocol logging is on its way out since 2026-07-28; write to stderr or use
 * OpenTelemetry instead.
 *
 * @category `notifications/message`
 */
export interface LoggingMessageNotification extends JSONRPCNotification {
  method: "notifications/message";

  params: LoggingMessageNotificationParams;
}

/**
 * Log severities of syslog, listed from least (`debug`) to most severe (`emergency`).
 * @see https://datatracker.ietf.org/doc/html/rfc5424#section-6.2.1
 * @deprecated Protocol logging is on its way out since 2026-07-28; write to stderr or use
 * OpenTelemetry instead.
 *
 * @category Common Types
 */
export type LoggingLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/**
 * Parameters of `sampling/createMessage`, by which the server borrows the client's model; sent inside
 * `inputRequests` of an `input_required` result. Needs the client's `sampling` capability; the user
 * may review, edit or refuse the prompt.
 * @deprecated Since 2026-07-28 (SEP-2577), together with the whole sampling feature; new servers
 * should call their model provider directly.
 *
 * @category `sampling/createMessage`
 */
export interface CreateMessageRequestParams {
  /**
   * The conversation to continue, oldest message first. Each assistant message with tool uses must be
   * followed by a user message that answers all of them and contains nothing else.
   */
  messages: SamplingMessage[];

  /** Hints on which model to take; the client makes the final choice and may disregard them. */
  modelPreferences?: ModelPreferences;

  /** System prompt the server wishes for; the client is free to change or drop it. */
  systemPrompt?: string;

  /**
   * Asks the client to add context from this server or from all its servers to the prompt, which it may
   * decline. `none` when absent; the other two values presuppose the client's `sampling.context`
   * capability.
   * @deprecated `thisServer` and `allServers` are on their way out (SEP-2596): leave the field out, or
   * set `none`, and put needed context into `messages`.
   */
  includeContext?: "none" | "thisServer" | "allServers";

  /**
   * Randomness of the model; higher is more varied. The valid range depends on the model provider.
   *
   * @TJS-type number
   */
  temperature?: number;

  /** Upper limit on generated tokens, an integer; the client may stop sooner. */
  maxTokens: number;

  /** Strings that end generation as soon as the model produces one of them. */
  stopSequences?: string[];

  /** Provider-specific options handed on to the model API as they are. */
  metadata?: JSONObject;

  /**
   * Tools the model may ask to use. The server runs them itself and sends the results in a follow-up
   * request; a client without `sampling.tools` must reject the request.
   */
  tools?: Tool[];

  /**
   * Whether the model may, must or must not use `tools`; the model decides when absent. A client without
   * `sampling.tools` must reject a request that sets it.
   */
  toolChoice?: ToolChoice;
}

/**
 * Steers tool use by the model during sampling.
 * @deprecated Since 2026-07-28 (SEP-2577), together with the whole sampling feature; new servers
 * should call their model provider directly.
 *
 * @category `sampling/createMessage`
 */
export interface ToolChoice {
  /**
   * `auto` leaves it to the model (default), `required` forces at least one tool use, `none` rules tools
   * out, for example in the last round of a loop.
   */
  mode?: "auto" | "required" | "none";
}

/**
 * Asks the client to run a language model; travels as an entry of `inputRequests` in an
 * `InputRequiredResult`, not as a message of its own. Needs the client's `sampling` capability, and
 * `sampling.tools` to pass tools. The client chooses the model, and should let the user review, edit
 * or refuse the request first.
 * @deprecated Sampling is on its way out since 2026-07-28; call a model provider directly instead.
 * @category `sampling/createMessage`
 */
export interface CreateMessageRequest {
  method: "sampling/createMessage";

  params: CreateMessageRequestParams;
}

/**
 * Answer to `sampling/createMessage`: the message that the model produced, sent under the matching key
 * of `inputResponses` when the client repeats its request. The client should let the user see it, and
 * withhold it if they wish, before it reaches the server.
 * @deprecated Sampling is on its way out since 2026-07-28; call a model provider directly instead.
 * @category `sampling/createMessage`
 */
export interface CreateMessageResult extends SamplingMessage {
  /** Provider's name for the model that was used, which may differ from every hint. */
  model: string;

  /**
   * Why generation ended, if the client knows: the turn was complete, a stop string appeared,
   * `maxTokens` ran out, or (`toolUse`) tools must be run before continuing. Providers may report other
   * values.
   */
  stopReason?: "endTurn" | "stopSequence" | "maxTokens" | "toolUse" | string;
}

/**
 * One turn of the conversation in a `sampling/createMessage` exchange, used both for the input and for
 * the model's reply.
 * @deprecated Sampling is on its way out since 2026-07-28; call a model provider directly instead.
 * @category `sampling/createMessage`
 */
export interface SamplingMessage {
  /** Whose turn the message is. */
  role: Role;

  /**
   * One content block or an array of them, so handle both forms. A `user` message with tool results must
   * hold nothing else, and must answer every tool use of the `assistant` message before it.
   */
  content: SamplingMessageContentBlock | SamplingMessageContentBlock[];

  /** Free-form metadata; the specification keeps some prefixes of its keys for MCP itself. */
  _meta?: MetaObject;
}

/**
 * One piece of a sampling message: text, image, audio, a tool use by the model, or the result of one.
 * Branch on `type` to tell the variants apart.
 * @deprecated Since 2026-07-28 (SEP-2577), together with the whole sampling feature; new servers
 * should call their model provider directly.
 *
 * @category `sampling/createMessage`
 */
export type SamplingMessageContentBlock =
  TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

/**
 * Hints attached to resources and content blocks, which help a client to choose what to show and what
 * to give to the model.
 *
 * @category Common Types
 */
export interface Annotations {
  /** The intended readers: the human (`user`), the model (`assistant`) or both. */
  audience?: Role[];

  /**
   * Importance from 0 (can be dropped) to 1 (practically indispensable).
   *
   * @TJS-type number
   * @minimum 0
   * @maximum 1
   */
  priority?: number;

  /** Time of the latest change, in ISO 8601, such as `2025-06-18T09:30:00Z`. */
  lastModified?: string;
}

/**
 * One piece of unstructured content in a prompt message or a tool result: text, image, audio, a link
 * to a resource, or a resource carried inline. Branch on `type` to tell the variants apart.
 *
 * @category Content
 */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/**
 * Content block with plain text.
 *
 * @category Content
 */
export interface TextContent {
  type: "text";

  /** The text itself. */
  text: string;

  /** Hints for the client: audience, priority, last change. The receiver may ignore them. */
  annotations?: Annotations;

  /** Free-form metadata; the specification keeps some prefixes of its keys for MCP itself. */
  _meta?: MetaObject;
}

/**
 * Content block with an inline image.
 *
 * @category Content
 */
export interface ImageContent {
  type: "image";

  /**
   * The image bytes in base64, without a `data:` prefix.
   *
   * @format byte
   */
  data: string;

  /** Media type of the bytes, such as `image/png`. Which formats work depends on the model. */
  mimeType: string;

  /** Hints for the client: audience, priority, last change. The receiver may ignore them. */
  annotations?: Annotations;

  /** Free-form metadata; the specification keeps some prefixes of its keys for MCP itself. */
  _meta?: MetaObject;
}

/**
 * Content block with inline audio.
 *
 * @category Content
 */
export interface AudioContent {
  type: "audio";

  /**
   * The audio bytes in base64, without a `data:` prefix.
   *
   * @format byte
   */
  data: string;

  /** Media type of the bytes, such as `audio/wav`. Which formats work depends on the model. */
  mimeType: string;

  /** Hints for the client: audience, priority, last change. The receiver may ignore them. */
  annotations?: Annotations;

  /** Free-form metadata; the specification keeps some prefixes of its keys for MCP itself. */
  _meta?: MetaObject;
}

/**
 * Produced by the model during sampling when it wants a tool run. The server executes the tool and
 * returns a matching `ToolResultContent` in the next user message.
 * @deprecated Since 2026-07-28 (SEP-2577), together with the whole sampling feature; new servers
 * should call their model provider directly.
 *
 * @category `sampling/createMessage`
 */
export interface ToolUseContent {
  type: "tool_use";

  /** Identifies this use; the result repeats it in `toolUseId`. */
  id: string;

  /** Which of the offered `tools` to run. */
  name: string;

  /**
   * Arguments written by the model. They should fit the tool's `inputSchema` but need validation before
   * use.
   */
  input: { [key: string]: unknown };

  /**
   * Open map of extra data about this block, keyed by optionally prefixed names (`com.example/key`).
   * Send it back unchanged when the block is replayed in a later sampling request, so that prompt caches
   * still match.
   */
  _meta?: MetaObject;
}

/**
 * Outcome of a tool use, sent back to the model in a user message that contains nothing but tool
 * results.
 * @deprecated Since 2026-07-28 (SEP-2577), together with the whole sampling feature; new servers
 * should call their model provider directly.
 *
 * @category `sampling/createMessage`
 */
export interface ToolResultContent {
  type: "tool_result";

  /** The `id` of the `ToolUseContent` being answered; it must occur in the preceding assistant message. */
  toolUseId: string;

  /** What the tool produced, in the same block types as `CallToolResult.content`. */
  content: ContentBlock[];

  /**
   * The tool's output as any JSON value, even `null`, matching its `outputSchema` if it has one. Test
   * for presence, not truthiness.
   */
  structuredContent?: unknown;

  /** `true` if the tool failed, in which case `content` should say why; `false` when absent. */
  isError?: boolean;

  /**
   * Open map of extra data about this block, keyed by optionally prefixed names (`com.example/key`).
   * Send it back unchanged when the block is replayed in a later sampling request, so that prompt caches
   * still match.
   */
  _meta?: MetaObject;
}

/**
 * Wishes of a server about the model that the client picks for sampling: model names plus weights for
 * cost, speed and intelligence. They are advice only, and the client may weigh or ignore them as it
 * likes.
 * @deprecated Sampling is on its way out since 2026-07-28; call a model provider directly instead.
 * @category `sampling/createMessage`
 */
export interface ModelPreferences {
  /**
   * Preferred models, best first: the client must try them in this order and take the first that fits.
   * They should outrank the numeric priorities, which can settle ties.
   */
  hints?: ModelHint[];

  /**
   * Weight of a low price, from 0 (irrelevant) to 1 (decisive).
   *
   * @TJS-type number
   * @minimum 0
   * @maximum 1
   */
  costPriority?: number;

  /**
   * Weight of low latency, from 0 (irrelevant) to 1 (decisive).
   *
   * @TJS-type number
   * @minimum 0
   * @maximum 1
   */
  speedPriority?: number;

  /**
   * Weight of model capability, from 0 (irrelevant) to 1 (decisive).
   *
   * @TJS-type number
   * @minimum 0
   * @maximum 1
   */
  intelligencePriority?: number;
}

/**
 * Names one model or model family that a server would like for sampling. Only `name` has a defined
 * meaning; clients may interpret other keys as they see fit.
 * @deprecated Sampling is on its way out since 2026-07-28; call a model provider directly instead.
 * @category `sampling/createMessage`
 */
export interface ModelHint {
  /**
   * Model name or part of one: `sonnet` should match any model whose name contains it. A client without
   * such a model may substitute a comparable one of another vendor.
   */
  name?: string;
}

/**
 * Body of `completion/complete`: which argument the user is typing, and what has been typed so far.
 * The server must advertise the `completions` capability.
 *
 * @category `completion/complete`
 */
export interface CompleteRequestParams extends RequestParams {
  /**
   * Prompt (by name) or resource template (by URI) whose argument is being completed. No other kind of
   * reference is valid.
   */
  ref: PromptReference | ResourceTemplateReference;

  /** The one argument being typed; everything already settled belongs in `context.arguments`. */
  argument: {
    /** Name of the prompt argument, or of the variable inside the URI template. */
    name: string;

    /** Text typed so far; may be empty. The server decides how to match it (prefix, fuzzy, ...). */
    value: string;
  };

  /**
   * What the client already knows about the other arguments, so that suggestions can depend on earlier
   * choices.
   */
  context?: {
    /**
     * Values already chosen for sibling arguments, keyed by argument name. Leave out the argument that is
     * being completed.
     */
    arguments?: { [key: string]: string };
  };
}

/**
 * Asks the server for suggestions while the user types an argument of a prompt or a variable of a
 * resource template. Needs the server's `completions` capability.
 *
 * @category `completion/complete`
 */
export interface CompleteRequest extends JSONRPCRequest {
  method: "completion/complete";

  params: CompleteRequestParams;
}

/**
 * Answer to `completion/complete`: suggestions for the argument being typed.
 *
 * @category `completion/complete`
 */
export interface CompleteResult extends Result {
  /** The suggestions and how many there are in all. */
  completion: {
    /**
     * Suggested values, most relevant first, at most 100.
     *
     * @maxItems 100
     */
    values: string[];

    /** How many matches exist altogether, including those not sent; absent if unknown. */
    total?: number;

    /** `true` if the server left out further matches; can be set even when `total` is unknown. */
    hasMore?: boolean;
  };
}

/**
 * JSON-RPC response that carries the result of `completion/complete`. Errors arrive as
 * `JSONRPCErrorResponse` instead.
 *
 * @category `completion/complete`
 */
export interface CompleteResultResponse extends JSONRPCResultResponse {
  result: CompleteResult;
}

/**
 * Names the resource template whose variables `completion/complete` should suggest values for. The
 * spelling `ref/resource` is historic; the counterpart for prompts is `ref/prompt`.
 *
 * @category `completion/complete`
 */
export interface ResourceTemplateReference {
  type: "ref/resource";

  /**
   * The template exactly as the server listed it (for example `file:///{path}`), or a plain URI.
   *
   * @format uri-template
   */
  uri: string;
}

/**
 * Points `completion/complete` at a prompt.
 *
 * @category `completion/complete`
 */
export interface PromptReference extends BaseMetadata {
  type: "ref/prompt";
}

/**
 * Asks the client which directories or files the user wants the server to work in; travels as an entry
 * of `inputRequests` in an `InputRequiredResult`, not as a message of its own. Needs the client's
 * `roots` capability.
 * @deprecated Roots are on their way out since 2026-07-28; pass locations as tool arguments, resource
 * URIs or server configuration instead.
 *
 * @category `roots/list`
 */
export interface ListRootsRequest {
  method: "roots/list";

  params?: {
    /** Free-form metadata; the specification keeps some prefixes of its keys for MCP itself. */
    _meta?: MetaObject;
  };
}

/**
 * Answer to `roots/list`: the directories and files that the user lets the server work in, sent under
 * the matching key of `inputResponses` when the client repeats its request. The client must list only
 * permitted locations, and the server should stay inside them.
 * @deprecated Roots are on their way out since 2026-07-28; pass locations as tool arguments, resource
 * URIs or server configuration instead.
 *
 * @category `roots/list`
 */
export interface ListRootsResult {
  /** All roots at once, as this list is not paginated; may be empty. */
  roots: Root[];
}

/**
 * One directory or file that the client opens up to the server. It is guidance, not a sandbox: nothing
 * in the protocol enforces the boundary.
 * @deprecated Roots are on their way out since 2026-07-28; pass locations as tool arguments, resource
 * URIs or server configuration instead.
 *
 * @category `roots/list`
 */
export interface Root {
  /**
   * Location of the root; must begin with `file://`, the only scheme allowed so far.
   *
   * @format uri
   */
  uri: string;

  /** Label for the user, such as the project name. */
  name?: string;

  /** Free-form metadata; the specification keeps some prefixes of its keys for MCP itself. */
  _meta?: MetaObject;
}

/**
 * Asks the user to fill in a small form that the client renders. The request must declare the client
 * capability `elicitation` (an empty object counts as form support); never use it for passwords,
 * tokens or other secrets, which belong in URL mode.
 *
 * @category `elicitation/create`
 */
export interface ElicitRequestFormParams {
  /** Selects form mode, which is also the default when the field is absent. */
  mode?: "form";

  /** Text shown above the form: tells the user what is asked for and why. */
  message: string;

  /**
   * Shape of the form: a flat object whose properties are strings, numbers, booleans or enums. Nested
   * objects are not allowed; the only arrays are multi-select enums. An accepted answer should be
   * validated against it on both sides.
   */
  requestedSchema: {
    /** URI of the JSON Schema dialect; 2020-12 applies when absent. */
    $schema?: string;

    type: "object";

    /** Form fields, keyed by the name under which each value comes back in the `content` of the answer. */
    properties: { [key: string]: PrimitiveSchemaDefinition };

    /** Names of the fields the user has to fill in; all others are optional. */
    required?: string[];
  };
}

/**
 * Asks the user to open a web page and finish an interaction there, out of sight of the client and the
 * model: credentials, third-party sign-in, payments. The request must declare the client capability
 * `elicitation.url`; an `accept` answer only means that the user agreed to open the page, not that
 * they finished.
 *
 * @category `elicitation/create`
 */
export interface ElicitRequestURLParams {
  /** Selects URL mode. It cannot be omitted: an absent `mode` means a form. */
  mode: "url";

  /** Text shown to the user before the page is opened: says what for. */
  message: string;

  /**
   * Page to open; must be a valid URL, and HTTPS outside of development. The server must not put
   * credentials or user data into it; the client must show it in full and get consent first, and must
   * not prefetch it.
   *
   * @format uri
   */
  url: string;
}

/**
 * Params of `elicitation/create`, told apart by `mode`: `"url"` for a web page, `"form"` or nothing
 * for a form.
 *
 * @category `elicitation/create`
 */
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;

/**
 * Asks the user for input through a form or a web page. It never travels as a message of its own: the
 * server puts it into `inputRequests` of an `input_required` result, and the client retries the call
 * with the answer in `inputResponses`. Secrets must go through the page, never the form.
 *
 * @category `elicitation/create`
 */
export interface ElicitRequest {
  method: "elicitation/create";

  params: ElicitRequestParams;
}

/**
 * Schema of one field in an elicitation form: a string, a number, a boolean, or a choice of one or
 * several strings from a list. Multiple choice is the only array form; anything nested is not
 * supported.
 *
 * @category `elicitation/create`
 */
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

/**
 * Form field that takes text. There is no `pattern` keyword: restrict the text with `format` and the
 * length bounds only.
 *
 * @category `elicitation/create`
 */
export interface StringSchema {
  type: "string";

  /** Label for the input control; clients fall back to the property key when it is missing. */
  title?: string;

  /** Help text that clients show next to the input control. */
  description?: string;

  /** Fewest characters accepted, inclusive; no lower bound when absent. */
  minLength?: number;

  /** Most characters accepted, inclusive; no upper bound when absent. */
  maxLength?: number;

  /**
   * Kind of text expected; `date` means `2025-11-25` and `date-time` a full RFC 3339 timestamp. Any text
   * is accepted when absent.
   */
  format?: "email" | "uri" | "date" | "date-time";

  /** Text that the form starts with; the user can still change it. */
  default?: string;
}

/**
 * Form field that takes a number; with `type: "integer"`, fractions are rejected.
 *
 * @category `elicitation/create`
 */
export interface NumberSchema {
  type: "number" | "integer";

  /** Label for the input control; clients fall back to the property key when it is missing. */
  title?: string;

  /** Help text that clients show next to the input control. */
  description?: string;

  /**
   * Smallest value accepted, inclusive; no lower bound when absent.
   *
   * @TJS-type number
   */
  minimum?: number;

  /**
   * Largest value accepted, inclusive; no upper bound when absent.
   *
   * @TJS-type number
   */
  maximum?: number;

  /**
   * Number that the form starts with; the user can still change it.
   *
   * @TJS-type number
   */
  default?: number;
}

/**
 * Form field for a yes/no answer, usually drawn as a checkbox or switch.
 *
 * @category `elicitation/create`
 */
export interface BooleanSchema {
  type: "boolean";

  /** Label for the input control; clients fall back to the property key when it is missing. */
  title?: string;

  /** Help text that clients show next to the input control. */
  description?: string;

  /** State that the form starts with; the user can still change it. */
  default?: boolean;
}

/**
 * Form field that lets the user pick exactly one string; the raw values double as labels. The answer
 * is a string.
 *
 * @category `elicitation/create`
 */
export interface UntitledSingleSelectEnumSchema {
  type: "string";

  /** Label of the form field; clients fall back to the property name. */
  title?: string;

  /** Help text shown with the form field. */
  description?: string;

  /** Allowed values, shown to the user as they are. */
  enum: string[];

  /** Option selected in advance; should be one of the allowed values. */
  default?: string;
}

/**
 * Form field that lets the user pick exactly one option, each with its own label. The answer is the
 * `const` of the chosen option.
 *
 * @category `elicitation/create`
 */
export interface TitledSingleSelectEnumSchema {
  type: "string";

  /** Label of the form field; clients fall back to the property name. */
  title?: string;

  /** Help text shown with the form field. */
  description?: string;

  /** The options: what goes back to the server (`const`) and what the user sees (`title`). */
  oneOf: Array<{
    /** Value returned in the answer when the user picks this option. */
    const: string;

    /** Text the user sees for this option. */
    title: string;
  }>;

  /** Option selected in advance; should be one of the allowed values. */
  default?: string;
}

/**
 * Form field with one choice out of several: options in `oneOf` carry labels, options in `enum` do
 * not.
 *
 * @category `elicitation/create`
 */
export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;

/**
 * Form field that lets the user pick several strings; the raw values double as labels. The answer is
 * an array of strings.
 *
 * @category `elicitation/create`
 */
export interface UntitledMultiSelectEnumSchema {
  type: "array";

  /** Label of the form field; clients fall back to the property name. */
  title?: string;

  /** Help text shown with the form field. */
  description?: string;

  /** Fewest options the user may pick; no lower limit when absent. */
  minItems?: number;

  /** Most options the user may pick; no upper limit when absent. */
  maxItems?: number;

  /** Holds the options the user may pick from. */
  items: {
    type: "string";

    /** Allowed values, shown to the user as they are. */
    enum: string[];
  };

  /** Options selected in advance; each should be one of the allowed values. */
  default?: string[];
}

/**
 * Form field that lets the user pick several options, each with its own label. The answer is an array
 * of the chosen `const` values.
 *
 * @category `elicitation/create`
 */
export interface TitledMultiSelectEnumSchema {
  type: "array";

  /** Label of the form field; clients fall back to the property name. */
  title?: string;

  /** Help text shown with the form field. */
  description?: string;

  /** Fewest options the user may pick; no lower limit when absent. */
  minItems?: number;

  /** Most options the user may pick; no upper limit when absent. */
  maxItems?: number;

  /** Holds the labelled options the user may pick from. */
  items: {
    /** The options: what goes back to the server (`const`) and what the user sees (`title`). */
    anyOf: Array<{
      /** Value returned in the answer when the user picks this option. */
      const: string;

      /** Text the user sees for this option. */
      title: string;
    }>;
  };

  /** Options selected in advance; each should be one of the allowed values. */
  default?: string[];
}

/**
 * Form field with any number of choices, answered with an array of strings: options in `items.anyOf`
 * carry labels, options in `items.enum` do not.
 *
 * @category `elicitation/create`
 */
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;

/**
 * The single-choice field of revision 2025-06-18, with labels in a parallel array. Kept for older
 * peers and due for removal; write `TitledSingleSelectEnumSchema` in new code.
 *
 * @category `elicitation/create`
 */
export interface LegacyTitledEnumSchema {
  type: "string";

  /** Label of the form field; clients fall back to the property name. */
  title?: string;

  /** Help text shown with the form field. */
  description?: string;

  /** Allowed values; the answer is one of them. */
  enum: string[];

  /** Labels for `enum`, matched by position. Not a JSON Schema keyword, so generic validators ignore it. */
  enumNames?: string[];

  /** Option selected in advance; should be one of the allowed values. */
  default?: string;
}

/**
 * Form field with a fixed list of choices, in one of five shapes: pick one or pick several, each with
 * or without display titles, plus the older `enumNames` form.
 *
 * @category `elicitation/create`
 */
export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema;

/**
 * Answer to an `elicitation/create` entry, placed by the client under the same key in `inputResponses`
 * when it retries the call. It has no `resultType`; declining and dismissing are ordinary answers, so
 * check `action` before reading `content`.
 *
 * @category `elicitation/create`
 */
export interface ElicitResult {
  /**
   * What the user did: `accept` (form submitted or, in URL mode, agreed to open the page), `decline`
   * (refused) or `cancel` (closed without a choice). In URL mode `accept` does not say that the
   * interaction on the page has finished.
   */
  action: "accept" | "decline" | "cancel";

  /**
   * The values entered, keyed by property name of the requested schema; a multiple choice yields an
   * array of strings. Set only for an accepted form, never in URL mode, and worth validating again on
   * the server.
   */
  content?: { [key: string]: string | number | boolean | string[] };
}

/**
 * Every request that a client can send to a server in this revision.
 *
 * @internal
 */
export type ClientRequest =
  | DiscoverRequest
  | CompleteRequest
  | GetPromptRequest
  | ListPromptsRequest
  | ListResourcesRequest
  | ListResourceTemplatesRequest
  | ReadResourceRequest
  | SubscriptionsListenRequest
  | CallToolRequest
  | ListToolsRequest;

/**
 * The one notification left to clients is the cancellation, and it is used over stdio only. Over HTTP
 * a client closes the response stream instead.
 *
 * @internal
 */
export type ClientNotification = CancelledNotification;

/**
 * Left over from older revisions: servers no longer send requests, so clients send no results. Input
 * for the server goes into `inputResponses` of the repeated request.
 *
 * @internal
 */
export type ClientResult = EmptyResult;

/**
 * Every notification that a server can send to a client in this revision.
 *
 * @internal
 */
export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | LoggingMessageNotification
  | ResourceUpdatedNotification
  | ResourceListChangedNotification
  | ToolListChangedNotification
  | PromptListChangedNotification
  | SubscriptionsAcknowledgedNotification;

/**
 * Every result with which a server can answer a request of the client.
 *
 * @internal
 */
export type ServerResult =
  | EmptyResult
  | DiscoverResult
  | CompleteResult
  | GetPromptResult
  | ListPromptsResult
  | ListResourceTemplatesResult
  | ListResourcesResult
  | ReadResourceResult
  | SubscriptionsListenResult
  | CallToolResult
  | ListToolsResult
  | InputRequiredResult;
