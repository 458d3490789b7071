import { describe, expect, test } from "vitest";
import {
  clientCredentials,
  createDpopKey,
  type AuthErrorCode,
  type Redirector,
} from "../../../../runtime/auth/client/index.ts";
import {
  createHeadlessRedirect,
  createRigClient,
  failureOf,
  startRig,
  taking,
  without,
  type Script,
  type Seen,
} from "./rig.ts";

/* A server that wants to harm its clients, an authorization server that does, and whoever stands between them and a user's browser. */

interface Attack {
  readonly name: string;
  readonly script: Script;
  readonly code: AuthErrorCode;
  /** Paths that must not have been requested. */
  readonly never: readonly string[];
}

const beforeSignIn = ["/register", "/authorize", "/token"];
const beforeToken = ["/token"];
const named = (issuer: unknown): Script => ({ serverMetadata: (document) => ({ ...document, issuer }) });
const asResource = (resource: string): Script => ({ resourceMetadata: (document) => ({ ...document, resource }) });
const asEndpoint = (name: string, url: string): Script => ({
  serverMetadata: (document) => ({ ...document, [name]: url }),
});
const asIssuer = (issuer: string): Script => ({
  resourceMetadata: (document) => ({ ...document, authorization_servers: [issuer] }),
});
const hinting = (url: string): Script => ({ challenge: () => `Bearer resource_metadata="${url}"` });
const respondingWith = (change: (response: URLSearchParams) => void): Script => ({ callback: change });

