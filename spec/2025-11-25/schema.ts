/**
 * The declarations of the Model Context Protocol, revision 2025-11-25.
 *
 * Names and shapes are those of the specification, in its order; tests prove them equal. The comments are this project's own.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25
 */

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
export const LATEST_PROTOCOL_VERSION = "2025-11-25";

/**
 * Required value of the `jsonrpc` member in all messages.
 *
 * @internal
 */
export const JSONRPC_VERSION = "2.0";

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
 * Base of the parameters of `tools/call`, `sampling/createMessage` and `elicitation/create`, the
 * requests that can run as a task (experimental).
 *
 * @internal
 */
export interface TaskAugmentedRequestParams extends RequestParams {
  /**
   * Asks to run this request as a task: the answer is then a `CreateTaskResult`, and the real result
   * comes later from `tasks/result`. Send it only if the peer lists this request type under
   * `tasks.requests` in its capabilities; a peer that does not must ignore the field and answer
   * normally.
   */
  task?: TaskMetadata;
}

/**
 * Base of all request parameters; adds the optional `_meta`.
 *
 * @internal
 */
export interface RequestParams {
  /**
   * Open map of extra data about the request, keyed by optionally prefixed names (`com.example/key`).
   * The unprefixed `progressToken` is reserved, as are prefixes belonging to MCP.
   */
  _meta?: {
    /**
     * Set it to ask for `notifications/progress` while the request runs; the peer repeats the token in
     * each one but may send none. It must be unique among the sender's active requests.
     */
    progressToken?: ProgressToken;

    [key: string]: unknown;
  };
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
 * @internal
 */
export interface NotificationParams {
  /**
   * Open map of extra data about the notification, keyed by optionally prefixed names
   * (`com.example/key`).
   */
  _meta?: { [key: string]: unknown };
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
 * Base shape of every success result; unknown members are allowed and should survive parsing.
 *
 * @category Common Types
 */
export interface Result {
  /**
   * Free-form metadata attached to the answer. Key names follow the `_meta` rules of the specification,
   * which reserves some prefixes for MCP itself.
   */
  _meta?: { [key: string]: unknown };

  [key: string]: unknown;
}

/**
 * Body of a JSON-RPC error response. A plain data shape, unrelated to the JavaScript `Error` class.
 *
 * @category Common Types
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

/** JSON-RPC code for a method the receiver does not know or whose capability it did not declare. */
export const METHOD_NOT_FOUND = -32601;

/**
 * JSON-RPC code for missing or malformed parameters, including unknown tool or prompt names and stale
 * cursors.
 */
export const INVALID_PARAMS = -32602;

/** JSON-RPC code for an unexpected failure inside the receiver. */
export const INTERNAL_ERROR = -32603;

/**
 * Error code by which a server rejects a request until the user has completed one or more URL-mode
 * elicitations. Exists in 2025-11-25 only.
 *
 * @internal
 */
export const URL_ELICITATION_REQUIRED = -32042;

/**
 * Sent by the server instead of a result when the user first has to complete something on a web page,
 * such as a third-party login. The client runs the listed elicitations and then retries the request;
 * it must have declared `elicitation.url`.
 *
 * @internal
 */
export interface URLElicitationRequiredError extends Omit<JSONRPCErrorResponse, "error"> {
  /** Error body with code `-32042` and the pages to open. */
  error: Error & {
    /** Always `-32042`. */
    code: typeof URL_ELICITATION_REQUIRED;

    /** Lists the pending elicitations; servers may add members of their own. */
    data: {
      /** The pages the user has to visit; all entries must be in URL mode and carry an `elicitationId`. */
      elicitations: ElicitRequestURLParams[];

      [key: string]: unknown;
    };
  };
}

/**
 * Bare acknowledgement for methods that have nothing to return, usually `{}` on the wire.
 *
 * @category Common Types
 */
export type EmptyResult = Result;

/**
 * Parameters of `notifications/cancelled`: which request to abandon and why.
 *
 * @category `notifications/cancelled`
 */
export interface CancelledNotificationParams extends NotificationParams {
  /**
   * Id of a request that the sender itself issued and believes to be still running; unknown or finished
   * ids are ignored. Mandatory in practice, although typed as optional: tasks are the exception, and
   * those must be stopped through `tasks/cancel`.
   */
  requestId?: RequestId;

