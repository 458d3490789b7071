import {
  McpServer,
  OAuthError,
  OAuthErrorCode,
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
  oauthMetadataResponse,
  requireBearerAuth,
  type OAuthMetadata,
} from "@modelcontextprotocol/server";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { afterEach, describe, expect, test } from "vitest";
import {
  startAuthorizationServer,
  type AuthorizationServer,
} from "../../../examples/authorization-server/authorization-server.ts";
import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import {
  authorizationCode,
  clientCredentials,
  createOAuthProvider,
  type AuthStep,
  type Grant,
} from "../../../runtime/auth/client/index.ts";
import type { ClientConnection } from "../../../runtime/client/connect.ts";
import { connectHttp } from "../../../runtime/client/connect-http.ts";
import { createBrowser } from "../../runtime/auth/server/browser.ts";
import { serveFetch } from "./server.ts";

/* Our client at a server that the helpers of the official SDK protect, with a real authorization server. */

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Protected {
  readonly url: string;
  readonly authority: AuthorizationServer;
  /** Scopes that every request needs from now on. */
  require(...scopes: string[]): void;
}

/** @param audience - what the server wants tokens to be for, if not for itself */
async function start(audience?: string): Promise<Protected> {
  let respond: (request: Request) => Promise<Response> = () => Promise.reject(new Error("not ready"));
  let required: string[] = ["mcp"];
  const { url, close } = await serveFetch((request) => respond(request));
  ends.push(close);
  const authority = await startAuthorizationServer({
    resources: { [url]: ["mcp", "files:write"] },
    services: { robot: "robot-secret-0123456789" },
    apps: { known: [redirectUri] },
  });
  ends.push(() => authority.close());
  const oauthMetadata: OAuthMetadata = await readJson(`${authority.issuer}/.well-known/oauth-authorization-server`);
  const keys = createRemoteJWKSet(new URL(String(oauthMetadata.jwks_uri)));
  const verifier = {
    async verifyAccessToken(token: string) {
      const verified = await jwtVerify(token, keys, { issuer: authority.issuer }).catch(() => {
        throw new OAuthError(OAuthErrorCode.InvalidToken, "not a token of ours");
      });
      const { client_id: clientId, scope, exp, aud, sub } = verified.payload;
      return {
        token,
        clientId: String(clientId),
        scopes: String(scope ?? "").split(" "),
        ...(exp !== undefined && { expiresAt: exp }),
        ...(typeof aud === "string" && { resource: new URL(aud) }),
        extra: { sub },
      };
    },
  };
  const resourceServerUrl = new URL(url);
  const handler = createMcpHandler(({ authInfo }) => {
    const server = new McpServer({ name: "sdk2", version: "1" });
    const who = JSON.stringify({ sub: authInfo?.extra?.sub, scopes: authInfo?.scopes, client: authInfo?.clientId });
    server.registerTool("who", {}, () => ({ content: [{ type: "text", text: who }] }));
    return server;
  });
  respond = async (request) => {
    const document = oauthMetadataResponse(request, { oauthMetadata, resourceServerUrl, scopesSupported: ["mcp"] });
    if (document) return document;
    const gate = requireBearerAuth({
      verifier,
      requiredScopes: required,
      expectedResource: new URL(audience ?? url),
      resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resourceServerUrl),
    });
    const authInfo = await gate(request);
    return authInfo instanceof Response ? authInfo : handler.fetch(request, { authInfo });
  };
  return { url, authority, require: (...scopes) => void (required = scopes) };
}

async function readJson(url: string) {
  const response = await fetch(url);
  return response.json();
}

const redirectUri = "http://127.0.0.1:33418/callback";

async function connect(
  { url }: Protected,
  grant: Grant,
  { spoken = revisions, steps = [] }: { readonly spoken?: typeof revisions; readonly steps?: AuthStep[] } = {},
): Promise<ClientConnection> {
  const auth = createOAuthProvider(url, { grant, onStep: (step) => steps.push(step) });
  const client = await connectHttp(url, { auth, info: { name: "ours", version: "1" }, revisions: spoken });
  ends.push(() => client.close());
  return client;
}

/** Returns the principal of the client, as the server sees it. */
async function call(client: ClientConnection): Promise<unknown> {
  const result = await client.request("tools/call", { name: "who" });
  const [block]: readonly unknown[] = isObject(result) && Array.isArray(result.content) ? result.content : [];
  return JSON.parse(isObject(block) ? String(block.text) : "");
}

const served = revisions.filter(({ id }) => id !== "2024-11-05");

describe("our client signs its user in at a server behind the official bearer middleware and metadata routes", () => {
  test.each(served.map((revision) => [revision.id, revision] as const))(
    "our client signs its user in at revision %s",
    async (_id, revision) => {
      const target = await start();
      const browser = createBrowser(redirectUri);
      const client = await connect(target, authorizationCode({ redirect: browser, client: { name: "ours" } }), {
        spoken: [revision],
      });
      expect(await call(client)).toMatchObject({ sub: "alice", scopes: expect.arrayContaining(["mcp"]) });
      expect(browser.visits).toHaveLength(1);
      expect(browser.visits[0]?.searchParams.get("resource")).toBe(target.url);
    },
  );

  test("our client requests more scopes when a request is rejected with insufficient_scope (AC-22, AC-23)", async () => {
    const target = await start();
    const { issuer } = target.authority;
    const browser = createBrowser(redirectUri);
    const registered = [{ issuer, clientId: "known" }];
    const client = await connect(
      target,
      authorizationCode({ redirect: browser, client: { name: "ours" }, registered }),
    );
    expect(await call(client)).toMatchObject({ scopes: ["mcp"], client: "known" });
    target.require("mcp", "files:write");
    expect(await call(client)).toMatchObject({ scopes: expect.arrayContaining(["mcp", "files:write"]) });
    expect(browser.visits).toHaveLength(2);
  });
});

const robot = (issuer: string): Grant =>
  clientCredentials({ registered: [{ issuer, clientId: "robot", clientSecret: "robot-secret-0123456789" }] });

test("a program signs in at the official server by its secret (AX-C1)", async () => {
  const target = await start();
  expect(await call(await connect(target, robot(target.authority.issuer)))).toMatchObject({ client: "robot" });
});

test("a token that the server rejects is not fetched repeatedly", async () => {
  const target = await start("https://other.example/mcp");
  const steps: AuthStep[] = [];
  const client = connect(target, robot(target.authority.issuer), { steps });
  await expect(client).rejects.toMatchObject({ status: 401 });
  expect(steps.filter(({ method }) => method === "POST").length).toBeLessThanOrEqual(3);
});
