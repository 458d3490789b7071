import { describe, expect, test } from "vitest";
import { expectOutcome, grantOf, idJag, issuing, signOut, type Outcome, type Reader } from "./odd-responses.ts";
import { quoteIssuer } from "../../../../runtime/auth/common/quote-issuer.ts";
import { createRigClient, failureOf, startRig, taking, type Script } from "./rig.ts";

/* Members of documents and responses with values that are common although no specification has them: null, empty, of another type. */

/** Value of a member, and what comes of it. */
type Row = readonly [value: unknown, expected: Outcome];

/** Members, separated by spaces, that all have the value. */
type Cell = readonly [members: string, value: unknown, expected: Outcome];

const odd: readonly unknown[] = [null, "", 7, [], {}, "marker"];

/** The same outcome for all odd values of these members, but for some values. */
function each(members: string, outcome: Outcome, ...others: readonly Row[]): readonly Cell[] {
  const same = odd
    .filter((value) => !others.some(([other]) => JSON.stringify(other) === JSON.stringify(value)))
    .map((value): Row => [value, outcome]);
  return [...same, ...others].map((row): Cell => [members, ...row]);
}

/** Returns an object whose members with these names have the value. */
function set(members: string, value: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(members.split(" ").map((name) => [name, value]));
}

/** A client that is registered by hand. */
const byHand: Reader = { options: ({ issuer }) => ({ code: { registered: [{ issuer, clientId: "by-hand" }] } }) };
const robot: Reader = { options: (rig) => ({ grant: grantOf.credentials(rig) }) };
const strict: Reader = { options: () => ({ assumeEndpoints: false }) };

const unsafe = ["http://as.example/x", "https://10.0.0.1/x", "javascript:alert(1)", "/relative"] as const;

describe("members of resource metadata", () => {
  const cells: readonly Cell[] = [
    // A document without a resource is no resource metadata.
    ...each("resource", ["metadata", /has no resource/], ["marker", ["resource-mismatch", /another resource/]]),
    ...each(
      "authorization_servers",
      ["metadata", /has no authorization_servers/],
      [["marker"], ["unsafe-url", /issuer is not a URL/]],
    ),
    ...each(
      "scopes_supported bearer_methods_supported resource_name jwks_uri resource_documentation dpop_bound_access_tokens_required",
      "works",
      [[null, "read"], "works"],
    ),
  ];
  test.each(cells)("resource metadata may have %s: %j", async (members, value, expected) => {
    const script: Script = { resourceMetadata: (document) => ({ ...document, ...set(members, value) }) };
    await expectOutcome(strict, script, expected);
  });

  test("one odd entry of authorization_servers does not hide the others", async () => {
    const script: Script = {
      resourceMetadata: (document, { issuer }) => ({ ...document, authorization_servers: [null, "", 7, issuer] }),
    };
    await expectOutcome({}, script, "works");
  });

  test("scopes that are not needed do not end a sign-in", async () => {
    const many = Array.from({ length: 101 }, (_one, index) => `scope${index}`);
    const script: Script = { resourceMetadata: (document) => ({ ...document, scopes_supported: many }) };
    await expectOutcome({ options: () => ({ code: { scopes: ["read"] } }) }, script, "works");
    await expectOutcome({}, { ...script, challenge: () => 'Bearer scope="read"' }, "works");
  });

  test.each([
    [100, 4, "works"],
    [101, 4, ["metadata", /requests invalid scopes or more than 100 scopes$/]],
    [1, 256, "works"],
    [1, 257, ["metadata", /requests invalid scopes or more than 100 scopes$/]],
  ] as const)("a sign-in needs up to 100 scopes of up to 256 characters: %j of %j", async (count, length, expected) => {
    const scopes = Array.from({ length: count }, (_one, index) => `${index}`.padStart(length, "s"));
    await expectOutcome({}, { resourceMetadata: (document) => ({ ...document, scopes_supported: scopes }) }, expected);
  });

  test.each(["scope", "resource_metadata", "error"])("the parameter %s of a challenge may be empty", async (name) => {
    await expectOutcome({}, { challenge: () => `Bearer ${name}=""` }, "works");
  });

  test("a resource may have a slash at its end", async () => {
    await expectOutcome(
      {},
      { resourceMetadata: (document, { url }) => ({ ...document, resource: `${url}/` }) },
      "works",
    );
  });
});

