import { SetupError } from "../../../runtime/jsonrpc/errors.ts";
import { decodePart } from "../../engine/decode-part.ts";
import type { RedisServer } from "./redis-client.ts";
import { isUrl } from "../../../runtime/internal/parse-url.ts";

/** Address of one Redis or Valkey server, of the sentinels of a primary, or of nodes of a Redis Cluster. */
export type RedisUrl = string | RedisSentinels | RedisClusterNodes;

/** Sentinels to find the primary with. */
export interface RedisSentinels {
  /** URLs of the sentinels, with their credentials. */
  readonly sentinels: readonly string[];
  /** Name of the primary. */
  readonly name: string;
  /** Credentials for the primary, not for the sentinels. */
  readonly username?: string;
  readonly password?: string;
  /** Number of the database. Default 0. */
  readonly database?: number;
  /** Connects to the primary by TLS. Default: as to the sentinels. */
  readonly tls?: boolean;
}

/** Nodes of a Redis Cluster; the client finds the others through these. */
export interface RedisClusterNodes {
  /** URLs of some nodes. The credentials of the first are used for all. */
  readonly cluster: readonly string[];
}

/** Parsed address. */
export type RedisTarget =
  | { readonly kind: "single"; readonly server: RedisServer }
  | {
      readonly kind: "sentinel";
      readonly sentinels: readonly RedisServer[];
      readonly name: string;
      readonly primary: Omit<RedisServer, "host" | "port">;
    }
  | { readonly kind: "cluster"; readonly servers: readonly [RedisServer, ...RedisServer[]] };

/**
 * Parses an address.
 *
 * @throws {SetupError} when it is invalid. The message contains no part of a URL, because it may contain a password.
 */
export function toTarget(url: RedisUrl): RedisTarget {
  if (typeof url === "string") return { kind: "single", server: toServer(url, 6379) };
  if ("cluster" in url) {
    const [first, ...others] = url.cluster.map((node) => toServer(node, 6379));
    if (first === undefined) throw new SetupError("The list of cluster nodes is empty; add the URL of a node");
    return { kind: "cluster", servers: [first, ...others] };
  }
  const { name, username, password, database, tls } = url;
  const sentinels = url.sentinels.map((sentinel) => toServer(sentinel, 26379));
  if (sentinels.length === 0) throw new SetupError("The list of sentinels is empty; add the URL of a sentinel");
  const isEncrypted = tls ?? sentinels[0]?.isEncrypted ?? false;
  const primary = {
    isEncrypted,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(database !== undefined && { database }),
  };
  return { kind: "sentinel", sentinels, name, primary };
}

function describeServer({ host, port }: Pick<RedisServer, "host" | "port">): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Returns host and port of the first server for messages, without credentials, and the number of the others. */
export function describeServers([first, ...others]: readonly RedisServer[]): string {
  const place = first ? describeServer(first) : "no address";
  return others.length === 0 ? place : `${place} and ${others.length} more`;
}

function toServer(text: string, defaultPort: number): RedisServer {
  if (!isUrl(text)) throw new SetupError(invalid);
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const database = /^\/?(\d{0,5})$/.exec(pathname)?.[1];
  if (!/^rediss?:$/.test(protocol) || hostname === "" || database === undefined) throw new SetupError(invalid);
  const [user, secret] = [decodePart(username), decodePart(password)];
  // A "?" or "#" of a password ends the address before its host.
  const isCut = `${search}${hash}`.includes("@");
  if (isCut || user === undefined || secret === undefined) throw new SetupError(unencoded);
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? defaultPort : Number(port),
    isEncrypted: protocol === "rediss:",
    ...(user !== "" && { username: user }),
    ...(secret !== "" && { password: secret }),
    ...(database !== "" && database !== "0" && { database: Number(database) }),
  };
}

const invalid = "The URL of Redis is invalid; use redis://user:password@host:port or rediss://…";
const unencoded = "The credentials in the URL of Redis are invalid; write % as %25, # as %23 and ? as %3F";
