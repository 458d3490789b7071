/**
 * The declarations of the Model Context Protocol, revision 2025-03-26.
 *
 * Names and shapes are those of the specification, in its order; tests prove them equal. The comments are this project's own.
 *
 * @see https://modelcontextprotocol.io/specification/2025-03-26
 */

/**
 * Anything that can travel over a transport: a request, a notification, a response, an error, or a
 * batch of them. Receivers must accept batches; sending them is optional, and this is the only
 * revision that has them.
 */
export type JSONRPCMessage =
  JSONRPCRequest | JSONRPCNotification | JSONRPCBatchRequest | JSONRPCResponse | JSONRPCError | JSONRPCBatchResponse;

/**
 * Several requests and notifications sent as one array. Exists only in this revision: sending is
 * optional, accepting is mandatory, the array must not be empty, and `initialize` must not be part of
 * it.
 * @see https://www.jsonrpc.org/specification#batch
 */
export type JSONRPCBatchRequest = (JSONRPCRequest | JSONRPCNotification)[];

/**
 * Replies to the requests of a batch, in any order, so match them by `id`. Notifications get no entry,
 * and a batch made up of notifications alone gets no reply at all.
 * @see https://www.jsonrpc.org/specification#batch
 */
export type JSONRPCBatchResponse = (JSONRPCResponse | JSONRPCError)[];

/** Revision date that identifies this version of the protocol on the wire. */
export const LATEST_PROTOCOL_VERSION = "2025-03-26";

/** Required value of the `jsonrpc` member in all messages. */
export const JSONRPC_VERSION = "2.0";

/**
 * Opaque value chosen by the sender of a request and repeated in every `notifications/progress` about
 * it. Numbers must be integers, and a token must be unique among the sender's active requests.
 */
export type ProgressToken = string | number;

/**
 * Position in a paginated list, issued by the server. Treat it as opaque: do not parse, alter or build
 * one yourself; the empty string is a legal value.
 */
export type Cursor = string;

/** Base shape of all requests, before the JSON-RPC envelope (`jsonrpc`, `id`) is added. */
export interface Request {
  method: string;

  params?: {
    /** Metadata about the request itself; `progressToken` is the only key defined here. */
    _meta?: {
      /**
       * String or integer the peer must repeat in each `notifications/progress` for this request; setting it
       * asks for progress reports, which the receiver is free to omit. It must be unique among the sender's
       * active requests, and `0` is a valid value.
       */
      progressToken?: ProgressToken;
    };

    [key: string]: unknown;
  };
}

/** Base shape of all notifications, before the JSON-RPC envelope is added. */
export interface Notification {
  method: string;

  params?: {
    /** Free-form metadata attached to the notification. */
    _meta?: { [key: string]: unknown };

    [key: string]: unknown;
  };
}

/** Base shape of every success result; unknown members are allowed and should survive parsing. */
export interface Result {
  /** Free-form metadata attached to the answer. */
  _meta?: { [key: string]: unknown };

  [key: string]: unknown;
}

/**
 * Correlates a response with its request. Numbers must be integers, `null` is not allowed, `1` and
 * `"1"` are different ids, and an id must not repeat one that still awaits its response.
 */
export type RequestId = string | number;

/**
 * Wire form of a request; unless it is cancelled, the receiver must answer it with one result or error
 * bearing the same `id`.
 */
export interface JSONRPCRequest extends Request {
  jsonrpc: typeof JSONRPC_VERSION;

  /**
   * Chosen by the sender; `0` and the empty string are valid, so compare with `undefined` rather than
   * testing truthiness.
   */
  id: RequestId;
}

/** Wire form of a one-way message. It has no `id` and must never be answered, not even with an error. */
export interface JSONRPCNotification extends Notification {
  jsonrpc: typeof JSONRPC_VERSION;
}

/** Wire form of a success response; failures use `JSONRPCError` instead. */
export interface JSONRPCResponse {
  jsonrpc: typeof JSONRPC_VERSION;

  /** Copied unchanged, type included, from the request being answered. */
  id: RequestId;

  /** Outcome of the request; its exact shape depends on the request's method. */
  result: Result;
}

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

/** Wire form of a failure response, sent in place of a result. */
export interface JSONRPCError {
  jsonrpc: typeof JSONRPC_VERSION;

  /** Copied unchanged, type included, from the failed request. */
  id: RequestId;