/** Members of the metadata of an authorization server that no sign-in needs. */
const unneeded =
  "revocation_endpoint introspection_endpoint jwks_uri userinfo_endpoint end_session_endpoint device_authorization_endpoint " +
  "token_endpoint_auth_methods_supported revocation_endpoint_auth_methods_supported scopes_supported grant_types_supported " +
  "response_types_supported authorization_grant_profiles_supported dpop_signing_alg_values_supported service_documentation " +
  "client_id_metadata_document_supported authorization_response_iss_parameter_supported";

describe("members of the metadata of an authorization server", () => {
  const serve = (members: string, value: unknown): Script => ({
    revoke: () => undefined,
    serverMetadata: (document) => ({
      ...document,
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
      ...set(members, value),
    }),
  });
  const pkce: Outcome = ["pkce-unsupported", /code_challenge_methods_supported/];
  const cells: readonly (readonly [who: string, reader: Reader, cells: readonly Cell[]])[] = [
    [
      "a client that signs in",
      {},
      [
        // A document without an issuer is no metadata.
        ...each(
          "issuer",
          ["metadata", /has no issuer/],
          ["marker", ["issuer-mismatch", /for the issuer marker instead of/]],
        ),
        ...each("authorization_endpoint", ["metadata", /has no valid authorization_endpoint/]),
        ...each("token_endpoint", ["metadata", /has no valid token_endpoint/]),
        ...each("registration_endpoint", ["no-client", /has no client_id/]),
        ...each("code_challenge_methods_supported", pkce, [[null, "S256"], "works"]),
        ...each(unneeded, "works", [[null, "none", "client_secret_basic"], "works"]),
      ],
    ],
    [
      "a client that is registered",
      byHand,
      [
        ...each("registration_endpoint", "works"),
        ...unsafe.map((url): Cell => ["registration_endpoint revocation_endpoint jwks_uri", url, "works"]),
      ],
    ],
    [
      "a program",
      robot,
      [
        ...each("authorization_endpoint registration_endpoint code_challenge_methods_supported", "works"),
        ...unsafe.map((url): Cell => ["authorization_endpoint", url, "works"]),
        ...each("token_endpoint", ["metadata", /has no valid token_endpoint/]),
      ],
    ],
    [
      "a sign-out",
      { run: signOut },
      [
        ...each("revocation_endpoint revocation_endpoint_auth_methods_supported", "works"),
        ["revocation_endpoint", "http://as.example/x", ["unsafe-url", /uses http: instead of https:/]],
      ],
    ],
  ];
  describe.each(cells)("%s", (_who, reader, list) => {
    test.each(list)("the metadata of an authorization server may have %s: %j", async (members, value, expected) => {
      await expectOutcome(reader, serve(members, value), expected);
    });
  });
});

/** Members of a token response, whatever the grant. */
const tokenMembers: readonly Cell[] = [
  ...each(
    "access_token",
    ["token-answer", /has no valid access_token/],
    ["marker", "works"],
    ["two\nlines", ["token-answer", /has no valid access_token/]],
  ),
  ...each(
    "token_type",
    ["token-answer", /has no token_type bearer/],
    ["BEARER", "works"],
    ["mac", ["token-answer", /has no token_type bearer/]],
  ),
  ...each("expires_in", "works", ["3600", "works"], [-1, "works"], [1e300, "works"]),
  ...each("refresh_token scope id_token issued_token_type error_description", "works", [["a", "b"], "works"]),
  ...each(
    "error",
    ["token-refused", /HTTP 200$/],
    [null, "works"],
    ["", "works"],
    [[], "works"],
    [{}, "works"],
    ["marker", ["token-refused", /HTTP 200 \(marker\)/]],
  ),
];

describe.each(issuing)("members of the response of $name", ({ script, signsIn = false, ...reader }) => {
  test.each(tokenMembers)("a token response may have %s: %j", async (members, value, expected) => {
    const odd = script((right) => ({ body: { ...right, ...set(members, value) } }));
    // The rig accepts the token that it has made.
    const accepting: Script =
      members === "access_token" && expected === "works" ? { ...odd, guard: (token) => accept(token) } : odd;
    await expectOutcome(reader, accepting, signsIn ? "works" : expected);
  });

  test("a token response may have HTTP 201", async () => {
    const created = script((body) => ({ status: 201, body }));
    await expectOutcome(reader, created, "works");
  });
});

function accept(token: string | undefined): { readonly body: object } | undefined {
  return token === "marker" ? { body: {} } : undefined;
}

