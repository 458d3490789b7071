import { generateKeyPair } from "jose";
import { createProver, sign, type Claims, type ProofChanges } from "../../../runtime/auth/server/protected-server.ts";
import type { RevisionId } from "../../../wire/script.ts";
import { exchange, openPeer, type Headers, type Reply } from "../peer.ts";
import type { Scenario } from "../scenario.ts";
import { baseline, scopedRequests, startScoped } from "../scoped.ts";
import type { ServerScene } from "../subjects.ts";

const revisions: readonly RevisionId[] = ["2026-07-28", "2025-11-25", "2025-06-18"];
const soon = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;

/** Scenarios about servers that require access tokens. */
export const authorizationScenarios: readonly Scenario<ServerScene>[] = [
  {
    id: "sep-2350-server-scope-challenge",
    side: "server",
    revisions: [...revisions, "2025-03-26"],
    clause: { page: "2026-07-28/basic/authorization#runtime-insufficient-scope-errors", sep: 2350 },
    async run(scene) {
      const { check, open } = scene;
      const url = await startScoped(scene);
      const [low, full] = await Promise.all(
        ["low", "full"].map((grant) => open({ url, headers: bearer(`mcp-conformance-scope-${grant}`) })),
      );
      for (const [id, { method, params, scopes }] of scopedRequests.entries()) {
        const name = `${method} ${JSON.stringify(params)}`;
        const denied = await low?.post(low.build(id, method, params));
        check(`${name} is denied with one challenge that has all its scopes and no others`, denied, {
          status: 403,
          headers: { "www-authenticate": (text: unknown) => isChallenge(text, [baseline, ...scopes]) },
        });
        const served = await full?.post(full.build(id, method, params));
        check(`${name} is served with the scopes`, served, { status: 200, messages: [{ id, result: {} }] });
      }
    },
  },
  {
    id: "auth-token-audience",
    side: "server",
    revisions,
    clause: { page: "2025-06-18/basic/authorization#token-handling" },
    async run({ check, revision, servers: { protectedServer } }) {
      const knock = (headers: Headers = {}): Promise<Reply> => openWith(protectedServer.resource, revision, headers);
      const present = async (changes?: Claims): Promise<Reply> => knock(bearer(await sign(protectedServer, changes)));
      const challenge = { status: 401, headers: { "www-authenticate": /^Bearer / } };
      const invalid = { status: 401, headers: { "www-authenticate": /^Bearer .*error="invalid_token"/ } };
      const { privateKey: otherKey } = await generateKeyPair("RS256");
      check("a request without a token is challenged, without an error code", await knock(), {
        status: 401,
        headers: {
          "www-authenticate": (text: unknown) => /^Bearer /.test(String(text)) && !/error=/.test(String(text)),
        },
      });
      check("a token for the server is accepted", await present(), { status: 200 });
      check(
        "a token for several, among them the server, is accepted",
        await present({ claims: { aud: ["https://other.example/mcp", protectedServer.resource] } }),
        { status: 200 },
      );
      const wrong: readonly (readonly [string, Claims])[] = [
        ["for another resource", { claims: { aud: "https://other.example/mcp" } }],
        ["for the origin of the server", { claims: { aud: new URL(protectedServer.resource).origin } }],
        ["for a path below", { claims: { aud: `${protectedServer.resource}/admin` } }],
        ["without an audience", { claims: { aud: undefined } }],
        ["with an empty audience", { claims: { aud: [] } }],
        ["that has expired", { claims: { iat: soon(-7_200), exp: soon(-3_600) } }],
        ["that is not valid yet", { claims: { nbf: soon(3_600) } }],
        ["of another issuer", { claims: { iss: "https://issuer.example" } }],
        ["with the key of another", { key: otherKey }],
      ];
      for (const [name, changes] of wrong) check(`a token ${name} is rejected`, await present(changes), invalid);
      const inQuery = `${protectedServer.resource}?access_token=${await sign(protectedServer)}`;
      check("a token in the URL is ignored", await openWith(inQuery, revision, {}), challenge);
    },
  },
  {
    id: "server-auth/protected-resource-metadata",
    side: "server",
    revisions,
    clause: { page: "2025-11-25/basic/authorization#protected-resource-metadata-discovery-requirements" },
    async run({ check, revision, servers: { protectedServer } }) {
      const denied = await openWith(protectedServer.resource, revision, {});
      const { origin, pathname } = new URL(protectedServer.resource);
      const metadata = `${origin}/.well-known/oauth-protected-resource${pathname}`;
      check(
        "the challenge names the metadata",
        denied.headers["www-authenticate"],
        new RegExp(`resource_metadata="${metadata}"`),
      );
      const document = await exchange(metadata, { method: "GET" });
      check("the metadata is public, at the path of the server", document, {
        status: 200,
        headers: { "content-type": /^application\/json/, "access-control-allow-origin": "*" },
        messages: [
          {
            resource: protectedServer.resource,
            authorization_servers: [protectedServer.issuer],
            bearer_methods_supported: ["header"],
          },
        ],
      });
      const { scopes_supported: scopes }: { readonly scopes_supported?: readonly string[] } = Object(
        document.messages[0],
      );
      check(
        "no scope for refresh tokens is requested (SEP-2207)",
        [scopes, denied.headers["www-authenticate"]].join(" ").includes("offline_access"),
        false,
      );
    },
  },
  {
    id: "server-auth/authorization-server-metadata",
    side: "server",
    revisions,
    clause: { page: "2025-11-25/basic/authorization#authorization-server-metadata-discovery" },
    async run({ check, servers: { protectedServer } }) {
      const read = async (path: string): Promise<Reply> =>
        exchange(`${protectedServer.issuer}/.well-known/${path}`, { method: "GET" });
      const document = await read("oauth-authorization-server");
      const isEndpoint = (url: unknown): boolean => String(url).startsWith(`${protectedServer.issuer}/`);
      check("the issuer of the metadata is that of the resource metadata", document, {
        status: 200,
        messages: [{ issuer: protectedServer.issuer }],
      });
      check("the metadata has the endpoints that clients need", document.messages[0], {
        authorization_endpoint: isEndpoint,
        token_endpoint: isEndpoint,
        registration_endpoint: isEndpoint,
        jwks_uri: isEndpoint,
      });
      check("the authorization server supports PKCE with S256, and the issuer in responses", document.messages[0], {
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
        response_types_supported: (types: unknown) => Array.isArray(types) && types.includes("code"),
      });
      check("its algorithms for proofs of possession are asymmetric (SEP-1932)", document.messages[0], {
        dpop_signing_alg_values_supported: (names: unknown) =>
          Array.isArray(names) && names.includes("ES256") && !names.some((name) => /^(?:HS|none$)/.test(String(name))),
      });
      check("the metadata of OpenID Connect says the same", await read("openid-configuration"), {
        status: 200,
        messages: [{ issuer: protectedServer.issuer, code_challenge_methods_supported: ["S256"] }],
      });
    },
  },
  {
    id: "server-auth/dpop",
    side: "server",
    revisions,
    clause: { page: "2025-11-25/basic/authorization#token-handling", sep: 1932 },
    async run({ check, revision, servers: { protectedServer } }) {
      const prover = await createProver(protectedServer.resource);
      const other = await createProver(protectedServer.resource);
      const token = await sign(protectedServer, { claims: { cnf: { jkt: prover.thumbprint } } });
      const send = (headers: Headers): Promise<Reply> => openWith(protectedServer.resource, revision, headers);
      const present = async (changes: ProofChanges = {}): Promise<Reply> =>
        send({ authorization: `DPoP ${token}`, dpop: await prover.prove({ token, ...changes }) });
      const invalid = { status: 401, headers: { "www-authenticate": /DPoP .*error="invalid_(dpop_proof|token)"/ } };
      check("a proof of the key that the token is bound to is accepted", await present(), { status: 200 });
      const proof = await prover.prove({ token });
      const headers = { authorization: `DPoP ${token}`, dpop: proof };
      check("a proof is accepted once", [await send(headers), await send(headers)], [{ status: 200 }, invalid]);
      const { privateKey: strange } = await generateKeyPair("ES256");
      const wrong: readonly (readonly [string, ProofChanges])[] = [
        ["of another type", { header: { typ: "jwt" } }],
        ["with a symmetric algorithm", { header: { alg: "HS256" }, key: new Uint8Array(32) }],
        ["with a wrong signature", { key: strange }],
        ["without an id", { claims: { jti: undefined } }],
        ["without a method", { claims: { htm: undefined } }],
        ["for another method", { claims: { htm: "GET" } }],
        ["for another URL", { claims: { htu: "https://other.example/mcp" } }],
        ["without a time", { claims: { iat: undefined } }],
        ["that is too old", { claims: { iat: soon(-600) } }],
        ["of the future", { claims: { iat: soon(600) } }],
        ["for another token", { token: "another" }],
        ["without the token", { claims: { ath: undefined } }],
      ];
      for (const [name, changes] of wrong) check(`a proof ${name} is rejected`, await present(changes), invalid);
      const stolen = await send({ authorization: `DPoP ${token}`, dpop: await other.prove({ token }) });
      check("a proof of another key is rejected", stolen, invalid);
      check("a token without a proof is rejected", await send({ authorization: `DPoP ${token}` }), { status: 401 });
      check("a bound token is no bearer token", await send(bearer(token)), { status: 401 });
    },
  },
];

function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

async function openWith(url: string, revision: RevisionId, headers: Headers): Promise<Reply> {
  return (await openPeer(url, revision, { headers })).opened;
}

function isChallenge(text: unknown, scopes: readonly string[]): boolean {
  const read = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(String(text))?.[1] ?? "";
  const isComplete = read("scope").split(" ").toSorted().join(" ") === [...scopes].sort().join(" ");
  return (
    String(text).startsWith("Bearer ") &&
    read("error") === "insufficient_scope" &&
    isComplete &&
    URL.canParse(read("resource_metadata"))
  );
}