  /** What went wrong: a numeric code, a message and optional details. */
  error: {
    /**
     * Integer that identifies the kind of failure. Standard JSON-RPC codes lie between -32768 and -32000;
     * keep application codes outside that range.
     */
    code: number;

    /** Explanation in plain language, ideally one brief sentence. Branch on `code`, not on this text. */
    message: string;

    /** Details in any JSON form the sender likes, for instance a nested error or the offending URI. */
    data?: unknown;
  };
}

/** Bare acknowledgement for methods that have nothing to return, usually `{}` on the wire. */
export type EmptyResult = Result;

/**
 * Sent by either side to withdraw a request it made earlier, because it no longer needs the answer.
 * The receiver should stop the work and send no response; a late or unknown id is normal (a race) and
 * is ignored. `initialize` must not be cancelled.
 */
export interface CancelledNotification extends Notification {
  method: "notifications/cancelled";

  params: {
    /** Id of the request to withdraw; it must be one that the sender of this notification issued itself. */
    requestId: RequestId;

    /** Free text for logs or the user interface that says why the request was withdrawn. */
    reason?: string;
  };
}

/**
 * First message of a session, from client to server: proposes a protocol version and declares the
 * client's capabilities. It must not be cancelled, and until the answer arrives the client should send
 * nothing but pings.
 */
export interface InitializeRequest extends Request {
  method: "initialize";

  params: {
    /** Newest revision the client can speak. The server may answer with another one, so check the result. */
    protocolVersion: string;

    /** Features the client offers for the whole session; the server must not rely on any other. */
    capabilities: ClientCapabilities;

    /** Self-declared identity of the client, meant for logs and display rather than for security decisions. */
    clientInfo: Implementation;
  };
}

/**
 * Answer to `initialize`: fixes the protocol version of the session and declares what the server
 * offers. The client then sends `notifications/initialized`.
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
 */
export interface InitializedNotification extends Notification {
  method: "notifications/initialized";
}

/**
 * Features the client declares in `initialize`. A present key means support, even with `{}` as value;
 * unknown keys are allowed.
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

  /** Declares that the client answers `sampling/createMessage`; absent means the server must not send it. */
  sampling?: object;
}

/**
 * Features the server declares in its `initialize` answer. A present key means support, even with `{}`
 * as value; unknown keys are allowed.
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
}

/**
 * Name and version by which a client or server introduces itself. Self-declared: fine for logs and
 * display, not for security decisions.
 */
export interface Implementation {
  /** Identifies the program; also its display label, since this revision has no separate title. */
  name: string;

  /** Version of the program (not of the protocol); any string is legal. */
  version: string;
}

/**
 * Checks that the peer still responds; either side may send it in any phase of the session. Answer at
 * once with an empty result, or the sender may treat the connection as dead.
 */
export interface PingRequest extends Request {
  method: "ping";
}

/**
 * Reports how far a running request has come, sent by whoever handles it. Allowed only while the
 * request is active and only if it carried a `progressToken`.
 */
export interface ProgressNotification extends Notification {
  method: "notifications/progress";

  params: {
    /** Repeats, with its original type, the token from the request's `_meta`. */
    progressToken: ProgressToken;

    /**
     * Amount done so far, in units of the sender's choice; fractions are fine. It must grow from one
     * notification to the next, with or without a `total`.
     *
     * @TJS-type number
     */
    progress: number;

    /**
     * Amount at which the work is complete, in the same unit as `progress`; leave it out when unknown.
     *
     * @TJS-type number
     */
    total?: number;

    /** Status line for people, such as the step being worked on. */
    message?: string;
  };
}

/** Base shape of list requests that return their items page by page. */
export interface PaginatedRequest extends Request {
  params?: {
    /**
     * The `nextCursor` of the previous page, passed back untouched; omit it to get the first page. A
     * server should reject an unknown cursor with error -32602.
     */
    cursor?: Cursor;
  };
}

/** Base shape of results that hold one page of a longer list. The server decides the page size. */
export interface PaginatedResult extends Result {
  /**
   * Pass it as `cursor` to fetch the following page. Only its absence marks the last page: an empty
   * string is still a cursor, and `null` is invalid.
   */
  nextCursor?: Cursor;
}

/** Asks the server for one page of its resources. Needs the server's `resources` capability. */
export interface ListResourcesRequest extends PaginatedRequest {
  method: "resources/list";
}