describe("members of the response of an identity provider", () => {
  const cells: readonly Cell[] = [
    ...each("access_token", ["token-answer", /has no valid access_token/], ["marker", "works"]),
    ...each("token_type", ["token-answer", /has no token_type n_a/i]),
    ...each("issued_token_type", ["token-answer", /issued_token_type/]),
    ...each("expires_in refresh_token scope", "works"),
  ];
  test.each(cells)("the response of an identity provider may have %s: %j", async (members, value, expected) => {
    const script: Script = {
      ...taking("client_secret_basic"),
      first: ({ path }) => (path === "/idp/token" ? { body: { ...idJag, ...set(members, value) } } : undefined),
    };
    await expectOutcome({ options: (rig) => ({ grant: grantOf.enterprise(rig) }) }, script, expected);
  });
});

describe("members of the response to a registration", () => {
  const cells: readonly Cell[] = [
    ...each("client_id", ["registration-refused", /without a client_id/], ["marker", "works"]),
    ...each("client_secret_expires_at redirect_uris grant_types client_name registration_access_token", "works", [
      "0",
      "works",
    ]),
    ...each("client_secret", "works"),
    ...each("token_endpoint_auth_method", "works", ["client_secret_basic", "works"], ["private_key_jwt", "works"]),
    ...each(
      "error",
      ["registration-refused", /HTTP 201/],
      [null, "works"],
      ["", "works"],
      [[], "works"],
      [{}, "works"],
      ["marker", ["registration-refused", /HTTP 201 \(marker\); use/]],
    ),
  ];
  test.each(cells)("the response to a registration may have %s: %j", async (members, value, expected) => {
    const register: Script["register"] = (right) => ({ status: 201, body: { ...right, ...set(members, value) } });
    await expectOutcome({}, { register }, expected);
  });
});

test("the time of a refresh follows from a lifetime that is a text", async () => {
  const rig = await startRig({
    token: (body, form) => ({
      body: form.has("refresh_token") ? body : { ...body, expires_in: "0", refresh_token: "old" },
    }),
  });
  const client = createRigClient(rig);
  expect([await client.call(), await client.call()]).toEqual([200, 200]);
  expect(rig.forms("refresh_token")).toHaveLength(1);
});

test("an empty refresh token keeps the earlier one", async () => {
  const rig = await startRig({
    token: (body, form) => ({ body: { ...body, refresh_token: form.has("refresh_token") ? "" : "lasting" } }),
  });
  const client = createRigClient(rig);
  for (let round = 0; round < 3; round += 1) {
    expect(await client.call()).toBe(200);
    rig.valid.clear();
  }
  expect(rig.forms("refresh_token").map((form) => form.get("refresh_token"))).toEqual(["lasting", "lasting"]);
});

describe("messages about issuers that differ by a slash", () => {
  const slash: Script = { serverMetadata: (document, { issuer }) => ({ ...document, issuer: `${issuer}/` }) };
  const signed: Script["callback"] = (response, _request, { issuer }) => response.set("iss", `${issuer}/`);
  const cases: readonly (readonly [what: string, script: Script, reader: Reader, says: string])[] = [
    ["metadata", slash, {}, "is for the issuer ISSUER/ instead of ISSUER"],
    ["the response to a sign-in", { callback: signed }, {}, "for ISSUER is from the issuer ISSUER/ (iss)"],
    [
      "a client that is registered",
      {},
      { options: ({ issuer }) => ({ code: { registered: [{ issuer: `${issuer}/`, clientId: "by-hand" }] } }) },
      "has no client_id for ISSUER, only for ISSUER/;",
    ],
    [
      "a program",
      {},
      { options: (rig) => ({ grant: grantOf.credentials({ ...rig, issuer: `${rig.issuer}/` }) }) },
      "registered with ISSUER/, not with ISSUER",
    ],
    [
      "a workload",
      {},
      { options: (rig) => ({ grant: grantOf.workload({ ...rig, issuer: `${rig.issuer}/` }) }) },
      "ISSUER is not one of the issuers of workloadIdentity (ISSUER/)",
    ],
  ];
  test.each(cases)("the message about %s shows both", async (_what, script, { options }, says) => {
    const rig = await startRig(script);
    const error = await failureOf(rig, createRigClient(rig, options?.(rig)));
    expect(error.message.replaceAll(rig.issuer, "ISSUER")).toContain(says);
  });

  test.each([
    `https://${"x".repeat(5_000)}.example`,
    "https://ada:marker@as.example",
    "https://as.example/?key=marker",
    7,
  ])("a message shows no issuer that is long or may hold a secret (%#)", (issuer) => {
    const text = quoteIssuer(issuer);
    expect(text).not.toContain("marker");
    expect(text.length).toBeLessThanOrEqual(200);
  });
});
