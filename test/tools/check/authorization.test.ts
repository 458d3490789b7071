import type { IncomingMessage, ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { examineAuthorization } from "../../../tools/check/auth/examine-authorization.ts";
import { authRules } from "../../../tools/check/auth/rules.ts";
import { findingsOf, type Severity } from "../../../tools/check/finding.ts";
import { emitText } from "../../../tools/check/report/text.ts";
import { runCheck, type CheckCommandOptions } from "../../../cli/commands/check.ts";
import { verifyJwt } from "../../../runtime/adapters/jose.ts";
import { requireBearerToken } from "../../../runtime/auth/server/index.ts";
import { createServer as createMcpServer } from "../../../runtime/server/create-server.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { captured, type CommandResult } from "../../kit/commands.ts";
import { serveRaw, type RawServer } from "../../kit/raw-server.ts";

/*
 * `check --auth` with a server and an authorization server on loopback, whose responses have one fault each.
 */

/** Response of the fixture: a JSON document, or a status with headers. */
type Reply = object | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

/** Responses of the fixture, by path; `undefined` removes one. */
type Changes = (origin: string) => Readonly<Record<string, Reply | undefined>>;

const resourcePath = "/.well-known/oauth-protected-resource/mcp";
const issuerPath = "/.well-known/oauth-authorization-server";
const { privateKey, publicKey } = await generateKeyPair("ES256");
const jwk = { ...(await exportJWK(publicKey)), alg: "ES256", kid: "one", use: "sig" };

let changes: Changes = () => ({});
/** Status of the server for a token; by default that of a server which verifies it. */
let accept: (token: string) => number = () => 401;
let origin = "";
let server: RawServer;

function respond(request: IncomingMessage, response: ServerResponse): void {
  const { authorization } = request.headers;
  const path = request.url ?? "";
  const all: Readonly<Record<string, Reply | undefined>> = { ...goodReplies(), ...changes(origin) };
  const status = authorization === undefined ? undefined : accept(authorization.slice(7));
  const reply = path === "/mcp" && status !== undefined ? toTokenReply(status) : (all[path] ?? { status: 404 });
  const isRaw = "status" in reply && typeof reply.status === "number";
  const { headers = {}, body = "" } = isRaw ? Object(reply) : { body: JSON.stringify(reply) };
  response.writeHead(isRaw ? Number(reply.status) : 200, { "content-type": "application/json", ...headers }).end(body);
}

function toTokenReply(status: number): Reply {
  const challenge = `Bearer error="${status === 403 ? "insufficient_scope" : "invalid_token"}", scope="mcp:use"`;
  return { status, headers: { "www-authenticate": challenge } };
}

const goodMetadata = (): Record<string, unknown> => ({
  resource: `${origin}/mcp`,
  authorization_servers: [origin],
  scopes_supported: ["mcp:use"],
});

const goodIssuer = (): Record<string, unknown> => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  jwks_uri: `${origin}/keys`,
  code_challenge_methods_supported: ["S256"],
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
});

const goodChallenge = (): string => `Bearer scope="mcp:use", resource_metadata="${origin}${resourcePath}"`;

const goodReplies = (): Record<string, Reply> => ({
  "/mcp": { status: 401, headers: { "www-authenticate": goodChallenge() } },
  [resourcePath]: goodMetadata(),
  [issuerPath]: goodIssuer(),
  "/keys": { keys: [jwk] },
});

beforeAll(async () => {
  server = await serveRaw(respond);
  origin = server.origin;
});

afterAll(() => server.close());

afterEach(() => {
  changes = () => ({});
  accept = () => 401;
  vi.unstubAllEnvs();
});

interface Seen {
  readonly rule: string;
  readonly severity: Severity;
  readonly text: string;
}

async function examine(change: Changes, token?: string): Promise<readonly Seen[]> {
  changes = change;
  const url = new URL(`${origin}/mcp`);
  const report = await examineAuthorization({
    url,
    headers: {},
    timeout: 50_000,
    ...(token !== undefined && { token }),
  });
  return findingsOf(report).map(({ rule, severity, subject, message, fix }) => {
    return { rule, severity, text: `${subject}: ${message}. ${fix}` };
  });
}

const replaced = (path: string, reply: (base: string) => Reply | undefined): Changes => {
  return (base) => ({ [path]: reply(base) });
};

const withIssuer = (fields: Record<string, unknown>): Changes =>
  replaced(issuerPath, () => ({ ...goodIssuer(), ...fields }));