  /** Free text for logs or the user interface; has no effect on the protocol. */
  reason?: string;
}

/**
 * Sent by either side to withdraw a request it made earlier, because it no longer needs the answer.
 * The receiver should stop the work and send no response; a late or unknown id is normal (a race) and
 * is ignored. `initialize` must not be cancelled, and tasks are stopped with `tasks/cancel`.
 *
 * @category `notifications/cancelled`
 */
export interface CancelledNotification extends JSONRPCNotification {
  method: "notifications/cancelled";

  params: CancelledNotificationParams;
}

/**
 * Parameters of `initialize`: what the client speaks, can do and is.
 *
 * @category `initialize`
 */
export interface InitializeRequestParams extends RequestParams {
  /**
   * Newest revision the client speaks, such as `2025-11-25`. The server may answer with an older one,
   * and the client disconnects if it cannot use that.
   */
  protocolVersion: string;

  /**
   * Optional features the client offers; the server must not use any that is missing here for the rest
   * of the session.
   */
  capabilities: ClientCapabilities;

  /** Name and version of the client software, self-reported and unverified. */
  clientInfo: Implementation;
}

/**
 * First message of a session, from client to server: proposes a protocol version and declares the
 * client's capabilities. It must not be cancelled, and until the answer arrives the client should send
 * nothing but pings.
 *
 * @category `initialize`
 */
export interface InitializeRequest extends JSONRPCRequest {
  method: "initialize";

  params: InitializeRequestParams;
}

/**
 * Answer to `initialize`: fixes the protocol version of the session and declares what the server
 * offers. The client then sends `notifications/initialized`.
 *
 * @category `initialize`
 */
export interface InitializeResult extends Result {
  /**
   * Revision that applies to the session. It equals the proposed one if the server supports that,
   * otherwise one of the server's choice; a client unable to speak it must close the connection.
   */
  protocolVersion: string;

  /** Features the server offers for the whole session; do not call methods of capabilities missing here. */
  capabilities: ServerCapabilities;

  /** Self-declared identity of the server, meant for logs and display rather than for security decisions. */
  serverInfo: Implementation;

  /**
   * Usage notes for the model, which a host may place into its system prompt. Clients are free to ignore
   * them.
   */
  instructions?: string;
}

/**
 * Sent by the client right after a successful `initialize` answer to say that normal operation may
 * start. Until it arrives the server should send no requests other than pings.
 *
 * @category `notifications/initialized`
 */
export interface InitializedNotification extends JSONRPCNotification {
  method: "notifications/initialized";

  params?: NotificationParams;
}

/**
 * Features the client declares in `initialize`. A present key means support, even with `{}` as value;
 * unknown keys are allowed.
 *
 * @category `initialize`
 */
export interface ClientCapabilities {
  /**
   * Features outside the standard, keyed by name with a settings object each; both sides need prior
   * agreement on their meaning.
   */
  experimental?: { [key: string]: object };

  /** Declares that the client answers `roots/list`; absent means the server must not ask. */
  roots?: {
    /**
     * When `true`, the client sends `notifications/roots/list_changed` after its roots change. Absent
     * means `false`.
     */
    listChanged?: boolean;
  };

  /**
   * Declares that the client answers `sampling/createMessage`; `{}` covers plain sampling, and the inner
   * keys add optional features.
   */
  sampling?: {
    /**
     * Present when the client honours `includeContext` values other than `none`; without it, servers
     * should not send those.
     */
    context?: object;

    /**
     * Present when the client accepts `tools` and `toolChoice` in sampling requests; otherwise such a
     * request must fail with an error.
     */
    tools?: object;
  };

  /**
   * Declares that the client can ask its user for input through `elicitation/create`. The inner keys
   * name the supported modes; `{}` means form mode only.
   */
  elicitation?: {
    /** Present when the client can show a form built from a requested schema. */
    form?: object;

    /**
     * Present when the client can send the user to a URL, which suits secrets and payments that must not
     * pass through the client. Servers must not use this mode without it.
     */
    url?: object;
  };

