import { once } from "node:events";
import { createServer as createHttpServer, request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport, type OAuthClientProvider } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { examineAuthorization } from "../../../tools/check/auth/examine-authorization.ts";
import { findingsOf } from "../../../tools/check/finding.ts";
import { verifyJwt } from "../../../runtime/adapters/jose.ts";
import { authorizationCode, createOAuthProvider, type Redirector } from "../../../runtime/auth/client/index.ts";
import { requireBearerToken } from "../../../runtime/auth/server/index.ts";
import { connectHttp } from "../../../runtime/client/connect-http.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { createHttpHandler } from "../../../runtime/server/run/http-handler.ts";
import { startIssuer, type Issuer } from "../../../runtime/testing/issuer/issuer.ts";

/* The issuer of projects, with a server that accepts its tokens, and real clients. */

const redirectUri = "http://127.0.0.1:9/callback";
const http = createHttpServer();
let time = Date.now();
let issuer: Issuer;
let resource: string;

beforeAll(async () => {
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  resource = `${originOf(http.address())}/mcp`;
  issuer = await startIssuer(resource, { now: () => time });
  const who = { name: "who", execute: (_args: unknown, { auth }: { auth?: unknown }) => JSON.stringify(auth) };
  const server = createServer({ name: "notes", version: "1", tools: [who] }, revisions);
  const authenticate = requireBearerToken({ resource, issuer: issuer.url, verify: verifyJwt() });
  const handler = createHttpHandler(server, { path: "/mcp", authenticate });
  http.on("request", (request, response) => handler.node(request, response));
});

afterAll(async () => {
  await issuer.close();
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
});

function originOf(address: string | AddressInfo | null): string {
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

/** Presses a button of the page, and returns the URL to which the user is redirected. */
async function decide(url: URL, decision = "allow"): Promise<URL> {
  const page = await (await fetch(url)).text();
  const [, id = ""] = /name="id" value="(\w+)"/.exec(page) ?? [];
  const body = new URLSearchParams({ id, decision });
  const response = await fetch(url, { method: "POST", body, redirect: "manual" });
  return new URL(response.headers.get("location") ?? `none:${response.status}`);
}

/** Registers a client, and returns its id. */
async function register(): Promise<string> {
  const response = await post("/register", { redirect_uris: [redirectUri], client_name: "<b>notes</b>" });
  return String(response.body["client_id"]);
}

async function post(
  path: string,
  body: object,
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  const isForm = body instanceof URLSearchParams;
  const init = isForm ? { body } : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await fetch(`${issuer.url}${path}`, { method: "POST", ...init });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const verifier = "v".repeat(43);
/** SHA-256 of the verifier, in base64url. */
const challenge = Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))).toString(
  "base64url",
);