const withMetadata = (fields: Record<string, unknown>): Changes =>
  replaced(resourcePath, () => ({ ...goodMetadata(), ...fields }));

test("a server without faults has no findings", async () => {
  expect(await examine(() => ({}))).toEqual([]);
});

type Row = readonly [name: string, change: Changes, rule: string, text: RegExp];

const faults: readonly Row[] = [
  [
    "accepts requests without a token",
    replaced("/mcp", () => ({})),
    "auth-challenge",
    /HTTP 200 instead of 401.*requireBearerToken/,
  ],
  ["has no challenge", replaced("/mcp", () => ({ status: 401 })), "auth-challenge", /no Bearer or DPoP challenge/],
  [
    "redirects requests",
    replaced("/mcp", () => ({ status: 307, headers: { location: "/elsewhere" } })),
    "auth-challenge",
    /redirect .* is not allowed/,
  ],
  [
    "does not name its metadata",
    replaced("/mcp", () => ({ status: 401, headers: { "www-authenticate": 'Bearer scope="mcp:use"' } })),
    "auth-metadata-link",
    /no resource_metadata/,
  ],
  ["has no metadata", replaced(resourcePath, () => undefined), "auth-resource-metadata", /HTTP 404.*RESOURCE/],
  [
    "has metadata that is no JSON",
    replaced(resourcePath, () => ({ status: 200, body: "<html>" })),
    "auth-resource-metadata",
    /not a JSON object/,
  ],
  [
    "has a page instead of metadata at its path, and metadata at its root",
    (base) => ({
      "/mcp": { status: 401, headers: { "www-authenticate": 'Bearer scope="mcp:use"' } },
      [resourcePath]: { status: 200, body: "<html>" },
      "/.well-known/oauth-protected-resource": { ...goodMetadata(), resource: `${base}/mcp` },
    }),
    "auth-resource-metadata",
    /not a JSON object; some clients stop here.*404/,
  ],
  [
    "has an error with HTTP 200 in each place of metadata",
    () => ({
      "/mcp": { status: 401, headers: { "www-authenticate": 'Bearer scope="mcp:use"' } },
      [resourcePath]: { error: "not_found" },
      "/.well-known/oauth-protected-resource": { error: "not_found" },
    }),
    "auth-resource-metadata",
    /has no resource/,
  ],
  [
    "has metadata with members that are null",
    withMetadata({ bearer_methods_supported: null, resource_name: null }),
    "auth-resource-metadata",
    /bearer_methods_supported, resource_name are null.*leave them out/,
  ],
  ["lists no authorization server", withMetadata({ authorization_servers: [] }), "auth-resource-metadata", /ISSUER/],
  ["names no resource", withMetadata({ resource: undefined }), "auth-resource-metadata", /no resource/],
  [
    "takes tokens in the query only",
    withMetadata({ bearer_methods_supported: ["query"] }),
    "auth-resource-metadata",
    /header/,
  ],
  [
    "is another resource",
    withMetadata({ resource: "https://other.example/mcp" }),
    "auth-resource",
    /do not proceed.*RESOURCE/,
  ],
  [
    "names its origin as resource",
    replaced(resourcePath, (base) => ({ ...goodMetadata(), resource: base })),
    "auth-resource",
    /instead of .*\/mcp/,
  ],
  [
    "names a path as resource whose name its own begins with",
    replaced(resourcePath, (base) => ({ ...goodMetadata(), resource: `${base}/mc` })),
    "auth-resource",
    /\/mc instead of .*\/mcp, so that clients do not proceed/,
  ],
  [
    "requests offline_access",
    withMetadata({ scopes_supported: ["offline_access"] }),
    "auth-scopes",
    /remove offline_access/,
  ],
  [
    "names no scopes",
    (base) => ({
      "/mcp": { status: 401, headers: { "www-authenticate": `Bearer resource_metadata="${base}${resourcePath}"` } },
      [resourcePath]: { ...goodMetadata(), scopes_supported: undefined },
    }),
    "auth-scopes",
    /request none/,
  ],
  [
    "redirects its metadata into a private network",
    replaced(resourcePath, () => ({ status: 302, headers: { location: "https://10.0.0.1/metadata" } })),
    "auth-resource-metadata",
    /private address 10\.0\.0\.1 is not allowed/,
  ],
  [
    "redirects its metadata to link-local addresses",
    replaced(resourcePath, () => ({ status: 302, headers: { location: "http://169.254.169.254/latest" } })),
    "auth-resource-metadata",
    /link-local address/,
  ],
  [
    "redirects its metadata in a circle",
    replaced(resourcePath, () => ({ status: 302, headers: { location: resourcePath } })),
    "auth-resource-metadata",
    /more than 2 times/,
  ],
  [
    "has too large metadata",
    replaced(resourcePath, () => ({ ...goodMetadata(), filler: "x".repeat(1_100_000) })),
    "auth-resource-metadata",
    /longer than 1048576 bytes/,
  ],
  [
    "names metadata in a private network",
    replaced("/mcp", () => ({
      status: 401,
      headers: { "www-authenticate": 'Bearer resource_metadata="https://192.168.1.1/metadata"' },
    })),
    "auth-resource-metadata",
    /private address/,
  ],
  [
    "names an authorization server without https",
    withMetadata({ authorization_servers: ["http://login.example"] }),
    "auth-server-metadata",
    /http: instead of https:/,
  ],
  [
    "names an authorization server with a query",
    replaced(resourcePath, (base) => ({ ...goodMetadata(), authorization_servers: [`${base}?a`] })),
    "auth-server-metadata",
    /query/,
  ],
  [
    "has an authorization server without metadata",
    replaced(issuerPath, () => undefined),
    "auth-server-metadata",
    /HTTP 404.*ISSUER/,
  ],
  [
    "has an authorization server with an error instead of metadata, and metadata of OpenID",
    () => ({ [issuerPath]: { error: "not_found" }, "/.well-known/openid-configuration": goodIssuer() }),
    "auth-server-metadata",
    /has no issuer; some clients stop here.*404/,
  ],
  [
    "has an authorization server with a page instead of metadata",
    replaced(issuerPath, () => ({ status: 200, body: "<html>" })),
    "auth-server-metadata",
    /it has no metadata: .*is not a JSON object/,
  ],
  [
    "has an authorization server with endpoints that are null",
    withIssuer({ registration_endpoint: null, revocation_endpoint: null, introspection_endpoint: "" }),
    "auth-server-metadata",
    /registration_endpoint, revocation_endpoint are null.*leave them out/,
  ],
  [
    "has an issuer with a slash more",
    replaced(issuerPath, (base) => ({ ...goodIssuer(), issuer: `${base}/` })),
    "auth-issuer",
    /character by character.*ISSUER/,
  ],
  [
    "has no authorization endpoint",
    withIssuer({ authorization_endpoint: undefined }),
    "auth-endpoints",
    /no authorization_endpoint/,
  ],
  [
    "has a token endpoint without https",
    withIssuer({ token_endpoint: "http://login.example/token" }),
    "auth-endpoints",
    /unsafe/,
  ],
  [
    "has keys in a private network",
    withIssuer({ jwks_uri: "https://10.1.1.1/keys" }),
    "auth-endpoints",
    /private address/,
  ],
  ["does not declare PKCE", withIssuer({ code_challenge_methods_supported: undefined }), "auth-pkce", /do not proceed/],
  ["declares plain PKCE only", withIssuer({ code_challenge_methods_supported: ["plain"] }), "auth-pkce", /S256/],
  [
    "registers no clients",
    withIssuer({ client_id_metadata_document_supported: undefined }),
    "auth-registration",
    /by hand/,
  ],
  [
    "registers clients dynamically only",
    replaced(issuerPath, (base) => ({
      ...goodIssuer(),
      client_id_metadata_document_supported: false,
      registration_endpoint: `${base}/register`,
    })),
    "auth-registration",
    /deprecated/,
  ],
  [
    "does not name itself in responses",
    withIssuer({ authorization_response_iss_parameter_supported: false }),
    "auth-response-issuer",
    /RFC 9207/,
  ],
];