/** Answer to `resources/list`: one page of resources, with `nextCursor` if more follow. */
export interface ListResourcesResult extends PaginatedResult {
  /** The resources of this page; may be empty even when more pages follow. */
  resources: Resource[];
}

/**
 * Asks the server for one page of its URI templates for parameterized resources. Needs the server's
 * `resources` capability.
 */
export interface ListResourceTemplatesRequest extends PaginatedRequest {
  method: "resources/templates/list";
}

/** Answer to `resources/templates/list`: one page of templates, with `nextCursor` if more follow. */
export interface ListResourceTemplatesResult extends PaginatedResult {
  /** The templates of this page; may be empty even when more pages follow. */
  resourceTemplates: ResourceTemplate[];
}

/**
 * Asks the server for the contents of one resource. Needs the server's `resources` capability; an
 * unknown URI fails with error -32002.
 */
export interface ReadResourceRequest extends Request {
  method: "resources/read";

  params: {
    /**
     * Resource to read, with any scheme the server understands. Servers must validate it, for instance
     * against path traversal.
     *
     * @format uri
     */
    uri: string;
  };
}

/** Answer to `resources/read`: the contents as text or base64 data. */
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
 */
export interface ResourceListChangedNotification extends Notification {
  method: "notifications/resources/list_changed";
}

/**
 * Asks the server to send `notifications/resources/updated` whenever one resource changes. Needs the
 * server's `resources.subscribe` capability; the answer is empty.
 */
export interface SubscribeRequest extends Request {
  method: "resources/subscribe";

  params: {
    /**
     * Resource to follow, with any scheme the server understands.
     *
     * @format uri
     */
    uri: string;
  };
}

/**
 * Ends an earlier `resources/subscribe` for the same URI; the answer is empty. A late update may still
 * arrive.
 */
export interface UnsubscribeRequest extends Request {
  method: "resources/unsubscribe";

  params: {
    /**
     * Resource to stop following: the same URI as in the `resources/subscribe` request.
     *
     * @format uri
     */
    uri: string;
  };
}

/**
 * Tells a subscribed client that a resource changed. It carries only the URI, so call `resources/read`
 * for the new contents.
 */
export interface ResourceUpdatedNotification extends Notification {
  method: "notifications/resources/updated";

  params: {
    /**
     * Resource that changed. It can lie below the subscribed URI, so do not compare for equality only.
     *
     * @format uri
     */
    uri: string;
  };
}

/**
 * Entry of `resources/list`: describes something the client can fetch with `resources/read`. It holds
 * no contents.
 */
export interface Resource {
  /**
   * Identifies the resource; pass it to `resources/read` as is.
   *
   * @format uri
   */
  uri: string;

  /** Label to show to people; it need not be unique, so identify resources by `uri`. */
  name: string;

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
}

/**
 * Entry of `resources/templates/list`: describes a family of resources whose URIs come from filling in
 * a template.
 */
export interface ResourceTemplate {
  /**
   * RFC 6570 template, for example `file:///{path}`; expand it, then pass the URI to `resources/read`.
   * Values for its variables can come from `completion/complete`.
   *
   * @format uri-template
   */
  uriTemplate: string;

  /** Label to show to people for this family of resources; it need not be unique. */
  name: string;

  /** Explains what the matching resources hold; hosts may pass it to the model to help it choose. */
  description?: string;

  /** Media type shared by every matching resource; leave it out when they differ. */
  mimeType?: string;

  /** Hints for the client: audience and priority. The receiver may ignore them. */
  annotations?: Annotations;
}

/** Base shape of one piece of resource data; the actual payload is in `text` or `blob` of the subtypes. */
export interface ResourceContents {
  /**
   * Identifies this item; it can differ from the requested URI when a container was read.
   *
   * @format uri
   */
  uri: string;

  /** Media type of this item, such as `text/markdown`; absent when the server cannot tell. */
  mimeType?: string;
}

/**
 * Resource data delivered as text. Tell it apart from `BlobResourceContents` by the presence of
 * `text`.
 */
export interface TextResourceContents extends ResourceContents {
  /** The data as a plain string, possibly empty. Use `blob` for anything that is not truly textual. */
  text: string;
}

/**
 * Resource data delivered as base64. Tell it apart from `TextResourceContents` by the presence of
 * `blob`.
 */
