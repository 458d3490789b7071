/** Offerings of a server. `tools` are always included. */
export const offerings = ["tools", "resources", "prompts", "changes", "questions", "tasks", "skills", "ui"] as const;

/**
 * One offering. `changes`: lists that change while clients are connected, and their notifications. `questions`: sampling, elicitation and roots,
 * requests of a handler to the client. `ui`: views of the results of tools.
 */
export type Offering = (typeof offerings)[number];

/**
 * True if offered lists may change while clients are connected. Tools alone may be a fixed list. Every other offering except `questions` brings its
 * own change notifications.
 */
export function hasChangesAmong(offers: readonly Offering[]): boolean {
  return offers.some((offering) => offering !== "tools" && offering !== "questions");
}

/** True if an offering is, or may be, an extension of the protocol. */
export function hasExtensionAmong(offers: readonly Offering[]): boolean {
  return offers.some((offering) => offering === "tasks" || offering === "skills" || offering === "ui");
}

/** Transports of a server; `worker` is the fetch handler of edge platforms. */
export const transports = ["stdio", "http", "worker", "websocket", "tcp"] as const;

/** One transport of a server. */
export type Transport = (typeof transports)[number];

/** Protections of a server over HTTP: none, access tokens, or API keys. */
export const protections = ["none", "oauth", "api-key"] as const;

/** One protection of a server over HTTP. */
export type Protection = (typeof protections)[number];

/** Choices that a protocol layer is emitted for; everything else is left out of it. */
export interface LayerChoices {
  /** Revisions that the layer speaks, newest first. Its types are those of the first. */
  readonly revisions: readonly string[];
  readonly offers: readonly Offering[];
  readonly transports: readonly Transport[];
  /** True if the project is a client, too. */
  readonly client: boolean;
  /** True if plain JSON Schemas are enforced, by the package `@cfworker/json-schema`. */
  readonly validator: boolean;
  /** True if patterns that may take long are enforced, by the package `re2js`. Default: `false`. */
  readonly re2js?: boolean;
  /** Protection over HTTP. Access tokens (`oauth`) are verified by the package `jose`. */
  readonly auth: Protection;
  /** Spec folder of the revisions, relative to the project, with forward slashes. Absent: the revisions are those of this package. */
  readonly spec?: string;
}