  /**
   * Declares that the client can run some of the server's requests as tasks and answer the `tasks/*`
   * methods. Experimental in this revision.
   */
  tasks?: {
    /** Present when the server may call `tasks/list` on the client. */
    list?: object;

    /** Present when the server may call `tasks/cancel` on the client. */
    cancel?: object;

    /** Names the requests that may carry a `task` member; any request not listed must be sent without one. */
    requests?: {
      /** Groups the sampling methods that can run as tasks. */
      sampling?: {
        /** Present when `sampling/createMessage` may carry a `task` member. */
        createMessage?: object;
      };

      /** Groups the elicitation methods that can run as tasks. */
      elicitation?: {
        /** Present when `elicitation/create` may carry a `task` member. */
        create?: object;
      };
    };
  };
}

/**
 * Features the server declares in its `initialize` answer. A present key means support, even with `{}`
 * as value; unknown keys are allowed.
 *
 * @category `initialize`
 */
export interface ServerCapabilities {
  /**
   * Features outside the standard, keyed by name with a settings object each; both sides need prior
   * agreement on their meaning.
   */
  experimental?: { [key: string]: object };

  /** Declares that the server emits `notifications/message` and accepts `logging/setLevel`. */
  logging?: object;

  /**
   * Declares that the server answers `completion/complete` for prompt arguments and resource template
   * variables.
   */
  completions?: object;

  /** Declares that the server answers `prompts/list` and `prompts/get`. */
  prompts?: {
    /**
     * When `true`, the server sends `notifications/prompts/list_changed` after its prompts change. Absent
     * means `false`.
     */
    listChanged?: boolean;
  };

  /**
   * Declares that the server answers `resources/list`, `resources/templates/list` and `resources/read`;
   * the two inner flags are independent of each other.
   */
  resources?: {
    /** When `true`, clients may use `resources/subscribe` to follow single resources. Absent means `false`. */
    subscribe?: boolean;

    /**
     * When `true`, the server sends `notifications/resources/list_changed` after its resource list
     * changes. Absent means `false`.
     */
    listChanged?: boolean;
  };

  /** Declares that the server answers `tools/list` and `tools/call`. */
  tools?: {
    /**
     * When `true`, the server sends `notifications/tools/list_changed` after its tools change. Absent
     * means `false`.
     */
    listChanged?: boolean;
  };

  /**
   * Declares that the server can run some of the client's requests as tasks and answer the `tasks/*`
   * methods. Experimental in this revision.
   */
  tasks?: {
    /** Present when the client may call `tasks/list` on the server. */
    list?: object;

    /** Present when the client may call `tasks/cancel` on the server. */
    cancel?: object;

    /** Names the requests that may carry a `task` member; any request not listed must be sent without one. */
    requests?: {
      /** Groups the tool methods that can run as tasks. */
      tools?: {
        /**
         * Present when `tools/call` may carry a `task` member; each tool narrows this further with
         * `execution.taskSupport`.
         */
        call?: object;
      };
    };
  };
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
 * @category `initialize`
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
 * Checks that the peer still responds; either side may send it in any phase of the session. Answer at
 * once with an empty result, or the sender may treat the connection as dead.
 *
 * @category `ping`
 */
export interface PingRequest extends JSONRPCRequest {
  method: "ping";

  params?: RequestParams;
}

/**
 * Parameters of `notifications/progress`, sent by whichever side is working on a request that carried
 * a `progressToken`.
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
 * Reports how far a running request has come, sent by whoever handles it. Allowed only if the request
 * carried a `progressToken`, and only until it is answered or, for a task, until the task ends.
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
 * @internal
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
  params?: PaginatedRequestParams;
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
 * Asks the server for one page of its resources. Needs the server's `resources` capability.
 *
 * @category `resources/list`
 */
export interface ListResourcesRequest extends PaginatedRequest {
  method: "resources/list";
}

/**
 * Answer to `resources/list`: one page of resources, with `nextCursor` if more follow.
 *
 * @category `resources/list`
 */
export interface ListResourcesResult extends PaginatedResult {
  /** The resources of this page; may be empty even when more pages follow. */
  resources: Resource[];
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
 * Answer to `resources/templates/list`: one page of templates, with `nextCursor` if more follow.
 *
 * @category `resources/templates/list`
 */
export interface ListResourceTemplatesResult extends PaginatedResult {
  /** The templates of this page; may be empty even when more pages follow. */
  resourceTemplates: ResourceTemplate[];
}

/**
 * Base of the parameters of `resources/read`, `resources/subscribe` and `resources/unsubscribe`; adds
 * the `uri`.
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
 * Parameters of `resources/read`: the resource whose contents the client wants.
 *
 * @category `resources/read`
 */
export interface ReadResourceRequestParams extends ResourceRequestParams {}

/**
 * Asks the server for the contents of one resource. Needs the server's `resources` capability; an
 * unknown URI fails with error -32002.
 *
 * @category `resources/read`
 */
export interface ReadResourceRequest extends JSONRPCRequest {
  method: "resources/read";