export interface BlobResourceContents extends ResourceContents {
  /**
   * The raw bytes in base64; the encoding makes them about a third larger on the wire.
   *
   * @format byte
   */
  blob: string;
}

/** Asks the server for one page of its prompts. Needs the server's `prompts` capability. */
export interface ListPromptsRequest extends PaginatedRequest {
  method: "prompts/list";
}

/** Answer to `prompts/list`: one page of prompts, with `nextCursor` if more follow. */
export interface ListPromptsResult extends PaginatedResult {
  /** The prompts of this page; may be empty even when more pages follow. */
  prompts: Prompt[];
}

/**
 * Asks the server to fill in one prompt and return its messages. Needs the server's `prompts`
 * capability; an unknown name or a missing required argument fails with error -32602.
 */
export interface GetPromptRequest extends Request {
  method: "prompts/get";

  params: {
    /** Name of the prompt exactly as listed by `prompts/list`. */
    name: string;

    /**
     * Values for the prompt's declared arguments, by argument name. All values are strings: serialize
     * anything else yourself.
     */
    arguments?: { [key: string]: string };
  };
}

/**
 * Answer to `prompts/get`: the prompt with its arguments filled in, ready to be placed in a
 * conversation.
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
 */
export interface Prompt {
  /** Identifier to pass to `prompts/get`, unique within the server. */
  name: string;

  /** Tells the user what the prompt does. */
  description?: string;

  /** The inputs that `prompts/get` accepts for this prompt; absent means it takes none. */
  arguments?: PromptArgument[];
}

/**
 * One input of a prompt. Its value is always a string, and clients can offer suggestions for it
 * through `completion/complete`.
 */
export interface PromptArgument {
  /** Key under which the value is sent in the `arguments` of `prompts/get`. */
  name: string;

  /** Tells the user what to enter. */
  description?: string;

  /** `true` if `prompts/get` fails without a value, usually with error `-32602`; absent means optional. */
  required?: boolean;
}

/**
 * Who speaks in a message, or whom content is meant for: the human side (`user`) or the model
 * (`assistant`). No `system` role exists.
 */
export type Role = "user" | "assistant";

/**
 * One turn of a prompt. Unlike a sampling message it may carry resources, and it always holds exactly
 * one content block.
 */
export interface PromptMessage {
  /** Whose turn the message is written as. */
  role: Role;

  /** A single content block; use several messages to send several blocks. */
  content: TextContent | ImageContent | AudioContent | EmbeddedResource;
}

/**
 * Content block that carries a whole resource, text or binary, inline in a prompt message or tool
 * result, so no `resources/read` is needed. The client decides how to show it.
 */
export interface EmbeddedResource {
  type: "resource";

  /** The URI with the data itself: a `text` string, or a base64 `blob` for binary content. */
  resource: TextResourceContents | BlobResourceContents;

  /** Hints for the client: audience and priority. The receiver may ignore them. */
  annotations?: Annotations;
}

/**
 * Sent by the server when its set of prompts changes, so that clients fetch `prompts/list` again.
 * Needs the server's `prompts.listChanged` capability; clients do not have to subscribe.
 */
export interface PromptListChangedNotification extends Notification {
  method: "notifications/prompts/list_changed";
}

/** Asks the server which tools it offers, one page at a time. Needs the server's `tools` capability. */
export interface ListToolsRequest extends PaginatedRequest {
  method: "tools/list";
}

/** Answer to `tools/list`: one page of tools. A `nextCursor` means that more pages follow. */
export interface ListToolsResult extends PaginatedResult {
  /** The tools on this page; may be empty. */
  tools: Tool[];
}

/**
 * Answer to `tools/call`. A failure inside the tool is returned here with `isError: true`, so that the
 * model can read it and try again; an unknown tool or missing `tools` support is a JSON-RPC error
 * instead.
 */
export interface CallToolResult extends Result {
  /**
   * What the model gets to read, in order; may be an empty array but must be present. When `isError` is
   * `true`, put the error message here.
   */
  content: (TextContent | ImageContent | AudioContent | EmbeddedResource)[];

  /** `true` when the tool ran into an error that `content` explains. Absent means success. */
  isError?: boolean;
}

/**
 * Asks the server to run one tool. Needs the server's `tools` capability; an unknown tool name fails
 * with error `-32602`.
 */
