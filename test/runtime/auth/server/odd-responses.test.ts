import { SignJWT, exportJWK, generateKeyPair } from "jose";
import { describe, expect, test } from "vitest";
import { verifyJwt } from "../../../../runtime/adapters/jose.ts";
import {
  introspectTokens,
  readTokenInfo,
  requireBearerToken,
  type TokenOptions,
  type VerifyToken,
} from "../../../../runtime/auth/server/index.ts";
import { createHead } from "./request-head.ts";

/* Responses of authorization servers that are common although no specification has them, to the requests of a server about tokens. */

/** What the server makes of a response: it accepts the token, rejects it, or cannot tell (503) and reports an error that matches. */
type Outcome = "accepted" | "rejected" | RegExp;

const resource = "https://mcp.example/mcp";
const issuer = "https://login.example";
const { privateKey, publicKey } = await generateKeyPair("ES256");
const jwk = { ...(await exportJWK(publicKey)), alg: "ES256", kid: "one" };
const expiry = Math.floor(Date.now() / 1_000) + 3_600;
const claims = { aud: resource, sub: "ada", exp: expiry };
const token = await new SignJWT({ iss: issuer, ...claims })
  .setProtectedHeader({ alg: "ES256", kid: "one" })
  .sign(privateKey);

/** Sends a token to a guard, and says what became of it. */
async function judge(verify: VerifyToken, options: Partial<TokenOptions> = {}): Promise<readonly [string, string]> {
  const errors: string[] = [];
  const onError = (error: unknown): void => {
    const causes: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
    errors.push([error, ...causes].map(String).join(" "));
  };
  const guard = requireBearerToken({ resource, issuer, verify, onError, ...options });
  const outcome = await guard.authenticate(createHead("authorization", `Bearer ${token}`), { addFields: () => {} });
  const status = "status" in outcome ? outcome.status : 200;
  return [{ 200: "accepted", 401: "rejected", 503: "unavailable" }[status] ?? String(status), errors.join(" ")];
}

async function expectOutcome(verify: VerifyToken, expected: Outcome, options?: Partial<TokenOptions>): Promise<void> {
  const [found, report] = await judge(verify, options);
  if (typeof expected === "string") return expect([found, report]).toEqual([expected, ""]);
  expect([found, report]).toEqual(["unavailable", expect.stringMatching(expected)]);
  expect(report).not.toMatch(/marker/);
  expect(report).not.toContain(token);
}

const json = (value: unknown): Response => Response.json(value);

/** Whole responses. */
const responses = {
  "404": () => new Response("", { status: 404 }),
  null: () => new Response("null"),
  "an empty body": () => new Response(""),
  "no content": () => new Response(null, { status: 204 }),
  "an empty object": () => json({}),
  "a list": () => json([]),
  "a text": () => json("marker"),
  HTML: () => new Response("<!doctype html><title>marker</title>"),
  "an error": () => json({ error: "no_luck", error_description: "marker" }),
  "an error that is an object": () => json({ error: { code: 7, message: "marker" } }),
  "a redirect": () => new Response(null, { status: 302, headers: { location: "https://elsewhere.example/marker" } }),
} as const;

type ResponseName = keyof typeof responses;

const names = Object.keys(responses).filter((name): name is ResponseName => name in responses);

const unread: Partial<Record<ResponseName, Outcome>> = {
  "404": /HTTP 404/,
  "an empty body": /invalid JSON/,
  "no content": /invalid JSON/,
  HTML: /invalid JSON/,
  "a redirect": /HTTP 302/,
};

const credentials = { endpoint: "https://login.example/introspect", clientId: "a", clientSecret: "b" };
const introspect = (respond: () => Response): VerifyToken =>
  introspectTokens({ ...credentials, fetch: () => Promise.resolve(respond()) });
const tokenInfo = (respond: () => Response): VerifyToken =>
  readTokenInfo({ endpoint: "https://login.example/tokeninfo", fetch: () => Promise.resolve(respond()) });

/** Verifies with keys of the issuer, which publishes nothing but this. */
const publish = (documents: Readonly<Record<string, () => Response>>): VerifyToken =>
  verifyJwt({
    fetch: (input) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      return Promise.resolve(documents[pathname]?.() ?? new Response("", { status: 404 }));
    },
  });

const oauthPlace = "/.well-known/oauth-authorization-server";
const openidPlace = "/.well-known/openid-configuration";
const metadata = { issuer, jwks_uri: `${issuer}/keys` };
const goodKeys = (): Response => json({ keys: [jwk] });

interface Place {
  readonly name: string;
  readonly verifier: (respond: () => Response) => VerifyToken;
  readonly expected: (name: ResponseName) => Outcome;
}

const places: readonly Place[] = [
  {
    name: "the introspection endpoint",
    verifier: introspect,
    expected: (name) => unread[name] ?? (name === "an error" ? /no boolean active \(no_luck\)/ : /no boolean active/),
  },
  {
    name: "the tokeninfo endpoint",
    verifier: tokenInfo,
    // A response that names neither audience nor expiry describes no valid token.
    expected: (name) =>
      name === "404"
        ? /HTTP 404/
        : (unread[name] ?? (/object|error/.test(name) ? "rejected" : /tokeninfo response is not valid/)),
  },
  {
    name: "the key set",
    verifier: (respond) => publish({ [oauthPlace]: () => json(metadata), "/keys": respond }),
    expected: (name) => unread[name] ?? /Key Set of https:\/\/login\.example has no keys/,
  },
  {
    name: "the metadata that names the key set, before that of OpenID",
    verifier: (respond) => publish({ [oauthPlace]: respond, [openidPlace]: () => json(metadata), "/keys": goodKeys }),
    expected: () => "accepted",
  },
  {
    name: "each place of the metadata that names the key set",
    verifier: (respond) => publish({ [oauthPlace]: respond, [openidPlace]: respond, "/keys": goodKeys }),
    expected: () => /keys of https:\/\/login\.example were not found/,
  },
];

