import { describe, test } from "vitest";
import { expectOutcome, grantOf, issuing, signOut, type Outcome, type Reader } from "./odd-responses.ts";
import { taking, type Said, type Script, type Seen } from "./rig.ts";

/* Responses that are common although no specification has them, at each place that a client reads. */

const page = "<!doctype html><title>marker</title>";

/** Whole responses. A redirect that is allowed leads to a page. */
const responses = {
  "404": { status: 404, body: "" },
  null: { body: "null" },
  "an empty body": { body: "" },
  "no content": { status: 204, body: "" },
  "an empty object": { body: {} },
  "a list": { body: "[]" },
  "a text": { body: '"marker"' },
  HTML: { headers: { "Content-Type": "text/html" }, body: page },
  "an error": { body: { error: "no_luck", error_description: "try later" } },
  "an error that is an object": { body: { error: { code: 7, message: "marker" } } },
  "a redirect to a page": { status: 302, headers: { Location: "/page" } },
  "a redirect without end": { status: 302, headers: { Location: "" } },
  "a redirect without a target": { status: 302 },
  "a redirect into another network": { status: 302, headers: { Location: "https://10.0.0.1/marker" } },
} as const satisfies Readonly<Record<string, Said>>;

type ResponseName = keyof typeof responses;

/** Place that responds so, and what comes of it. */
interface Place extends Reader {
  readonly name: string;
  /** Makes the place respond so. */
  readonly script: (said: Said) => Script;
  readonly expected: (name: ResponseName) => Outcome;
}

const names = Object.keys(responses).filter((name): name is ResponseName => name in responses);

/** The same outcome for all responses, but for some. */
function all(outcome: Outcome, other: Partial<Record<ResponseName, Outcome>> = {}): Place["expected"] {
  return (name) => other[name] ?? outcome;
}

const badRedirects = {
  "a redirect without end": ["unsafe-url", /redirects more than 2 times/],
  "a redirect without a target": ["unsafe-url", /redirect of the .* is not allowed/],
  "a redirect into another network": ["unsafe-url", /private address 10\.0\.0\.1 is not allowed/],
} as const satisfies Partial<Record<ResponseName, Outcome>>;

/** What a message says about a document that is none. */
const invalid = {
  null: ["metadata", /did not return .* as a JSON object/],
  "an empty body": ["metadata", /did not return .* as a JSON object/],
  "no content": ["metadata", /returned HTTP 204/],
  "a list": ["metadata", /did not return .* as a JSON object/],
  "a text": ["metadata", /did not return .* as a JSON object/],
  HTML: ["metadata", /did not return .* as a JSON object/],
  "an error": ["metadata", /\(no_luck: try later\)/],
  "a redirect to a page": ["metadata", /did not return .* as a JSON object/],
  ...badRedirects,
} as const satisfies Partial<Record<ResponseName, Outcome>>;

/** A redirect of what was posted is never followed. */
const posted = {
  "a redirect to a page": ["unsafe-url", /redirect of the .* is not allowed/],
  ...badRedirects,
  "a redirect without end": ["unsafe-url", /redirect of the .* is not allowed/],
  "a redirect into another network": ["unsafe-url", /redirect of the .* is not allowed/],
} as const satisfies Partial<Record<ResponseName, Outcome>>;

const resourcePlace = "/.well-known/oauth-protected-resource";
const oauthPlace = "/.well-known/oauth-authorization-server";
const openidPlace = "/.well-known/openid-configuration";

type First = NonNullable<Script["first"]>;

/** Responds at these paths of one of the servers, and with a page at the target of a redirect. */
function at(where: Seen["where"], paths: readonly string[], said: Said, next?: First): First {
  return (seen, rig) => {
    if (seen.path === "/page") return responses.HTML;
    if (seen.where === where && paths.includes(seen.path)) return said;
    return next?.(seen, rig);
  };
}

const goodServer = (issuer: string, origin = issuer): Record<string, unknown> => ({
  issuer,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  code_challenge_methods_supported: ["S256"],
});

/** The MCP server is its own authorization server, as in the first revision with authorization. */
const own: First = ({ where, path, query, form }, { valid }) => {
  if (where !== "mcp") return undefined;
  if (path === "/register") return { status: 201, body: { client_id: "own" } };
  if (path === "/authorize") {
    const location = `${query.get("redirect_uri")}?code=c&state=${query.get("state")}`;
    return { status: 302, headers: { Location: location } };
  }
  if (path !== "/token" || !form.has("code_verifier")) return undefined;
  valid.add("own-token");
  return { body: { access_token: "own-token", token_type: "bearer" } };
};