  params: ReadResourceRequestParams;
}

/**
 * Answer to `resources/read`: the contents as text or base64 data.
 *
 * @category `resources/read`
 */
export interface ReadResourceResult extends Result {
  /**
   * Often a single item, but reading a container such as a directory may yield several; each has its own
   * `uri`.
   */
  contents: (TextResourceContents | BlobResourceContents)[];
}

/**
 * Tells the client that resources were added or removed, so it can call `resources/list` again. Needs
 * the server's `resources.listChanged` capability but no subscription.
 *
 * @category `notifications/resources/list_changed`
 */
export interface ResourceListChangedNotification extends JSONRPCNotification {
  method: "notifications/resources/list_changed";

  params?: NotificationParams;
}

/**
 * Parameters of `resources/subscribe`: the resource to watch for changes. Needs the server's
 * `resources.subscribe` capability.
 *
 * @category `resources/subscribe`
 */
export interface SubscribeRequestParams extends ResourceRequestParams {}

/**
 * Asks the server to send `notifications/resources/updated` whenever one resource changes. Needs the
 * server's `resources.subscribe` capability; the answer is empty.
 *
 * @category `resources/subscribe`
 */
export interface SubscribeRequest extends JSONRPCRequest {
  method: "resources/subscribe";

  params: SubscribeRequestParams;
}

/**
 * Parameters of `resources/unsubscribe`: the resource to stop watching, with the same `uri` as in
 * `resources/subscribe`.
 *
 * @category `resources/unsubscribe`
 */
export interface UnsubscribeRequestParams extends ResourceRequestParams {}

/**
 * Ends an earlier `resources/subscribe` for the same URI; the answer is empty. A late update may still
 * arrive.
 *
 * @category `resources/unsubscribe`
 */
export interface UnsubscribeRequest extends JSONRPCRequest {
  method: "resources/unsubscribe";

  params: UnsubscribeRequestParams;
}

/**
 * Parameters of `notifications/resources/updated`, sent by the server to clients that subscribed to
 * the resource. They contain no new contents: call `resources/read` to fetch them.
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
 * Tells a subscribed client that a resource changed. It carries only the URI, so call `resources/read`
 * for the new contents.
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
  _meta?: { [key: string]: unknown };
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
  _meta?: { [key: string]: unknown };
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
  _meta?: { [key: string]: unknown };
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
 * Answer to `prompts/list`: one page of prompts, with `nextCursor` if more follow.
 *
 * @category `prompts/list`
 */
export interface ListPromptsResult extends PaginatedResult {
  /** The prompts of this page; may be empty even when more pages follow. */
  prompts: Prompt[];
}

/**
 * Parameters of `prompts/get`: which prompt to render and with what values.
 *
 * @category `prompts/get`
 */
export interface GetPromptRequestParams extends RequestParams {
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
 * capability; an unknown name or a missing required argument fails with error -32602.
 *
 * @category `prompts/get`
 */
export interface GetPromptRequest extends JSONRPCRequest {
  method: "prompts/get";

  params: GetPromptRequestParams;
}

/**
 * Answer to `prompts/get`: the prompt with its arguments filled in, ready to be placed in a
 * conversation.
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
  _meta?: { [key: string]: unknown };
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
  _meta?: { [key: string]: unknown };
}

/**
 * Sent by the server when its set of prompts changes, so that clients fetch `prompts/list` again.
 * Needs the server's `prompts.listChanged` capability; clients do not have to subscribe.
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
 * Answer to `tools/list`: one page of tools. A `nextCursor` means that more pages follow.
 *
 * @category `tools/list`
 */
export interface ListToolsResult extends PaginatedResult {
  /** The tools on this page; may be empty. */
  tools: Tool[];
}

/**
 * Answer to `tools/call`. A failure inside the tool, invalid argument values included, is returned
 * here with `isError: true`, so that the model can read it and try again; an unknown tool is a
 * JSON-RPC error instead.
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
   * Machine-readable output, always an object. If the tool declares an `outputSchema`, a successful
   * result must carry a value that conforms to it, and clients should validate it.
   */
  structuredContent?: { [key: string]: unknown };

