import { cardSchema } from "../../../runtime/server-card/card.ts";
import { jsonText } from "../../internal/json-text.ts";

/** Facts of a project for its Server Card. */
export interface CardFacts {
  /** Name in the MCP registry. */
  readonly registryName: string;
  /** Name of the host in the placeholder of the address. */
  readonly hostName: string;
  /** True if the server accepts only clients with an API key. */
  readonly isKeyed: boolean;
  /** Revisions of the project, newest first. */
  readonly revisions: readonly string[];
}

/** Header required by a server with API keys. */
const keyHeader = {
  name: "X-API-Key",
  description: "API key of the client",
  isRequired: true,
  isSecret: true,
} as const;

/** Returns the placeholder of the public address of a server. */
export function exampleUrl(hostName: string): string {
  return `https://${hostName}.example.com/mcp`;
}

/** Returns the text of `server-card.json`, for static file hosts. Name and address are placeholders. */
export function cardFileText({ registryName, hostName, isKeyed, revisions }: CardFacts): string {
  const remote = {
    type: "streamable-http",
    url: exampleUrl(hostName),
    ...(isKeyed && { headers: [keyHeader] }),
    supportedProtocolVersions: revisions,
  };
  const card = {
    $schema: cardSchema,
    name: registryName,
    version: "0.1.0",
    description: "A Model Context Protocol server.",
    remotes: [remote],
  };
  return `${jsonText(card)}\n`;
}