test.each(faults)("a server that %s has the finding, and no further error", async (_name, change, rule, text) => {
  const seen = await examine(change);
  expect(seen.map((one) => one.rule)).toContain(rule);
  expect(seen.find((one) => one.rule === rule)?.text).toMatch(text);
  // Nothing is reported that is not a consequence of the fault.
  const others = seen.filter((one) => one.rule !== rule && one.severity === "error");
  expect(others).toEqual([]);
});

test("the resource of a server at the root of its origin may end without a slash", async () => {
  changes = (base) => ({
    "/": goodReplies()["/mcp"],
    "/.well-known/oauth-protected-resource": { ...goodMetadata(), resource: base },
    [resourcePath]: { ...goodMetadata(), resource: base },
  });
  const report = await examineAuthorization({ url: new URL(origin), headers: {}, timeout: 50_000 });
  expect(findingsOf(report).filter(({ rule }) => rule === "auth-resource")).toEqual([]);
  expect(report.results.map(({ rule }) => rule.id)).toContain("auth-resource");
});

test("metadata that only OpenID Connect discovery has is found", async () => {
  const moved: Changes = (base) => ({
    [issuerPath]: undefined,
    [resourcePath]: { ...goodMetadata(), authorization_servers: [`${base}/tenant`] },
    "/tenant/.well-known/openid-configuration": { ...goodIssuer(), issuer: `${base}/tenant` },
  });
  expect(await examine(moved)).toEqual([]);
});