  /**
   * `true` when the tool failed or rejected its argument values; `content` explains why, and the model
   * can correct itself. Absent means success; unknown tools are reported as JSON-RPC errors, never here.
   */
  isError?: boolean;
}

/**
 * Parameters of `tools/call`: which tool to run, with what input and, optionally, as a task.
 *
 * @category `tools/call`
 */
export interface CallToolRequestParams extends TaskAugmentedRequestParams {
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
 * with error `-32602`. When `task` is set and accepted, the answer is a `CreateTaskResult`.
 *
 * @category `tools/call`
 */
export interface CallToolRequest extends JSONRPCRequest {
  method: "tools/call";

  params: CallToolRequestParams;
}

/**
 * Sent by the server when its set of tools changes, so that clients fetch `tools/list` again. Needs
 * the server's `tools.listChanged` capability; clients do not have to subscribe.
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
 * How a tool may be run; part of its entry in `tools/list`.
 *
 * @category `tools/list`
 */
export interface ToolExecution {
  /**
   * Whether calls run as tasks: `forbidden` (never, the default when absent), `optional` (the client
   * chooses) or `required` (plain calls are refused with `-32601`). Counts only if the server declares
   * `tasks.requests.tools.call`.
   */
  taskSupport?: "forbidden" | "optional" | "required";
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
   * the root must have `type: "object"`. For a tool without arguments use `{ type: "object",
   * additionalProperties: false }`.
   */
  inputSchema: {
    /** URI of the JSON Schema dialect; absent means 2020-12. */
    $schema?: string;

    type: "object";

    /** Schema of each argument, keyed by argument name. */
    properties?: { [key: string]: object };

    /** Names of the arguments that a call cannot leave out. */
    required?: string[];
  };

  /** How the tool may be run, in particular whether calls can become tasks; absent means they cannot. */
  execution?: ToolExecution;

  /**
   * JSON Schema for `structuredContent` in the results of this tool, in dialect 2020-12 unless `$schema`
   * names another; the root must have `type: "object"`. Declaring it obliges the server to return
   * conforming structured output.
   */
  outputSchema?: {
    /** URI of the JSON Schema dialect; absent means 2020-12. */
    $schema?: string;

    type: "object";

    /** Schema of each output member, keyed by member name. */
    properties?: { [key: string]: object };

    /** Names of the members that are always present in the output. */
    required?: string[];
  };

  /**
   * Hints on how the tool behaves; treat them as untrusted unless you trust the server. To label the
   * tool in a UI, take `title`, else `annotations.title`, else `name`.
   */
  annotations?: ToolAnnotations;

  /** Free-form metadata; the specification keeps some prefixes of its keys for MCP itself. */
  _meta?: { [key: string]: unknown };
}

/**
 * State of a task. Every task starts as `working` and may switch to `input_required` and back while it
 * waits for the user or a model; `completed`, `failed` and `cancelled` are final. A tool result with
 * `isError: true` also makes its task `failed`.
 *
 * @category `tasks`
 */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/**
 * Value of the `task` parameter that turns a request into a task; an empty object accepts all
 * defaults.
 *
 * @category `tasks`
 */
export interface TaskMetadata {
  /**
   * How long, in milliseconds from creation, the requester would like the task kept. The receiver may
   * choose another span: read the actual one from `Task.ttl`.
   */
  ttl?: number;
}

/**
 * Ties a message to a task through the `_meta` key `io.modelcontextprotocol/related-task`. Everything
 * sent on behalf of a task must have it, including the `tasks/result` response; `tasks/get`,
 * `tasks/list`, `tasks/cancel` and status notifications do without.
 *
 * @category `tasks`
 */
export interface RelatedTaskMetadata {
  /** Identifier of the task the message belongs to. */
  taskId: string;
}

/**
 * Snapshot of a task as its receiver sees it (experimental, 2025-11-25 only).
 *
 * @category `tasks`
 */
export interface Task {
  /** Identifier chosen by the receiver of the request, unique among its tasks. Treat it as opaque. */
  taskId: string;

  /** State at the time of this message. */
  status: TaskStatus;

  /** Text for people about the state, for example why the task failed. */
  statusMessage?: string;

  /** When the task came into being, as an ISO 8601 timestamp. */
  createdAt: string;

  /** When the task last changed, as an ISO 8601 timestamp. */
  lastUpdatedAt: string;

