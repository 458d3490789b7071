import { SetupError } from "../../rpc/errors.ts";
/** Which hosts a server may be asked for, and which web pages may ask. */
export interface HostRules {
  isHost(host: string): boolean;
  isOrigin(origin: string): boolean;
}

/** Allow-lists; `"any"` switches a check off. */
export interface HostOptions {
  /**
   * Hosts by which this server may be addressed: names (any port) or names with port. Protects a server on a developer's machine from web
   * pages that make their own name point to it. Default: the loopback names.
   */
  readonly allowedHosts?: readonly string[] | "any";
  /** Origins of the web pages that may use this server, such as `https://app.example`. Default: pages that an allowed host serves. */
  readonly allowedOrigins?: readonly string[] | "any";
}

/** The names of this machine for itself. */
export const loopbackHosts: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning */
export function createHostRules({ allowedHosts = loopbackHosts, allowedOrigins }: HostOptions): HostRules {
  const hosts = new Set((allowedHosts === "any" ? loopbackHosts : allowedHosts).map((host) => host.toLowerCase()));
  const origins = Array.isArray(allowedOrigins) ? new Set(allowedOrigins.map(toOrigin)) : undefined;
  const isListed = (host: string): boolean => hosts.has(host) || hosts.has(host.replace(/:\d*$/, ""));
  return {
    isHost: (host) => allowedHosts === "any" || isListed(host.toLowerCase()),
    isOrigin(origin) {
      if (allowedOrigins === "any") return true;
      const url = URL.canParse(origin) ? new URL(origin) : undefined;
      if (!url || url.origin !== origin.toLowerCase()) return false;
      return origins ? origins.has(url.origin) : /^https?:$/.test(url.protocol) && isListed(url.host);
    },
  };
}

function toOrigin(value: string): string {
  if (URL.canParse(value)) return new URL(value).origin;
  throw new SetupError(
    `"${value}" in allowedOrigins is not an origin. Write it like https://app.example or http://localhost:5173.`,
  );
}
