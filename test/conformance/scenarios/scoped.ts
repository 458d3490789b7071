import { revisions } from "../../../generated/revisions.ts";
import { requireBearerToken } from "../../../runtime/auth/server/index.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import type { Scene } from "./scenario.ts";

/** Request that needs two scopes. */
export interface ScopedRequest {
  readonly method: string;
  readonly params: object;
  readonly scopes: readonly string[];
}

const prefix = "mcp:conformance";
const tool = [`${prefix}:tools:call`, `${prefix}:tools:test_simple_text`];
const resource = [`${prefix}:resources:read`, `${prefix}:resources:static`];
const template = [`${prefix}:resources:read`, `${prefix}:resources:template:123`];
const prompt = [`${prefix}:prompts:get`, `${prefix}:prompts:test_simple_prompt`];

/** One request for each kind of definition. */
export const scopedRequests: readonly ScopedRequest[] = [
  { method: "tools/call", params: { name: "test_simple_text", arguments: {} }, scopes: tool },
  { method: "resources/read", params: { uri: "test://static-text" }, scopes: resource },
  { method: "resources/read", params: { uri: "test://template/123/data" }, scopes: template },
  { method: "prompts/get", params: { name: "test_simple_prompt" }, scopes: prompt },
];

/** Scope that every request needs. */
export const baseline = `${prefix}:baseline`;

const issuer = "https://issuer.example";

/** Tokens, and what they permit. */
const grants: Readonly<Record<string, readonly string[]>> = {
  "mcp-conformance-scope-low": [baseline],
  "mcp-conformance-scope-full": [baseline, ...new Set(scopedRequests.flatMap(({ scopes }) => scopes))],
};

/** Starts a server whose definitions need scopes; its tokens are opaque. */
export async function startScoped({ onEnd }: Scene): Promise<string> {
  const server = createServer(
    {
      name: "scoped",
      version: "1.0.0",
      tools: [{ name: "test_simple_text", scopes: tool, execute: () => "Text." }],
      resources: [{ uri: "test://static-text", name: "static", scopes: resource, read: () => "Text." }],
      resourceTemplates: [
        { uriTemplate: "test://template/{id}/data", name: "template", scopes: template, read: () => "Text." },
      ],
      prompts: [{ name: "test_simple_prompt", scopes: prompt, get: () => "Text." }],
    },
    revisions,
  );
  const resourceUrl = "https://scoped.example/mcp";
  const authenticate = requireBearerToken({
    resource: resourceUrl,
    issuer,
    scopes: [baseline],
    verify(token) {
      const scopes = Object.hasOwn(grants, token) ? grants[token] : undefined;
      const exp = Math.floor(Date.now() / 1_000) + 60;
      return scopes && { iss: issuer, aud: resourceUrl, sub: "scenario", exp, scope: scopes.join(" ") };
    },
  });
  const listener = await serveHttp(server, { port: 0, authenticate });
  onEnd(() => listener.close());
  return listener.url;
}