export interface CallToolRequest extends Request {
  method: "tools/call";

  params: {
    /** The tool to run, spelled exactly as in `tools/list`. */
    name: string;

    /** Input for the tool, matching its `inputSchema`; may be left out when the tool needs none. */
    arguments?: { [key: string]: unknown };
  };
}

/**
 * Sent by the server when its set of tools changes, so that clients fetch `tools/list` again. Needs
 * the server's `tools.listChanged` capability; clients do not have to subscribe.
 */
export interface ToolListChangedNotification extends Notification {
  method: "notifications/tools/list_changed";
}

/**
 * Hints on how a tool behaves, for use in a UI or when asking for confirmation. A server can claim
 * anything here, so never decide on the safety of a call by hints from a server you do not trust.
 */
export interface ToolAnnotations {
  /** Display name for users; fall back to the tool's `name` when absent. */
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

/** Entry of a `tools/list` answer: a function that models can have run through `tools/call`. */
export interface Tool {
  /** Identifier to pass to `tools/call`, unique within the server. */
  name: string;

  /**
   * Says what the tool does and when to use it. Models choose tools by this text, so write it for them;
   * from a server you do not trust, treat it as untrusted input.
   */
  description?: string;

  /**
   * JSON Schema for the `arguments` of `tools/call`; the root must have `type: "object"`. Use `{ type:
   * "object" }` for a tool without arguments.
   */
  inputSchema: {
    type: "object";

    /** Schema of each argument, keyed by argument name. */
    properties?: { [key: string]: object };

    /** Names of the arguments that a call cannot leave out. */
    required?: string[];
  };

  /** Hints on how the tool behaves. Treat them as untrusted unless you trust the server. */
  annotations?: ToolAnnotations;
}

/**
 * Sets the least severe log messages that the client wants to receive. Needs the server's `logging`
 * capability and is answered with an empty result.
 */
export interface SetLevelRequest extends Request {
  method: "logging/setLevel";

  params: {
    /**
     * Threshold: the server sends `notifications/message` for this severity and every graver one. An
     * unknown level fails with error `-32602`.
     */
    level: LoggingLevel;
  };
}

/**
 * Carries one log entry from the server to the client; needs the server's `logging` capability. Until
 * the client sends `logging/setLevel`, the server picks what to send.
 */
export interface LoggingMessageNotification extends Notification {
  method: "notifications/message";

  params: {
    /** How severe the entry is. */
    level: LoggingLevel;

    /**
     * Component that wrote the entry, such as `database`; keep names consistent so that clients can
     * filter.
     */
    logger?: string;

    /**
     * The entry itself: a string, an object or any other JSON value. Must not contain credentials,
     * personal data or internals useful to an attacker.
     */
    data: unknown;
  };
}

/**
 * Log severities of syslog, listed from least (`debug`) to most severe (`emergency`).
 * @see https://datatracker.ietf.org/doc/html/rfc5424#section-6.2.1
 */
export type LoggingLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/**
 * Sent by the server to have the client run a language model on its behalf; needs the client's
 * `sampling` capability. The client chooses the model, and should let the user review, edit or refuse
 * the request first.
 */
export interface CreateMessageRequest extends Request {
  method: "sampling/createMessage";

  params: {
    /** The conversation so far, oldest message first. */
    messages: SamplingMessage[];

    /** Wishes about the model to use; the client is free to disregard them. */
    modelPreferences?: ModelPreferences;

    /** System prompt to use; the client may change it or leave it out. */
    systemPrompt?: string;

    /** Asks the client to add context from this server or from all connected ones; the client may refuse. */
    includeContext?: "none" | "thisServer" | "allServers";

    /**
     * Randomness of the output. The usable range depends on the model.
     *
     * @TJS-type number
     */
    temperature?: number;

    /** Upper limit for the tokens to generate; the client must not exceed it and may stop earlier. */
    maxTokens: number;

    /** Strings that end the generation as soon as the model produces one of them. */
    stopSequences?: string[];

    /** Extra parameters for the model provider, in whatever form that provider defines. */
    metadata?: object;
  };
}

/**
 * Answer to `sampling/createMessage`: the message that the model produced. The client should let the
 * user see it, and withhold it if they wish, before it reaches the server.
 */
export interface CreateMessageResult extends Result, SamplingMessage {
  /** Provider's name for the model that was used, which may differ from every hint. */
  model: string;