const attacks: readonly Attack[] = [
  // Metadata that speaks for others.
  {
    name: "a resource at another origin (AC-19)",
    script: asResource("https://evil.example/mcp"),
    code: "resource-mismatch",
    never: beforeSignIn,
  },
  {
    name: "a resource beside the server's path (AC-19)",
    script: { resourceMetadata: (d, { url }) => ({ ...d, resource: `${url}2` }) },
    code: "resource-mismatch",
    never: beforeSignIn,
  },
  {
    name: "a resource below the server's path (AC-19)",
    script: { resourceMetadata: (d, { url }) => ({ ...d, resource: `${url}/admin` }) },
    code: "resource-mismatch",
    never: beforeSignIn,
  },
  {
    name: "a resource with a fragment (AC-19)",
    script: { resourceMetadata: (d, { url }) => ({ ...d, resource: `${url}#x` }) },
    code: "resource-mismatch",
    never: beforeSignIn,
  },
  {
    name: "a resource that is no URL (AC-19)",
    script: asResource("mcp"),
    code: "resource-mismatch",
    never: beforeSignIn,
  },
  {
    name: "no authorization server",
    script: { resourceMetadata: (d) => ({ ...d, authorization_servers: [] }) },
    code: "metadata",
    never: beforeSignIn,
  },
  {
    name: "metadata of another issuer (AC-05)",
    script: named("https://evil.example"),
    code: "issuer-mismatch",
    never: beforeSignIn,
  },
  {
    name: "metadata of the issuer with a slash more (AC-05)",
    script: { serverMetadata: (d, { issuer }) => ({ ...d, issuer: `${issuer}/` }) },
    code: "issuer-mismatch",
    never: beforeSignIn,
  },
  {
    name: "metadata of the issuer in capitals (AC-05)",
    script: { serverMetadata: (d, { issuer }) => ({ ...d, issuer: issuer.toUpperCase() }) },
    code: "issuer-mismatch",
    never: beforeSignIn,
  },
  {
    name: "metadata without an issuer (AC-05)",
    script: without("issuer"),
    code: "metadata",
    never: beforeSignIn,
  },
  {
    name: "metadata whose issuer is a list (AC-05)",
    script: { serverMetadata: (d, { issuer }) => ({ ...d, issuer: [issuer] }) },
    code: "metadata",
    never: beforeSignIn,
  },
  {
    name: "an issuer with a query",
    script: { resourceMetadata: (d, { issuer }) => ({ ...d, authorization_servers: [`${issuer}?x=1`] }) },
    code: "metadata",
    never: beforeSignIn,
  },
  // Protection that is missing.
  {
    name: "no word about PKCE (AC-15)",
    script: without("code_challenge_methods_supported"),
    code: "pkce-unsupported",
    never: beforeSignIn,
  },
  {
    name: "PKCE with plain alone (AC-14, AC-15)",
    script: { serverMetadata: (d) => ({ ...d, code_challenge_methods_supported: ["plain"] }) },
    code: "pkce-unsupported",
    never: beforeSignIn,
  },
  {
    name: "PKCE methods that are no list (AC-15)",
    script: { serverMetadata: (d) => ({ ...d, code_challenge_methods_supported: "S256" }) },
    code: "pkce-unsupported",
    never: beforeSignIn,
  },
  // Requests that a server would like its clients to make for it.
  {
    name: "an issuer in the cloud's metadata service",
    script: asIssuer("http://169.254.169.254/latest"),
    code: "unsafe-url",
    never: beforeSignIn,
  },
  {
    name: "an issuer in a private network",
    script: asIssuer("https://10.0.0.1"),
    code: "unsafe-url",
    never: beforeSignIn,
  },
  {
    name: "an issuer in a private network of IPv6",
    script: asIssuer("https://[fd00::1]"),
    code: "unsafe-url",
    never: beforeSignIn,
  },
  {
    name: "an issuer in a private network, written as IPv6",
    script: asIssuer("https://[::ffff:10.0.0.1]"),
    code: "unsafe-url",
    never: beforeSignIn,
  },
  {
    name: "an issuer in a private network, written as one number",
    script: asIssuer("https://167772161"),
    code: "unsafe-url",
    never: beforeSignIn,
  },
  { name: "an issuer that is a file", script: asIssuer("file:///etc/passwd"), code: "unsafe-url", never: beforeSignIn },
  {
    name: "an issuer without encryption elsewhere",
    script: asIssuer("http://as.example"),
    code: "unsafe-url",
    never: beforeSignIn,
  },
  {
    name: "an issuer with a password",
    script: asIssuer("https://user:pass@as.example"),
    code: "unsafe-url",
    never: beforeSignIn,
  },
  { name: "an issuer that is no URL", script: asIssuer("as.example"), code: "unsafe-url", never: beforeSignIn },
  {
    name: "a challenge that points into a private network",
    script: hinting("https://192.168.1.1/metadata"),
    code: "unsafe-url",
    never: beforeSignIn,
  },
  {
    name: "a challenge that points to a file",
    script: hinting("file:///etc/passwd"),
    code: "unsafe-url",
    never: beforeSignIn,
  },
  { name: "a challenge that points to no URL", script: hinting("//"), code: "unsafe-url", never: beforeSignIn },
  {
    name: "a sign-in that is a script",
    script: asEndpoint("authorization_endpoint", "javascript:alert(1)"),
    code: "unsafe-url",
    never: beforeSignIn,
  },
  {
    name: "a sign-in that is data",
    script: asEndpoint("authorization_endpoint", "data:text/html,x"),
    code: "unsafe-url",
    never: beforeSignIn,
  },
  {
    name: "a sign-in without encryption",
    script: asEndpoint("authorization_endpoint", "http://as.example/authorize"),
    code: "unsafe-url",
    never: beforeSignIn,
  },
  {
    name: "a token endpoint without encryption",
    script: asEndpoint("token_endpoint", "http://as.example/token"),
    code: "unsafe-url",
    never: beforeSignIn,
  },
  {
    name: "a token endpoint in a private network",
    script: asEndpoint("token_endpoint", "https://172.16.0.1/token"),
    code: "unsafe-url",
    never: beforeSignIn,
  },
  {
    name: "a registration in the cloud's metadata service",
    script: asEndpoint("registration_endpoint", "https://169.254.169.254/"),
    code: "unsafe-url",
    never: beforeSignIn,
  },
  {
    name: "metadata that redirects into a private network",
    script: {
      first: ({ path }) =>
        path.endsWith("/oauth-authorization-server")
          ? { status: 302, headers: { Location: "https://10.0.0.1/" } }
          : undefined,
    },
    code: "unsafe-url",
    never: beforeSignIn,
  },
  {
    name: "metadata that redirects without end",
    script: {
      first: ({ path }) =>
        path.startsWith("/.well-known/oauth-a") ? { status: 302, headers: { Location: path } } : undefined,
    },
    code: "unsafe-url",
    never: beforeSignIn,
  },
  {
    name: "a token endpoint that redirects what was posted",
    script: {
      first: ({ path }, { issuer }) =>
        path === "/token" ? { status: 307, headers: { Location: `${issuer}/elsewhere` } } : undefined,
    },
    code: "unsafe-url",
    never: ["/elsewhere"],
  },
  {
    name: "metadata without end",
    script: { serverMetadata: (d) => ({ ...d, padding: "x".repeat(1024 * 1024) }) },
    code: "network",
    never: beforeSignIn,
  },
  {
    name: "metadata that is no JSON",
    script: { first: ({ path }) => (path.endsWith("/oauth-authorization-server") ? { body: "<html>" } : undefined) },
    code: "metadata",
    never: beforeSignIn,
  },
  {
    name: "metadata that fails to come, which is not the same as none",
    script: { first: ({ path }) => (path.includes("protected-resource") ? { status: 503 } : undefined) },
    code: "network",
    never: beforeSignIn,
  },
  {
    name: "scopes with a quote in them",
    script: { challenge: () => 'Bearer scope="a\\"b"' },
    code: "metadata",
    never: beforeSignIn,
  },
  {
    name: "thousands of scopes",
    script: { resourceMetadata: (d) => ({ ...d, scopes_supported: Array.from({ length: 5000 }, (_v, i) => `s${i}`) }) },
    code: "metadata",
    never: beforeSignIn,
  },
  // Responses to a sign-in other than the expected ones.
  {
    name: "another state (AC-16)",
    script: respondingWith((response) => response.set("state", "stolen")),
    code: "state-mismatch",
    never: beforeToken,
  },
  {
    name: "no state (AC-16)",
    script: respondingWith((response) => response.delete("state")),
    code: "state-mismatch",
    never: beforeToken,
  },
  {
    name: "two states (AC-16)",
    script: respondingWith((response) => response.append("state", "stolen")),
    code: "state-mismatch",
    never: beforeToken,
  },
  {
    name: "two codes",
    script: respondingWith((response) => response.append("code", "stolen")),
    code: "state-mismatch",
    never: beforeToken,
  },
  {
    name: "no code",
    script: respondingWith((response) => response.delete("code")),
    code: "authorization-refused",
    never: beforeToken,
  },
  {
    name: "the issuer of a mix-up (AC-24, AC-25)",
    script: respondingWith((response) => response.set("iss", "https://evil.example")),
    code: "issuer-mismatch",
    never: beforeToken,
  },
  {
    name: "an empty issuer (AC-25)",
    script: respondingWith((response) => response.set("iss", "")),
    code: "issuer-mismatch",
    never: beforeToken,
  },
  {
    name: "no issuer, where one was promised (AC-25)",
    script: respondingWith((response) => response.delete("iss")),
    code: "issuer-mismatch",
    never: beforeToken,
  },
  {
    name: "an issuer with a slash more (AC-26)",
    script: { callback: (response, _request, { issuer }) => response.set("iss", `${issuer}/`) },
    code: "issuer-mismatch",
    never: beforeToken,
  },
  {
    name: "an issuer in other letters (AC-26)",
    script: {
      callback: (response, _request, { issuer }) => response.set("iss", issuer.replace("localhost", "LOCALHOST")),
    },
    code: "issuer-mismatch",
    never: beforeToken,
  },
  {
    name: "an issuer that is encoded twice (AC-26)",
    script: { callback: (response, _request, { issuer }) => response.set("iss", encodeURIComponent(issuer)) },
    code: "issuer-mismatch",
    never: beforeToken,
  },
  {
    name: "another issuer, where none was promised (AC-25)",
    script: {
      ...without("authorization_response_iss_parameter_supported"),
      ...respondingWith((response) => response.set("iss", "https://evil.example")),
    },
    code: "issuer-mismatch",
    never: beforeToken,
  },
  // Tokens that are none.
  {
    name: "a token of an unknown kind",
    script: { token: (body) => ({ body: { ...body, token_type: "mac" } }) },
    code: "token-answer",
    never: [],
  },
  {
    name: "a response without a token",
    script: { token: ({ access_token: _left, ...body }) => ({ body }) },
    code: "token-answer",
    never: [],
  },
  {
    name: "a token that is a number",
    script: { token: (body) => ({ body: { ...body, access_token: 7 } }) },
    code: "token-answer",
    never: [],
  },
  { name: "a token in text", script: { token: () => ({ body: "access_token=x" }) }, code: "token-answer", never: [] },
  {
    name: "a registration without an id",
    script: { register: () => ({ status: 201, body: {} }) },
    code: "registration-refused",
    never: ["/authorize", "/token"],
  },
  {
    name: "a registration that is refused (AC-11)",
    script: { register: () => ({ status: 400, body: { error: "invalid_redirect_uri" } }) },
    code: "registration-refused",
    never: ["/authorize", "/token"],
  },
];