const now = Math.floor(Date.now() / 1_000);

type TokenRow = readonly [name: string, claims: object, header: object, rule: string, text: RegExp];

const tokenFaults: readonly TokenRow[] = [
  [
    "of another issuer",
    { iss: "https://other.example" },
    {},
    "token-issuer",
    /https:\/\/other\.example instead of .*ISSUER/,
  ],
  ["whose issuer is no text", { iss: { toString: 1 } }, {}, "token-issuer", /\{"toString":1\} instead of/],
  ["whose audience is no text", { aud: [{ toString: 1 }] }, {}, "token-audience", /\{"toString":1\} instead of/],
  ["for another resource", { aud: "https://other.example/mcp" }, {}, "token-audience", /instead of .*audience/],
  ["without an audience", { aud: undefined }, {}, "token-audience", /withoutAudience/],
  ["that has expired", { exp: now - 100_000 }, {}, "token-time", /expired 10\d{4} s ago/],
  ["that does not expire", { exp: undefined }, {}, "token-time", /does not expire/],
  ["that is not valid yet", { nbf: now + 500 }, {}, "token-time", /valid in/],
  ["without the scope", { scope: "openid" }, {}, "token-scopes", /lacks mcp:use.*SCOPES/],
  ["of an unknown key", {}, { kid: "two" }, "token-algorithm", /no key with this id/],
];

describe("tokens", () => {
  const sign = (claims: object = {}, header: object = {}): Promise<string> =>
    new SignJWT({ iss: origin, aud: `${origin}/mcp`, sub: "a", scope: "mcp:use", exp: now + 60, ...claims })
      .setProtectedHeader({ alg: "ES256", kid: "one", ...header })
      .sign(privateKey);

  test("a good token that the server accepts has no findings", async () => {
    const token = await sign();
    accept = (shown) => (shown === token ? 200 : 401);
    expect(await examine(() => ({}), token)).toEqual([]);
  });

  test.each(tokenFaults)("a token %s has a finding", async (_name, claims, header, rule, text) => {
    const seen = await examine(() => ({}), await sign(claims, header));
    expect(seen.find((one) => one.rule === rule)?.text).toMatch(text);
    expect(seen.find((one) => one.rule === "token-accepted")?.text).toMatch(/401: invalid_token/);
  });

  test("a token with a shared secret has a finding", async () => {
    const token = await new SignJWT({ iss: origin, aud: `${origin}/mcp`, exp: now + 60, scope: "mcp:use" })
      .setProtectedHeader({ alg: "HS256" })
      .sign(new TextEncoder().encode("x".repeat(32)));
    const seen = await examine(() => ({}), token);
    expect(seen.find(({ rule }) => rule === "token-algorithm")?.text).toMatch(/HS256, which is not asymmetric/);
  });

  test("an unsigned token has a finding, and so has a server that accepts it", async () => {
    accept = (shown) => (shown.split(".").length === 3 && shown !== "invalid.token.check" ? 200 : 401);
    const token = new UnsecuredJWT({ iss: origin, aud: `${origin}/mcp`, exp: now + 60, scope: "mcp:use" }).encode();
    const seen = await examine(() => ({}), token);
    expect(seen.map(({ rule }) => rule)).toEqual(["token-algorithm", "auth-unsigned-token"]);
    expect(seen[1]?.text).toMatch(/anyone can act as any user.*verifyJwt/);
  });

  test("a server that limits failed attempts is not taken for one that accepts unsigned tokens", async () => {
    const token = await sign();
    accept = (shown) => (shown === token ? 200 : shown.endsWith(".") ? 429 : 401);
    expect(await examine(() => ({}), token)).toEqual([]);
  });

  test("a server that accepts any token has a finding", async () => {
    accept = () => 200;
    const seen = await examine(() => ({}));
    expect(seen).toMatchObject([{ rule: "auth-invalid-token", severity: "error" }]);
  });

  test("a server without the keys of a token has a finding that names the option", async () => {
    const token = await sign();
    accept = (shown) => (shown === token ? 503 : 401);
    expect((await examine(() => ({}), token)).map(({ text }) => text).join()).toMatch(/HTTP 503.*onError/);
  });

  test("a server that needs more scopes has a finding with the scopes", async () => {
    const token = await sign();
    accept = (shown) => (shown === token ? 403 : 401);
    expect((await examine(() => ({}), token)).map(({ text }) => text).join()).toMatch(/403.*mcp:use/);
  });

  test("an opaque token is shown to the server only", async () => {
    accept = (shown) => (shown === "opaque" ? 200 : 401);
    expect(await examine(() => ({}), "opaque")).toEqual([]);
  });
});