  /**
   * Milliseconds, counted from `createdAt`, after which the receiver may delete the task whatever its
   * status; `null` means no limit. May differ from the value asked for.
   *
   * @nullable
   */
  ttl: number | null;

  /** Milliseconds to wait between two `tasks/get` calls; without it, the requester picks a sensible pace. */
  pollInterval?: number;
}

/**
 * Immediate answer to a request that was accepted as a task. Holds no outcome yet: poll `tasks/get`,
 * then fetch it with `tasks/result`.
 *
 * @category `tasks`
 */
export interface CreateTaskResult extends Result {
  /** The new task; note that other task results carry these fields at the top level instead. */
  task: Task;
}

/**
 * Asks for the current state of a task; sent by the side that started it, repeatedly, at the pace of
 * `pollInterval`.
 *
 * @category `tasks/get`
 */
export interface GetTaskRequest extends JSONRPCRequest {
  method: "tasks/get";

  params: {
    /** The task to look up. An unknown or expired identifier is answered with error `-32602`. */
    taskId: string;
  };
}

/**
 * Answer to `tasks/get`: the task's fields directly at the top level, with no `task` wrapper.
 *
 * @category `tasks/get`
 */
export type GetTaskResult = Result & Task;

/**
 * Asks for the outcome of a task. On an unfinished task the call blocks until a final state is
 * reached, so give it a long timeout; send it also on `input_required` to let the receiver deliver its
 * question.
 *
 * @category `tasks/result`
 */
export interface GetTaskPayloadRequest extends JSONRPCRequest {
  method: "tasks/result";

  params: {
    /** The task whose outcome is wanted. An unknown or expired identifier is answered with error `-32602`. */
    taskId: string;
  };
}

/**
 * Answer to `tasks/result`: exactly what the original request would have returned, so a
 * `CallToolResult` for `tools/call`. If the original request ended in an error, that error is the
 * response instead.
 *
 * @category `tasks/result`
 */
export interface GetTaskPayloadResult extends Result {
  [key: string]: unknown;
}

/**
 * Stops a task; sent by the side that started it. Needs the peer's `tasks.cancel` capability, and
 * fails with `-32602` if the task has already ended.
 *
 * @category `tasks/cancel`
 */
export interface CancelTaskRequest extends JSONRPCRequest {
  method: "tasks/cancel";

  params: {
    /** The task to stop. An unknown or expired identifier is answered with error `-32602`. */
    taskId: string;
  };
}

/**
 * Answer to `tasks/cancel`: the task with status `cancelled`, its fields directly at the top level.
 * The status stays that way even if the work still runs to its end.
 *
 * @category `tasks/cancel`
 */
export type CancelTaskResult = Result & Task;

/**
 * Asks for the tasks known to the peer, page by page. Needs its `tasks.list` capability.
 *
 * @category `tasks/list`
 */
export interface ListTasksRequest extends PaginatedRequest {
  method: "tasks/list";
}

/**
 * Answer to `tasks/list`: one page of tasks.
 *
 * @category `tasks/list`
 */
export interface ListTasksResult extends PaginatedResult {
  /** Tasks on this page; where authorization is in use, only those the caller may see. */
  tasks: Task[];
}

/**
 * Parameters of `notifications/tasks/status`: the complete task, its fields directly at the top level.
 *
 * @category `notifications/tasks/status`
 */
export type TaskStatusNotificationParams = NotificationParams & Task;

/**
 * Tells the side that started a task about a new status. Sending it is optional, so never wait for it:
 * keep polling `tasks/get`.
 *
 * @category `notifications/tasks/status`
 */
export interface TaskStatusNotification extends JSONRPCNotification {
  method: "notifications/tasks/status";

  params: TaskStatusNotificationParams;
}

/**
 * Parameters of `logging/setLevel`: how much the client wants to hear. Needs the server's `logging`
 * capability.
 *
 * @category `logging/setLevel`
 */
export interface SetLevelRequestParams extends RequestParams {
  /**
   * Lowest severity to send as `notifications/message`; anything less severe is dropped. An unknown
   * level yields error `-32602`.
   */
  level: LoggingLevel;
}

/**
 * Sets the least severe log messages that the client wants to receive. Needs the server's `logging`
 * capability and is answered with an empty result.
 *
 * @category `logging/setLevel`
 */
export interface SetLevelRequest extends JSONRPCRequest {
  method: "logging/setLevel";