describe("responses that a client rejects with a message without secrets", () => {
  test.each(attacks)("a client rejects: $name", async ({ script, code, never }) => {
    const rig = await startRig(script);
    const error = await failureOf(rig, createRigClient(rig));
    expect(error.code).toBe(code);
    const paths = [...rig.paths("as"), ...rig.paths("mcp")];
    for (const path of never) expect(paths).not.toContain(path);
    expect(rig.seen.some(({ headers }) => headers.authorization !== undefined)).toBe(false);
  });
});

test("an error in the response of another issuer is neither shown nor used (AC-26)", async () => {
  const callback = (response: URLSearchParams): void => {
    response.set("iss", "https://evil.example");
    response.set("error", "access_denied");
    response.set("error_description", "call PHONE-NUMBER to sign in");
  };
  const rig = await startRig({ callback });
  const error = await failureOf(rig, createRigClient(rig));
  expect(error).toMatchObject({ code: "issuer-mismatch", reason: undefined });
  expect(error.message).not.toContain("PHONE-NUMBER");
});

test.each([
  [{ error: "invalid_scope" }, "invalid_scope"],
  [{ error: "invalid_scope", error_description: "" }, "invalid_scope"],
  [{ error: "invalid_scope", error_description: 7 }, "invalid_scope"],
  [{ error: "invalid_scope", error_description: "no such scope" }, "invalid_scope: no such scope"],
])("an error of an authorization server is quoted without its empty parts: %j", async (body, quoted) => {
  const rig = await startRig({ token: () => ({ status: 400, body }) });
  const { message } = await failureOf(rig, createRigClient(rig));
  expect(/\(.*\)/.exec(message)?.[0]).toBe(`(${quoted})`);
});

