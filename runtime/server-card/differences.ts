import type { ImplementationInfo } from "../protocol/session/session.ts";
import type { ServerCard } from "./card.ts";
import { isUrl } from "../internal/parse-url.ts";

/** Statement of a card that the server contradicts. */
export interface CardDifference {
  /** Member of the card: `version`. */
  readonly member:
    "name" | "version" | "title" | "description" | "websiteUrl" | "supportedProtocolVersions" | "remotes";
  /** Value in the card, as text. */
  readonly card: string;
  /** Value of the server, as text. */
  readonly server: string;
}

/** Server at the end of a connection. */
export interface ReachedServer {
  /** Info declared by the server. Its name may be the name of the card, or the part after the slash. */
  readonly info: ImplementationInfo;
  /** All revisions of the server. Default: revisions are not compared. */
  readonly revisions?: readonly string[];
  /** URL of the endpoint. Default: remotes are not compared. */
  readonly url?: string | URL;
}

/**
 * Compares a card with the server at the end of a connection. A card is only a hint: where the two differ, the server is right. Only members reported
 * by the server are compared.
 *
 * @see https://modelcontextprotocol.io/seps/2127-mcp-server-cards
 * @example
 * ```ts
 * import { createServerCardReader, findCardDifferences } from "mcp-server-runtime/server-card/client";
 *
 * const card = await createServerCardReader().readCard("https://mcp.example.com/mcp/server-card");
 * for (const { member } of findCardDifferences(card, { info: client.serverInfo }))
 *   console.error(`The server card is out of date: ${member}`);
 * ```
 */
export function findCardDifferences(card: ServerCard, server: ReachedServer): readonly CardDifference[] {
  const { info } = server;
  const name = info.name.includes("/") ? card.name : (card.name.split("/")[1] ?? "");
  return [
    ...compare("name", name, info.name),
    ...compare("version", card.version, info.version),
    ...compare("title", card.title, info.title),
    ...compare("description", card.description, info.description),
    ...compare("websiteUrl", card.websiteUrl, info.websiteUrl),
    ...compareRemotes(card, server),
  ];
}

function compare(member: CardDifference["member"], card: string | undefined, server: unknown): CardDifference[] {
  if (card === undefined || typeof server !== "string" || server === card) return [];
  return [{ member, card, server }];
}

/** Compares the remotes without variables: only these have a known URL. */
function compareRemotes({ remotes = [] }: ServerCard, { url, revisions }: ReachedServer): CardDifference[] {
  if (url === undefined) return [];
  const known = remotes.filter((remote) => isUrl(remote.url) && !remote.url.includes("{"));
  const own = known.filter((remote) => toPlace(remote.url) === toPlace(url));
  if (own.length === 0 && known.length === remotes.length && known.length > 0)
    return [{ member: "remotes", card: known.map((remote) => remote.url).join(", "), server: toPlace(url) }];
  const listed = own.flatMap(({ supportedProtocolVersions = [] }) => supportedProtocolVersions);
  const unsupported = revisions ? listed.filter((id) => !revisions.includes(id)) : [];
  if (unsupported.length === 0) return [];
  const [card, server] = [unsupported.join(", "), revisions?.join(", ") ?? ""];
  return [{ member: "supportedProtocolVersions", card, server }];
}

function toPlace(url: string | URL): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, "");
}