  params: SetLevelRequestParams;
}

/**
 * Parameters of `notifications/message`: one log entry from the server, which must declare the
 * `logging` capability. Log entries must not contain credentials or personal data.
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
 * Carries one log entry from the server to the client; needs the server's `logging` capability. Until
 * the client sends `logging/setLevel`, the server picks what to send.
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
 * @category Common Types
 */
export type LoggingLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/**
 * Parameters of `sampling/createMessage`, by which the server borrows the client's model. Needs the
 * client's `sampling` capability; the user may review, edit or refuse the prompt.
 *
 * @category `sampling/createMessage`
 */
export interface CreateMessageRequestParams extends TaskAugmentedRequestParams {
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
   * decline. `none` when absent; avoid the other two values, and never use them unless the client
   * declares `sampling.context`.
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
  metadata?: object;

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
 * Sent by the server to have the client run a language model on its behalf; needs the client's
 * `sampling` capability, and `sampling.tools` to pass tools. The client chooses the model, and should
 * let the user review, edit or refuse the request first.
 *
 * @category `sampling/createMessage`
 */
export interface CreateMessageRequest extends JSONRPCRequest {
  method: "sampling/createMessage";

  params: CreateMessageRequestParams;
}

/**
 * Answer to `sampling/createMessage`: the message that the model produced. The client should let the
 * user see it, and withhold it if they wish, before it reaches the server.
 *
 * @category `sampling/createMessage`
 */
export interface CreateMessageResult extends Result, SamplingMessage {
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
 *
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
  _meta?: { [key: string]: unknown };
}

/**
 * One piece of a sampling message: text, image, audio, a tool use by the model, or the result of one.
 * Branch on `type` to tell the variants apart.
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
  _meta?: { [key: string]: unknown };
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
  _meta?: { [key: string]: unknown };
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
  _meta?: { [key: string]: unknown };
}

/**
 * Produced by the model during sampling when it wants a tool run. The server executes the tool and
 * returns a matching `ToolResultContent` in the next user message.
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
  _meta?: { [key: string]: unknown };
}

/**
 * Outcome of a tool use, sent back to the model in a user message that contains nothing but tool
 * results.
 *
 * @category `sampling/createMessage`
 */
export interface ToolResultContent {
  type: "tool_result";

  /** The `id` of the `ToolUseContent` being answered; it must occur in the preceding assistant message. */
  toolUseId: string;

  /** What the tool produced, in the same block types as `CallToolResult.content`. */
  content: ContentBlock[];

  /** The tool's output as a JSON object, matching its `outputSchema` if it has one. */
  structuredContent?: { [key: string]: unknown };

  /** `true` if the tool failed, in which case `content` should say why; `false` when absent. */
  isError?: boolean;

  /**
   * Open map of extra data about this block, keyed by optionally prefixed names (`com.example/key`).
   * Send it back unchanged when the block is replayed in a later sampling request, so that prompt caches
   * still match.
   */
  _meta?: { [key: string]: unknown };
}

/**
 * Wishes of a server about the model that the client picks for sampling: model names plus weights for
 * cost, speed and intelligence. They are advice only, and the client may weigh or ignore them as it
 * likes.
 *
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
 *
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
    /** Suggested values, most relevant first, at most 100. */
    values: string[];

    /** How many matches exist altogether, including those not sent; absent if unknown. */
    total?: number;

    /** `true` if the server left out further matches; can be set even when `total` is unknown. */
    hasMore?: boolean;
  };
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
 * Sent by the server to learn which directories or files the user wants it to work in. Needs the
 * client's `roots` capability; a client without it answers with error `-32601`.
 *
 * @category `roots/list`
 */
export interface ListRootsRequest extends JSONRPCRequest {
  method: "roots/list";

  params?: RequestParams;
}

/**
 * Answer to `roots/list`: the directories and files that the user lets the server work in. The client
 * must list only permitted locations, and the server should stay inside them.
 *
 * @category `roots/list`
 */
export interface ListRootsResult extends Result {
  /** All roots at once, as this list is not paginated; may be empty. */
  roots: Root[];
}

/**
 * One directory or file that the client opens up to the server. It is guidance, not a sandbox: nothing
 * in the protocol enforces the boundary.
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
  _meta?: { [key: string]: unknown };
}

/**
 * Sent by the client whenever its roots change, which it must do if it declared `roots.listChanged`.
 * It carries no list: the server calls `roots/list` again to get the new one.
 *
 * @category `notifications/roots/list_changed`
 */
export interface RootsListChangedNotification extends JSONRPCNotification {
  method: "notifications/roots/list_changed";

