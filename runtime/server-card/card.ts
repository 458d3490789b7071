/**
 * Server Card: a public description of a server for clients before they connect to it. It has no lists of tools, resources or prompts. Clients must
 * not base decisions about security on it.
 *
 * @see https://modelcontextprotocol.io/seps/2127-mcp-server-cards
 */
export interface ServerCard {
  /** Address of the schema of this format. */
  readonly $schema: string;
  /** Name in reverse-DNS form with one slash: `com.example/weather`. */
  readonly name: string;
  readonly version: string;
  /** Text of at most 100 characters. */
  readonly description: string;
  readonly title?: string;
  readonly websiteUrl?: string;
  readonly repository?: CardRepository;
  readonly icons?: readonly CardIcon[];
  /** Endpoints of the server. */
  readonly remotes?: readonly CardRemote[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Source code of a server. */
export interface CardRepository {
  readonly url: string;
  /** Hosting service: `github`. */
  readonly source: string;
  readonly subfolder?: string;
  readonly id?: string;
}

/** Icon of a server, as an HTTP URL or an image in a `data:` URL. */
export interface CardIcon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: "light" | "dark";
}

/** Endpoint of a server. */
export interface CardRemote {
  readonly type: "streamable-http" | "sse";
  /** URL, or a template whose `{variables}` are filled in before the connection. */
  readonly url: string;
  readonly headers?: readonly CardHeader[];
  readonly variables?: Readonly<Record<string, CardInput>>;
  readonly supportedProtocolVersions?: readonly string[];
}

/** Value to be supplied by a user. */
export interface CardInput {
  readonly description?: string;
  readonly isRequired?: boolean;
  readonly isSecret?: boolean;
  readonly format?: "string" | "number" | "boolean" | "filepath";
  readonly default?: string;
  readonly placeholder?: string;
  readonly value?: string;
  readonly choices?: readonly string[];
}

/** Header of requests to an endpoint. */
export interface CardHeader extends CardInput {
  readonly name: string;
  readonly variables?: Readonly<Record<string, CardInput>>;
}

/** Schema named by cards of this version. */
export const cardSchema = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

/** Media type of a card. */
export const cardType = "application/mcp-server-card+json";

/** Ending of the path of a card, after the path of the endpoint. */
export const cardSuffix = "/server-card";