test.each([
  ["introspection", (fetch: typeof globalThis.fetch) => introspectTokens({ ...credentials, fetch })],
  ["tokeninfo", (fetch: typeof globalThis.fetch) => readTokenInfo({ endpoint: credentials.endpoint, fetch })],
])("a request for %s accepts JSON: some servers respond with a signed text otherwise", async (_name, create) => {
  const accepted: (string | null)[] = [];
  const verify = create((_input, init) => {
    accepted.push(new Headers(init?.headers).get("accept"));
    return Promise.resolve(json({ active: true, iss: issuer, ...claims }));
  });
  expect(await judge(verify)).toEqual(["accepted", ""]);
  expect(accepted).toEqual(["application/json"]);
});

describe.each(places)("odd responses of $name", ({ verifier, expected }) => {
  test.each(names)("a server reads: %s", async (name) => {
    await expectOutcome(verifier(responses[name]), expected(name));
  });
});

describe("members of an introspection response", () => {
  const good = { active: true, ...claims };
  const inactive = /no boolean active/;
  const cells: readonly (readonly [member: string, value: unknown, expected: Outcome])[] = [
    ...[null, "", 7, [], {}, "true"].map((value) => ["active", value, inactive] as const),
    ["iss", null, "accepted"],
    ["iss", "", "accepted"],
    ...[7, [], [issuer], {}, `${issuer}/`].map((value) => ["iss", value, "rejected"] as const),
    // Without an audience, the token may be for any server.
    ...[null, "", 7, [], {}].map((value) => ["aud", value, "rejected"] as const),
    ["aud", [null, resource], "accepted"],
    ...[null, "", [], {}].map((value) => ["exp", value, "rejected"] as const),
    ["nbf", null, "accepted"],
    ["iat", null, "accepted"],
    ["nbf", "soon", "rejected"],
    ["cnf", null, "accepted"],
    // A binding that cannot be read must not be ignored.
    ...["", 7, {}].map((value) => ["cnf", value, "rejected"] as const),
    ...[null, "", 7, [], {}].flatMap((value) =>
      ["scope", "scp", "client_id", "username", "token_type", "jti"].map((name) => [name, value, "accepted"] as const),
    ),
    ...[null, "", 7].map((value) => ["sub", value, "rejected"] as const),
  ];
  test.each(cells)("the member %s of an introspection response: %j", async (member, value, expected) => {
    await expectOutcome(
      introspect(() => json({ ...good, [member]: value })),
      expected,
    );
  });

  test.each([
    [null, "accepted"],
    ["", "rejected"],
    [[], "rejected"],
  ] as const)(
    "the audience %j of an introspection response is checked by a substitute if it is null only",
    async (aud, expected) => {
      const verify = introspect(() => json({ ...good, aud, scope: "notes" }));
      await expectOutcome(verify, expected, { withoutAudience: { scopes: ["notes"] } });
    },
  );

  test.each([null, ""])(
    "the issuer %j of an introspection response is not assumed to be one of several",
    async (iss) => {
      const verify = introspect(() => json({ ...good, iss }));
      await expectOutcome(verify, "rejected", { issuer: [issuer, "https://other.example"] });
    },
  );
});

describe("members of a tokeninfo response", () => {
  test.each([
    ["nbf", null, "accepted"],
    ["cnf", null, "accepted"],
    ["scope", null, "accepted"],
    ["exp", null, "rejected"],
    ["exp", "", "rejected"],
    ["exp", String(expiry), "accepted"],
    ["aud", null, "rejected"],
  ] as const)("the member %s of a tokeninfo response: %j", async (member, value, expected) => {
    await expectOutcome(
      tokenInfo(() => json({ ...claims, [member]: value })),
      expected,
    );
  });
});

describe("members of a key set and of the metadata that names it", () => {
  const serve = (document: object, keys: object): VerifyToken =>
    publish({ [oauthPlace]: () => json(document), "/keys": () => json(keys) });

  test.each([
    [[null, "", 7, [], jwk], "accepted"],
    [[{}, { kty: "EC" }, { kty: "marker" }, jwk], "accepted"],
    [[], "rejected"],
    [null, /has no keys/],
    ["", /has no keys/],
    [{}, /has no keys/],
  ] as const)("the keys of a key set: %j", async (keys, expected) => {
    await expectOutcome(serve(metadata, { keys }), expected);
  });

  test.each([null, "", 7, [], {}, "marker"])("the member jwks_uri of metadata: %j", async (value) => {
    await expectOutcome(
      serve({ ...metadata, jwks_uri: value }, { keys: [jwk] }),
      /has no (valid )?jwks_uri|jwks_uri is/,
    );
  });

  test("the URL of a key set may have a query, which tells tenants apart", async () => {
    await expectOutcome(serve({ ...metadata, jwks_uri: `${issuer}/keys?p=tenant` }, { keys: [jwk] }), "accepted");
  });

  test("the message about metadata of another issuer shows both", async () => {
    const verify = serve({ ...metadata, issuer: `${issuer}/` }, { keys: [jwk] });
    await expectOutcome(
      verify,
      /is for the issuer https:\/\/login\.example\/ instead of https:\/\/login\.example(?!\/)/,
    );
  });
});