/** URL of a sign-in. `undefined` removes a parameter. */
function toSignIn(changes: Readonly<Record<string, string | undefined>>): URL {
  const url = new URL("/authorize", issuer.url);
  const usual = {
    response_type: "code",
    redirect_uri: redirectUri,
    state: "s1",
    code_challenge: challenge,
    code_challenge_method: "S256",
    resource,
  };
  for (const [name, value] of Object.entries({ ...usual, ...changes }))
    if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

/** Signs in, and returns the parameters of a valid token request. */
async function signIn(): Promise<Readonly<Record<string, string>>> {
  const id = await register();
  const back = await decide(toSignIn({ client_id: id }));
  return {
    grant_type: "authorization_code",
    client_id: id,
    redirect_uri: redirectUri,
    code: back.searchParams.get("code") ?? "",
    code_verifier: verifier,
    resource,
  };
}

describe("the issuer and real clients", () => {
  test("the client of this project registers, signs in, and calls", async () => {
    const redirect: Redirector = {
      open: async () => ({ redirectUri, visit: async (url) => (await decide(url)).href, close: async () => {} }),
    };
    const auth = createOAuthProvider(resource, { grant: authorizationCode({ redirect, client: { name: "notes" } }) });
    const client = await connectHttp(resource, { auth, info: { name: "c", version: "1" }, revisions });
    expect(JSON.stringify(await client.request("tools/call", { name: "who" }))).toContain("alice");
    await client.close();
  });

  test("the official client registers, signs in, and calls", async () => {
    const visited: URL[] = [];
    const saved: { client?: object; tokens?: object; verifier?: string } = {};
    const provider: OAuthClientProvider = {
      redirectUrl: redirectUri,
      clientMetadata: { client_name: "sdk", redirect_uris: [redirectUri], token_endpoint_auth_method: "none" },
      clientInformation: () => (saved.client ? Object(saved.client) : undefined),
      saveClientInformation: (given) => void (saved.client = given),
      tokens: () => (saved.tokens ? Object(saved.tokens) : undefined),
      saveTokens: (given) => void (saved.tokens = given),
      redirectToAuthorization: (url) => void visited.push(url),
      saveCodeVerifier: (given) => void (saved.verifier = given),
      codeVerifier: () => saved.verifier ?? "",
    };
    const open = (): [Client, StreamableHTTPClientTransport] => [
      new Client({ name: "sdk", version: "1" }),
      new StreamableHTTPClientTransport(new URL(resource), { authProvider: provider }),
    ];
    const [first, transport] = open();
    await expect(first.connect(transport)).rejects.toThrow();
    await transport.finishAuth((await decide(visited[0] ?? new URL(resource))).searchParams);
    const [second, again] = open();
    await second.connect(again);
    expect(JSON.stringify(await second.callTool({ name: "who", arguments: {} }))).toContain("alice");
    await second.close();
  });

  test("`check --auth` finds no fault in the issuer and a token of it", async () => {
    const token = await issuer.sign();
    const report = await examineAuthorization({ url: new URL(resource), headers: {}, timeout: 50_000, token });
    expect(findingsOf(report).map(({ severity, rule }) => [severity, rule])).toEqual([
      ["note", "auth-scopes"],
      ["note", "auth-registration"],
    ]);
  });
});

describe("the page of the issuer", () => {
  test("the page shows names of clients as text, and no other site can frame it", async () => {
    const response = await fetch(toSignIn({ client_id: await register() }));
    expect(await response.text()).toContain("&#60;b&#62;notes&#60;/b&#62;");
    expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("a denied sign-in returns to the client with its state and the issuer", async () => {
    const back = await decide(toSignIn({ client_id: await register() }), "deny");
    expect(Object.fromEntries(back.searchParams)).toEqual({ error: "access_denied", state: "s1", iss: issuer.url });
  });

  test("a sign-in is decided once", async () => {
    const url = toSignIn({ client_id: await register() });
    const [, id = ""] = /name="id" value="(\w+)"/.exec(await (await fetch(url)).text()) ?? [];
    const statuses = [];
    for (let time = 0; time < 2; time++) {
      const body = new URLSearchParams({ id, decision: "allow" });
      statuses.push((await fetch(url, { method: "POST", body, redirect: "manual" })).status);
    }
    expect(statuses).toEqual([303, 400]);
  });

  test.each([
    ["no client", { client_id: undefined }],
    ["an unknown client", { client_id: "unknown" }],
    ["another redirect URI", { redirect_uri: "http://127.0.0.1:9/other" }],
    ["a redirect URI of another host", { redirect_uri: "https://evil.example/callback" }],
    ["no redirect URI", { redirect_uri: undefined }],
  ])("a sign-in with %s stays on the page", async (_case, changes) => {
    const response = await fetch(toSignIn({ client_id: await register(), ...changes }), { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([400, null]);
  });

  test.each([
    ["another response type", { response_type: "token" }, "unsupported_response_type"],
    ["no challenge", { code_challenge: undefined }, "invalid_request"],
    ["a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
    ["another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
  ])("a sign-in with %s returns an error to the client", async (_case, changes, error) => {
    const response = await fetch(toSignIn({ client_id: await register(), ...changes }), { redirect: "manual" });
    const back = new URL(response.headers.get("location") ?? "none:");
    expect(back.searchParams.get("error")).toBe(error);
    expect(back.href).toContain(redirectUri);
  });

  test("a redirect URI of this machine may have another port", async () => {
    const url = toSignIn({ client_id: await register(), redirect_uri: "http://127.0.0.1:51000/callback" });
    expect((await decide(url)).port).toBe("51000");
  });
});

describe("the token endpoint of the issuer", () => {
  test("a code is good for one token", async () => {
    const form = await signIn();
    const first = await post("/token", new URLSearchParams(form));
    expect(first).toMatchObject({ status: 200, body: { token_type: "Bearer", expires_in: 3_600 } });
    expect(await post("/token", new URLSearchParams(form))).toMatchObject({ body: { error: "invalid_grant" } });
  });

  test("a refresh token belongs to its client, and is good for one token", async () => {
    const form = await signIn();
    const { body } = await post("/token", new URLSearchParams(form));
    const refresh = (client: string, token: unknown) => {
      const parameters = { grant_type: "refresh_token", client_id: client, refresh_token: String(token) };
      return post("/token", new URLSearchParams(parameters));
    };
    const own = form["client_id"] ?? "";
    expect(await refresh("other", body["refresh_token"])).toMatchObject({ body: { error: "invalid_grant" } });
    const next = await refresh(own, body["refresh_token"]);
    expect(next.status).toBe(200);
    expect(await refresh(own, body["refresh_token"])).toMatchObject({ body: { error: "invalid_grant" } });
    expect((await refresh(own, next.body["refresh_token"])).status).toBe(200);
  });

  test.each([
    ["another verifier", { code_verifier: "w".repeat(43) }, "invalid_grant"],
    ["another client", { client_id: "other" }, "invalid_grant"],
    ["another redirect URI", { redirect_uri: "http://127.0.0.1:9/other" }, "invalid_grant"],
    ["an unknown code", { code: "0" }, "invalid_grant"],
    ["another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["another grant", { grant_type: "password" }, "unsupported_grant_type"],
  ])("a token request with %s is rejected", async (_case, changes, error) => {
    const form = new URLSearchParams({ ...(await signIn()), ...changes });
    expect(await post("/token", form)).toMatchObject({ status: 400, body: { error } });
  });

  test("a code expires after a minute", async () => {
    const form = await signIn();
    time += 60_000;
    expect(await post("/token", new URLSearchParams(form))).toMatchObject({ body: { error: "invalid_grant" } });
  });
});

describe("registration at the issuer", () => {
  test.each([
    ["https", "https://client.example/callback", 201],
    ["this machine", "http://localhost:33418/", 201],
    ["an application", "cursor://anysphere.cursor-mcp/oauth/callback", 201],
    ["http of another machine", "http://client.example/callback", 400],
    ["a script", "javascript:alert(1)", 400],
    ["a document", "data:text/html,x", 400],
    ["a fragment", "https://client.example/#x", 400],
    ["no URL", "callback", 400],
  ])("a redirect URI of %s (%s) has status %i", async (_case, uri, status) => {
    expect((await post("/register", { redirect_uris: [uri] })).status).toBe(status);
  });

  test.each([
    ["no redirect URI", "{}", "application/json"],
    ["no JSON", "{", "application/json"],
    ["a form", "redirect_uris=x", "application/x-www-form-urlencoded"],
    ["too much", `{"client_name":"${"x".repeat(70_000)}"}`, "application/json"],
  ])("a registration with %s is rejected", async (_case, body, type) => {
    const init = { method: "POST", body, headers: { "content-type": type } };
    expect((await fetch(`${issuer.url}/register`, init)).status).toBe(400);
  });
});

test("a request to another host name is rejected (DNS rebinding)", async () => {
  const status = await new Promise((resolve, reject) => {
    const { port } = new URL(issuer.url);
    const headers = { host: "evil.example" };
    sendRequest({ port, host: "127.0.0.1", path: "/keys", headers }, (response) =>
      resolve(response.resume().statusCode),
    )
      .on("error", reject)
      .end();
  });
  expect(status).toBe(421);
});