const documents: readonly Place[] = [
  {
    name: "the resource metadata that the challenge names, before that of the path",
    script: (said) => ({
      challenge: ({ url }) => `Bearer resource_metadata="${new URL("/named", url).href}"`,
      first: at("mcp", ["/named"], said),
    }),
    expected: all("works"),
  },
  {
    name: "the resource metadata of the path, before that of the host",
    script: (said) => ({
      challenge: () => "Bearer",
      first: at("mcp", [`${resourcePlace}/mcp`], said, ({ path }, { url, issuer }) =>
        path === resourcePlace ? { body: { resource: url, authorization_servers: [issuer] } } : undefined,
      ),
    }),
    expected: all("works"),
  },
  {
    name: "each place of the resource metadata, before the metadata of the server itself",
    script: (said) => ({
      first: at("mcp", [`${resourcePlace}/mcp`, resourcePlace], said, (seen, rig) => {
        const { origin } = new URL(rig.url);
        if (seen.where === "mcp" && seen.path === oauthPlace) return { body: goodServer(origin) };
        return own(seen, rig);
      }),
    }),
    expected: all("works"),
  },
  {
    name: "each place of the resource metadata, where default endpoints are not assumed",
    script: (said) => ({ first: at("mcp", [`${resourcePlace}/mcp`, resourcePlace], said) }),
    options: () => ({ assumeEndpoints: false }),
    expected: all(["metadata", /has no "?resource/], {
      ...invalid,
      "404": ["metadata", /has no protected resource metadata/],
    }),
  },
  {
    name: "the metadata of the authorization server, before that of OpenID",
    script: (said) => ({
      first: at("as", [oauthPlace], said, ({ where, path }, { issuer }) =>
        where === "as" && path === openidPlace ? { body: goodServer(issuer) } : undefined,
      ),
    }),
    expected: all("works"),
  },
  {
    name: "the OpenID metadata with the path inserted, before that with the path appended",
    script: (said) => ({
      issuerPath: "/tenant",
      serverMetadata: () => undefined,
      first: at("as", [`${openidPlace}/tenant`], said, ({ path }, { issuer }) =>
        path === `/tenant${openidPlace}` ? { body: goodServer(issuer, new URL(issuer).origin) } : undefined,
      ),
    }),
    expected: all("works"),
  },
  {
    name: "each place of the metadata of the authorization server",
    script: (said) => ({ first: at("as", [oauthPlace, openidPlace], said) }),
    expected: all(["metadata", /has no "?issuer/], { ...invalid, "404": ["metadata", /has no metadata/] }),
  },
  {
    name: "each document of a server of the first revision with authorization, before its default endpoints",
    script: (said) => ({
      first: at("mcp", [`${resourcePlace}/mcp`, resourcePlace, oauthPlace, openidPlace], said, own),
    }),
    expected: all("works", badRedirects),
  },
];

const notToken = {
  "404": ["token-refused", /HTTP 404/],
  "an empty object": ["token-answer", /access_token/],
  "an error": ["token-refused", /HTTP 200 \(no_luck: try later\)/],
  "an error that is an object": ["token-refused", /HTTP 200$/],
  ...posted,
} as const satisfies Partial<Record<ResponseName, Outcome>>;

const noToken: Outcome = ["token-answer", /as a JSON object/];

const endpoints: readonly Place[] = [
  ...issuing.map(({ script, signsIn = false, ...place }): Place => {
    const expected = signsIn ? all("works", posted) : all(noToken, notToken);
    return { ...place, script: (said) => script(() => said), expected };
  }),
  {
    name: "the token endpoint of an identity provider",
    script: (said) => ({ ...taking("client_secret_basic"), first: at("as", ["/idp/token"], said) }),
    options: (rig) => ({ grant: grantOf.enterprise(rig) }),
    expected: all(noToken, notToken),
  },
  {
    name: "the registration endpoint",
    script: (said) => ({ register: () => said }),
    expected: all(["registration-refused", /as a JSON object/], {
      "404": ["registration-refused", /HTTP 404/],
      "an empty object": ["registration-refused", /client_id/],
      "an error": ["registration-refused", /HTTP 200 \(no_luck: try later\)/],
      "an error that is an object": ["registration-refused", /HTTP 200; use/],
      ...posted,
    }),
  },
  {
    name: "the revocation endpoint",
    script: (said) => ({ revoke: () => said }),
    run: signOut,
    // The body of a successful revocation says nothing.
    expected: all("works", {
      "404": ["token-refused", /HTTP 404/],
      "an error": ["token-refused", /HTTP 200 \(no_luck: try later\)/],
      "an error that is an object": ["token-refused", /HTTP 200$/],
      ...posted,
    }),
  },
];

describe.each([...documents, ...endpoints])("odd responses of $name", (place) => {
  test.each(names)("a client reads: %s", async (name) => {
    await expectOutcome(place, place.script(responses[name]), place.expected(name));
  });
});
