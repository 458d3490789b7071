import type { ConnectionFactory } from "../../runtime/client/connection-factory.ts";
import type { UpstreamTarget } from "../../runtime/gateway/index.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import { checkAccess, type Connection } from "./access.ts";
import { resolveCard } from "./server-card.ts";
import { createSocketOpener, type ConnectionTarget } from "./socket-opener.ts";
import { readTarget } from "./target.ts";

/** A server to connect to, with the options of the connection. */
export type ServerAddress = UpstreamTarget | (ConnectionTarget & Pick<Connection, "headers">);

/**
 * Reads the words that name a server. A program gets the few environment variables needed by every program, and the given ones. A Server Card means
 * the endpoint in it.
 *
 * @throws {UserError} when the words name no server, or a file other than a Server Card; the message lists the possibilities.
 */
export async function readServerAddress(
  words: readonly string[],
  { headers, env }: Connection,
): Promise<ServerAddress> {
  const target = await resolveCard(readTarget(words, { takesFiles: false }), { headers });
  checkAccess(target, { headers });
  switch (target.kind) {
    case "url":
      return { kind: "url", url: target.url.href, headers: () => headers };
    case "websocket":
    case "tcp":
      return { ...target, headers };
    case "command":
      return { kind: "command", command: target.command, args: target.args, env };
    case "file":
      throw new UserError(`${target.path} is a file, not a server; pass a command (after --) or an address.`);
    default:
      return target satisfies never;
  }
}

/** Returns the server at a place, in the form connecting code expects. */
export function toServer(place: ServerAddress): UpstreamTarget | ConnectionFactory {
  return place.kind === "websocket" || place.kind === "tcp" ? createSocketOpener(place, place.headers) : place;
}
