import type { Gateway } from "../../runtime/gateway/index.ts";
import { cardSchema } from "../../runtime/server-card/card.ts";
import { createServerCard, type PublishedCard } from "../../runtime/server-card/create-card.ts";
import { findCardProblem } from "../../runtime/server-card/read-card.ts";
import { explainCause, UserError } from "../../generator/internal/user-error.ts";

/** Options of the Server Card of a gateway. */
export interface GatewayCardFlags {
  /** Public name in reverse-DNS form: `com.example/weather`. */
  readonly card?: string;
  /** Public URL of the endpoint. */
  readonly publicUrl?: string;
}

/** Path of the endpoint of a gateway. */
const path = "/mcp";

/**
 * Creates the documents of the Server Card of a gateway, with the revisions of the gateway. The server behind it is not trusted: what it declares about
 * itself is left out if it does not fit into a card.
 *
 * @throws {UserError} when only one of the options is given, or a value is not valid
 */
export function createGatewayCard(
  { info, revisions }: Gateway,
  { card: name, publicUrl: url }: GatewayCardFlags,
): PublishedCard["documents"] | undefined {
  if (name === undefined && url === undefined) return undefined;
  if (name === undefined || url === undefined)
    throw new UserError(
      "--card and --public-url belong together; pass --card com.example/NAME --public-url https://HOST/mcp.",
    );
  const base = { $schema: cardSchema, name: "a/b", version: "1", description: "c" };
  const fits = (member: string, value: unknown): boolean => findCardProblem({ ...base, [member]: value }) === undefined;
  const members = Object.entries(info).filter(([member, value]) => member === "name" || fits(member, value));
  const description = [info.description, info.title, info.name, "MCP server"].find(
    (text): text is string => typeof text === "string" && fits("description", text),
  );
  const described = { info: { name: info.name, version: "0", ...Object.fromEntries(members) }, revisions };
  try {
    return createServerCard(described, { name, url, path, ...(description !== undefined && { description }) })
      .documents;
  } catch (error) {
    throw new UserError(`--card: ${explainCause(error)}`, { cause: error });
  }
}
