import type { RequestHead } from "../../../../runtime/auth/server/index.ts";

/** Head of a request with at most one header field. */
export function createHead(field: string, value: string | undefined): RequestHead {
  return {
    method: "POST",
    path: "/mcp",
    header: (name) => (name === field ? value : undefined),
    isRepeated: () => false,
    query: () => undefined,
    host: "mcp.example",
    certificate: () => undefined,
    address: "192.0.2.1",
  };
}