test("a server of this package has no errors, with a token that it accepts", async () => {
  const listener = await serveHttp(createMcpServer({ name: "a", version: "1" }, revisions), {
    port: 0,
    authenticate: requireBearerToken({
      resource: `${origin}/mcp`,
      issuer: origin,
      verify: verifyJwt(),
      scopes: ["mcp:use"],
    }),
  });
  try {
    const token = await new SignJWT({ iss: origin, aud: `${origin}/mcp`, sub: "a", scope: "mcp:use" })
      .setExpirationTime("1m")
      .setProtectedHeader({ alg: "ES256", kid: "one", typ: "at+jwt" })
      .sign(privateKey);
    const url = new URL(listener.url);
    const report = await examineAuthorization({ url, headers: {}, timeout: 50_000, token });
    // Its resource has another port, that of the fixture.
    expect(findingsOf(report).filter(({ severity }) => severity === "error")).toMatchObject([
      { rule: "auth-resource" },
    ]);
  } finally {
    await listener.close();
  }
});

describe("the command", () => {
  const check = (options: Partial<CheckCommandOptions>): Promise<CommandResult> =>
    captured(() => runCheck({ format: "text", failOn: "error", target: [`${origin}/mcp`], auth: true, ...options }));

  test("the report names the server, and fails by the severity of its findings", async () => {
    changes = withIssuer({ authorization_response_iss_parameter_supported: false });
    const fine = await check({});
    expect(fine.code).toBe(0);
    expect(fine.stdout).toContain(`Authorization of ${origin}/mcp: 1 authorization server.`);
    expect(fine.stdout).toContain("[auth-response-issuer]");
    expect((await check({ failOn: "note" })).code).toBe(1);
  });

  test.each(["json", "sarif", "junit"] as const)("the report as %s has the findings and no token", async (format) => {
    vi.stubEnv("CHECKED_TOKEN", "secret-opaque-token");
    const { code, stdout } = await check({ format, tokenEnv: "CHECKED_TOKEN" });
    expect(code).toBe(1);
    expect(stdout).toContain("token-accepted");
    expect(stdout).not.toContain("secret-opaque-token");
  });

  test.each<readonly [Partial<CheckCommandOptions>, RegExp]>([
    [{ target: ["node", "server.js"] }, /--auth is for servers over HTTP/],
    [{ tokenEnv: "NO_SUCH_VARIABLE" }, /NO_SUCH_VARIABLE is empty or not set/],
    [{ auth: false, tokenEnv: "TOKEN" }, /add --auth/],
    [{ protocol: "latest" }, /remove --protocol/],
    [{ header: ["Authorization: Bearer x"] }, /use --token-env/],
    [{ target: ["https://no-such-host.invalid/mcp"] }, /has no address/],
  ])("the options %j are rejected with advice", async (options, message) => {
    const { code, stderr } = await check(options);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test("a server without https has a finding", async () => {
    const { code, stdout } = await check({ target: ["http://192.0.2.1/mcp"] });
    expect(code).toBe(1);
    expect(stdout).toMatch(/http: instead of https:/);
  });
});

test("each rule has a test with a fault", async () => {
  const tested = new Set([
    ...faults.map(([, , rule]) => rule),
    ...tokenFaults.map(([, , , rule]) => rule),
    ...["auth-invalid-token", "auth-unsigned-token", "token-accepted"],
  ]);
  expect(
    Object.values(authRules)
      .map(({ id }) => id)
      .filter((id) => !tested.has(id)),
  ).toEqual([]);
});

test("text of a server cannot control the terminal", async () => {
  changes = withMetadata({ resource: "https://evil.example/\u001b[31m\n::error::" });
  const url = new URL(`${origin}/mcp`);
  const text = emitText(await examineAuthorization({ url, headers: {}, timeout: 50_000 }));
  expect(text).not.toContain("\u001b");
  expect(text).not.toMatch(/^::error/m);
});
