import type { Exchange, HeaderFields, RequestHead } from "./exchange/exchange.ts";
import type { HostRules } from "./host-rules.ts";

/** CORS options for pages of allowed origins. */
export interface CorsOptions {
  /** Seconds for which a browser may cache the response to a preflight request. Default 600. */
  readonly maxAge?: number;
  /** Request headers pages may send in addition to those of the protocol. */
  readonly headers?: readonly string[];
}

/** Returns the fields with which a page of this (allowed) origin can read the response. */
export function toCorsFields(request: Pick<Exchange, "header" | "hosts">, hosts: HostRules): HeaderFields | undefined {
  const origin = request.header("origin");
  if (origin === undefined || !hosts.isOrigin(origin, request.hosts)) return undefined;
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce, Retry-After",
    vary: "Origin",
  };
}

/** Returns the fields of a response to a preflight request. Only the tools know the names of mirrored parameters, so requested ones are allowed. */
export function toPreflightFields(request: RequestHead, cors: CorsOptions): HeaderFields {
  const asked = request.header("access-control-request-headers")?.split(",") ?? [];
  const named = asked.map((name) => name.trim()).filter((name) => paramHeader.test(name));
  const headers = [...protocolHeaders, ...(cors.headers ?? []), ...named];
  return {
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": headers.join(", "),
    "access-control-max-age": String(cors.maxAge ?? 600),
  };
}

const paramHeader = /^mcp-param-[\w!#$%&'*+.^`|~-]+$/i;

const protocolHeaders = [
  "Accept",
  "Authorization",
  "Content-Type",
  "DPoP",
  "Last-Event-ID",
  "MCP-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
  "Mcp-Session-Id",
] as const;