test("a program without credentials that the token endpoint supports learns of both", async () => {
  const rig = await startRig(taking("tls_client_auth", "client_secret_jwt"));
  const { privateKey: key } = await createDpopKey();
  const registered = [{ issuer: rig.issuer, clientId: "robot", clientSecret: "hush-hush", signingKey: { key } }];
  rig.secrets.add("hush-hush");
  const error = await failureOf(rig, createRigClient(rig, { grant: clientCredentials({ registered }) }));
  expect(error).toMatchObject({
    code: "configuration",
    message: `The token endpoint of ${rig.issuer} supports tls_client_auth, client_secret_jwt, but the client has credentials for private_key_jwt, client_secret_basic, client_secret_post`,
  });
});

test.each(["", "/callback?code=c", "no URL"])("a callback that is no URL is rejected: %j", async (callback) => {
  const rig = await startRig();
  const redirect: Redirector = {
    open: async () => ({
      redirectUri: "http://127.0.0.1:33418/callback",
      visit: async () => callback,
      close: async () => {},
    }),
  };
  const error = await failureOf(rig, createRigClient(rig, { code: { redirect } }));
  expect(error).toMatchObject({ code: "state-mismatch", message: expect.stringContaining("not a valid URL") });
});

test("an error that repeats a secret is not quoted", async () => {
  const rig = await startRig({
    token: (_response, form) => ({
      status: 400,
      body: { error: "invalid_grant", error_description: `code was ${form.get("code")}` },
    }),
  });
  const error = await failureOf(rig, createRigClient(rig));
  expect(error).toMatchObject({ code: "token-refused", reason: "invalid_grant" });
});

test.each([
  ["the secret as it was sent", "hush-hush", (seen: Seen) => seen.headers.authorization?.slice(6)],
  ["the assertion", undefined, (seen: Seen) => seen.form.get("client_assertion")],
] as const)("an error that repeats %s is not quoted", async (_name, clientSecret, repeat) => {
  const sent: string[] = [];
  const rig = await startRig({
    ...taking("client_secret_basic", "private_key_jwt"),
    first(seen) {
      if (seen.path !== "/token") return undefined;
      const text = repeat(seen) ?? "";
      sent.push(text.slice(0, 40));
      return { status: 401, body: { error: "invalid_client", error_description: `you sent ${text}` } };
    },
  });
  const signingKey = clientSecret === undefined ? { key: (await createDpopKey()).privateKey } : undefined;
  const grant = clientCredentials({
    registered: [{ issuer: rig.issuer, clientId: "robot", clientSecret, signingKey }],
  });
  const error = await failureOf(rig, createRigClient(rig, { grant }));
  expect(error).toMatchObject({ code: "token-refused", reason: "invalid_client" });
  expect(sent[0]?.length).toBeGreaterThan(10);
  expect(error.message).not.toContain(sent[0]?.slice(0, 10));
});