  /** Why generation ended, if the client knows. Providers may report other values than the three listed. */
  stopReason?: "endTurn" | "stopSequence" | "maxTokens" | string;
}

/**
 * One turn of the conversation in a `sampling/createMessage` exchange, used both for the input and for
 * the model's reply.
 */
export interface SamplingMessage {
  /** Whose turn the message is. */
  role: Role;

  /** A single content block; resources cannot be embedded here. */
  content: TextContent | ImageContent | AudioContent;
}

/**
 * Hints attached to resources and content blocks, which help a client to choose what to show and what
 * to give to the model.
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
}

/** Content block with plain text. */
export interface TextContent {
  type: "text";

  /** The text itself. */
  text: string;

  /** Hints for the client: audience and priority. The receiver may ignore them. */
  annotations?: Annotations;
}

/** Content block with an inline image. */
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

  /** Hints for the client: audience and priority. The receiver may ignore them. */
  annotations?: Annotations;
}

/** Content block with inline audio. */
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

  /** Hints for the client: audience and priority. The receiver may ignore them. */
  annotations?: Annotations;
}

/**
 * Wishes of a server about the model that the client picks for sampling: model names plus weights for
 * cost, speed and intelligence. They are advice only, and the client may weigh or ignore them as it
 * likes.
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
 */
export interface ModelHint {
  /**
   * Model name or part of one: `sonnet` should match any model whose name contains it. A client without
   * such a model may substitute a comparable one of another vendor.
   */
  name?: string;
}

/**
 * Asks the server for suggestions while the user types an argument of a prompt or a variable of a
 * resource template. Needs the server's `completions` capability.
 */
export interface CompleteRequest extends Request {
  method: "completion/complete";

  params: {
    /** The prompt or resource template that the argument belongs to. */
    ref: PromptReference | ResourceReference;

    /** The argument being typed. */
    argument: {
      /** Name of the prompt argument or template variable. */
      name: string;

      /** What the user has typed so far; may be empty. */
      value: string;
    };
  };
}

/** Answer to `completion/complete`: suggestions for the argument being typed. */
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
 * Points `completion/complete` at a resource or a resource template. Later revisions call this type
 * `ResourceTemplateReference`.
 */
export interface ResourceReference {
  type: "ref/resource";

  /**
   * The resource URI, or the template exactly as listed by `resources/templates/list`.
   *
   * @format uri-template
   */
  uri: string;
}

/** Points `completion/complete` at a prompt. */
export interface PromptReference {
  type: "ref/prompt";

  /** The prompt's `name` from `prompts/list`. */
  name: string;
}

/**
 * Sent by the server to learn which directories or files the user wants it to work in. Needs the
 * client's `roots` capability; a client without it answers with error `-32601`.
 */
export interface ListRootsRequest extends Request {
  method: "roots/list";
}

/**
 * Answer to `roots/list`: the directories and files that the user lets the server work in. The client
 * must list only permitted locations, and the server should stay inside them.
 */
export interface ListRootsResult extends Result {
  /** All roots at once, as this list is not paginated; may be empty. */
  roots: Root[];
}

/**
 * One directory or file that the client opens up to the server. It is guidance, not a sandbox: nothing
 * in the protocol enforces the boundary.
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
}

/**
 * Sent by the client whenever its roots change, which it must do if it declared `roots.listChanged`.
 * It carries no list: the server calls `roots/list` again to get the new one.
 */
export interface RootsListChangedNotification extends Notification {
  method: "notifications/roots/list_changed";
}

/** Every request that a client can send to a server in this revision. */
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
  | ListToolsRequest;

/** Every notification that a client can send to a server in this revision. */
export type ClientNotification =
  CancelledNotification | ProgressNotification | InitializedNotification | RootsListChangedNotification;

/** Every result with which a client can answer a request of the server. */
export type ClientResult = EmptyResult | CreateMessageResult | ListRootsResult;

/** Every request that a server can send to a client in this revision. */
export type ServerRequest = PingRequest | CreateMessageRequest | ListRootsRequest;

/** Every notification that a server can send to a client in this revision. */
export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | LoggingMessageNotification
  | ResourceUpdatedNotification
  | ResourceListChangedNotification
  | ToolListChangedNotification
  | PromptListChangedNotification;

/** Every result with which a server can answer a request of the client. */
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
  | ListToolsResult;