  params?: NotificationParams;
}

/**
 * Asks the user to fill in a small form that the client renders. Needs the client capability
 * `elicitation` (an empty object counts as form support); never use it for passwords, tokens or other
 * secrets, which belong in URL mode.
 *
 * @category `elicitation/create`
 */
export interface ElicitRequestFormParams extends TaskAugmentedRequestParams {
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
 * model: credentials, third-party sign-in, payments. Needs the client capability `elicitation.url`; an
 * `accept` answer only means that the user agreed to open the page, not that they finished.
 *
 * @category `elicitation/create`
 */
export interface ElicitRequestURLParams extends TaskAugmentedRequestParams {
  /** Selects URL mode. It cannot be omitted: an absent `mode` means a form. */
  mode: "url";

  /** Text shown to the user before the page is opened: says what for. */
  message: string;

  /**
   * Handle chosen by the server, unique among its elicitations; it comes back in
   * `notifications/elicitation/complete`. Clients must not read meaning into it.
   */
  elicitationId: string;

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
 * Sent by the server to ask the user for input, either through a form in the client (`elicitation` or
 * `elicitation.form` capability) or by opening a web page (`elicitation.url`). Passwords and other
 * secrets must go through the page, never the form.
 *
 * @category `elicitation/create`
 */
export interface ElicitRequest extends JSONRPCRequest {
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
 * Answer to `elicitation/create`. Declining and dismissing are ordinary results, not errors, so check
 * `action` before reading `content`.
 *
 * @category `elicitation/create`
 */
export interface ElicitResult extends Result {
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
 * Tells the client that the web interaction of a URL-mode elicitation is over, so that it may retry
 * the blocked request. Sent only to the client that was asked, and not guaranteed: keep a manual
 * retry.
 *
 * @category `notifications/elicitation/complete`
 */
export interface ElicitationCompleteNotification extends JSONRPCNotification {
  method: "notifications/elicitation/complete";

  params: {
    /**
     * The `elicitationId` the server handed out earlier. Clients must ignore an id that is unknown or
     * already finished.
     */
    elicitationId: string;
  };
}

/**
 * Every request that a client can send to a server in this revision.
 *
 * @internal
 */
export type ClientRequest =
  | PingRequest
  | InitializeRequest
  | CompleteRequest
  | SetLevelRequest
  | GetPromptRequest
  | ListPromptsRequest
  | ListResourcesRequest
  | ListResourceTemplatesRequest
  | ReadResourceRequest
  | SubscribeRequest
  | UnsubscribeRequest
  | CallToolRequest
  | ListToolsRequest
  | GetTaskRequest
  | GetTaskPayloadRequest
  | ListTasksRequest
  | CancelTaskRequest;

/**
 * Every notification that a client can send to a server in this revision.
 *
 * @internal
 */
export type ClientNotification =
  | CancelledNotification
  | ProgressNotification
  | InitializedNotification
  | RootsListChangedNotification
  | TaskStatusNotification;

/**
 * Every result with which a client can answer a request of the server.
 *
 * @internal
 */
export type ClientResult =
  | EmptyResult
  | CreateMessageResult
  | ListRootsResult
  | ElicitResult
  | GetTaskResult
  | GetTaskPayloadResult
  | ListTasksResult
  | CancelTaskResult;

/**
 * Every request that a server can send to a client in this revision.
 *
 * @internal
 */
export type ServerRequest =
  | PingRequest
  | CreateMessageRequest
  | ListRootsRequest
  | ElicitRequest
  | GetTaskRequest
  | GetTaskPayloadRequest
  | ListTasksRequest
  | CancelTaskRequest;

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
  | ElicitationCompleteNotification
  | TaskStatusNotification;

/**
 * Every result with which a server can answer a request of the client.
 *
 * @internal
 */
export type ServerResult =
  | EmptyResult
  | InitializeResult
  | CompleteResult
  | GetPromptResult
  | ListPromptsResult
  | ListResourceTemplatesResult
  | ListResourcesResult
  | ReadResourceResult
  | CallToolResult
  | ListToolsResult
  | GetTaskResult
  | GetTaskPayloadResult
  | ListTasksResult
  | CancelTaskResult;
