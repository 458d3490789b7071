/** What a server offers. `tools` are always there. */
export const offerings = ["tools", "resources", "prompts", "changes", "questions", "tasks", "skills", "ui"] as const;

/** `changes` are lists that change while clients are connected, and who hears of it. `questions` are sampling, elicitation and roots: what a handler asks the client. `ui` are views of what tools give. */
export type Offering = (typeof offerings)[number];

/**
 * Whether what is offered may change while clients are connected. Tools may as well be what they are from beginning to end; whatever else is
 * offered brings its own news with it.
 */
export function hasChangesAmong(offers: readonly Offering[]): boolean {
  return offers.some((offering) => offering !== "tools" && offering !== "questions");
}

/** Whether something offered is, or may be, an extension of the protocol. */
export function hasExtensionAmong(offers: readonly Offering[]): boolean {
  return offers.some((offering) => offering === "tasks" || offering === "skills" || offering === "ui");
}

/** How clients reach a server; `worker` is the fetch handler of edge platforms. */
export const transports = ["stdio", "http", "worker", "websocket", "tcp"] as const;

/** One way to reach a server. */
export type Transport = (typeof transports)[number];

/** Who may call a server over HTTP: who shows an access token, who knows a key, or everybody who reaches it. */
export const protections = ["none", "oauth", "api-key"] as const;

/** One of them. */
export type Protection = (typeof protections)[number];

/** What a protocol layer is made for: everything else is left out of it. */
export interface LayerChoices {
  /** Revisions that it speaks, newest first. Its types are those of the first. */
  readonly revisions: readonly string[];
  readonly offers: readonly Offering[];
  readonly transports: readonly Transport[];
  /** Whether the project is a client, too. */
  readonly client: boolean;
  /** Whether plain JSON Schemas are enforced, by the package `@cfworker/json-schema`. */
  readonly validator: boolean;
  /** True if patterns that may take long are enforced, by the package `re2js`. Default: `false`. */
  readonly re2js?: boolean;
  /** Access tokens are verified by the package `jose`. */
  readonly auth: Protection;
  /** Spec folder that its revisions come from, relative to the project, with slashes. Absent: they are those of this package. */
  readonly spec?: string;
}