test("an authorization code that was used already is rejected, and the client does not try it again", async () => {
  const rig = await startRig({ token: () => ({ status: 400, body: { error: "invalid_grant" } }) });
  const error = await failureOf(rig, createRigClient(rig));
  expect(error).toMatchObject({ code: "token-refused", reason: "invalid_grant" });
  expect(rig.forms("authorization_code")).toHaveLength(1);
});

test("a callback at another address than the given one is ignored", async () => {
  const rig = await startRig({});
  const redirect = createHeadlessRedirect();
  const foreign = {
    open: async () => {
      const redirection = await redirect.open({ preferred: undefined });
      const visit = async (url: URL, expected: { readonly state: string }): Promise<string> =>
        (await redirection.visit(url, expected)).replace("/callback", "/elsewhere");
      return { ...redirection, visit };
    },
  };
  const error = await failureOf(rig, createRigClient(rig, { code: { redirect: foreign } }));
  expect(error.code).toBe("state-mismatch");
  expect(rig.forms("authorization_code")).toEqual([]);
});

test("a failed sign-in is not repeated at once", async () => {
  const rig = await startRig({ callback: (response) => response.set("error", "access_denied") });
  const client = createRigClient(rig);
  expect((await failureOf(rig, client)).reason).toBe("access_denied");
  expect((await failureOf(rig, client)).reason).toBe("access_denied");
  expect(rig.paths("as").filter((path) => path === "/authorize")).toHaveLength(1);
  await expect(client.provider.signIn()).rejects.toMatchObject({ reason: "access_denied" });
  expect(rig.paths("as").filter((path) => path === "/authorize")).toHaveLength(2);
});

test("a server that always requires another scope is followed twice in a request, and not without end (AC-22)", async () => {
  let wanted = 0;
  const rig = await startRig({
    guard: (token) => {
      if (token === undefined) return undefined;
      wanted += 1;
      return {
        status: 403,
        headers: { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="more${wanted}"` },
      };
    },
  });
  const client = createRigClient(rig);
  expect(await client.call()).toBe(403);
  expect(rig.paths("as").filter((path) => path === "/authorize")).toHaveLength(3);
  for (let request = 0; request < 8; request += 1) expect(await client.call()).toBe(403);
  expect(rig.paths("as").filter((path) => path === "/authorize")).toHaveLength(11);
});

test("a server that rejects the token it has just required gets no second one", async () => {
  const rig = await startRig({ guard: () => ({ status: 401, headers: { "WWW-Authenticate": "Bearer" } }) });
  expect(await createRigClient(rig).call()).toBe(401);
  expect(rig.paths("as").filter((path) => path === "/authorize")).toHaveLength(1);
});

test("a server that requires another nonce each time is followed once", async () => {
  let count = 0;
  const rig = await startRig({
    guard: () => {
      count += 1;
      return {
        status: 401,
        headers: { "WWW-Authenticate": 'DPoP error="use_dpop_nonce"', "DPoP-Nonce": `nonce-${count}` },
      };
    },
  });
  expect(await createRigClient(rig, { dpop: true }).call()).toBe(401);
  expect(count).toBe(2);
});

test("a token is sent to no other server (AC-28)", async () => {
  const [rig, other] = [await startRig({}), await startRig({})];
  const client = createRigClient(rig);
  expect(await client.call()).toBe(200);
  await expect(client.call(other.url)).rejects.toMatchObject({ name: "AuthError", code: "wrong-target" });
  expect(other.seen).toEqual([]);
});

test("a token does not follow a redirect to another server (AC-28)", async () => {
  const other = await startRig({});
  const rig = await startRig({
    guard: (token) => (token === undefined ? undefined : { status: 307, headers: { Location: other.url } }),
  });
  await expect(createRigClient(rig).call()).rejects.toMatchObject({ name: "HttpError" });
  expect(other.seen).toEqual([]);
});

test("a public server cannot redirect its clients to loopback", async () => {
  const rig = await startRig({});
  const client = createRigClient(
    { ...rig, url: "https://mcp.example/mcp" },
    {
      fetch: async (url) => {
        expect(url.origin).toBe("https://mcp.example");
        return Response.json({ resource: "https://mcp.example/mcp", authorization_servers: [rig.issuer] });
      },
    },
  );
  await expect(client.provider.signIn()).rejects.toMatchObject({ code: "unsafe-url" });
  expect(rig.seen).toEqual([]);
});
