import { onGithub, type AdvisoryClass } from "../advisory-class.ts";

const typescript = "modelcontextprotocol/typescript-sdk";
const python = "modelcontextprotocol/python-sdk";
const rust = "modelcontextprotocol/rust-sdk";
const client = "runtime/auth/client";
const server = "runtime/auth/server";

/** Attacks on credentials, and with them. */
export const authorization: readonly AdvisoryClass[] = [
  {
    title: "Credentials to another issuer or server",
    attack:
      "A server names an authorization server of its own, or the resource of another server, and receives secrets or tokens that belong to others.",
    defence:
      "Registrations, secrets and tokens belong to an issuer and a resource, also for programs without a user. The issuer and the resource in metadata are compared exactly before a user is sent anywhere, and the issuer in a response before its code is used.",
    advisories: [
      onGithub(typescript, ["GHSA-6qxp-vccf-f47h", "CVE-2026-104850"], "TypeScript SDK, client", "2026-09-30"),
      onGithub(python, ["GHSA-qx49-fqc8-xw99"], "Python SDK, client", "2026-09-28"),
      onGithub(rust, ["GHSA-33f5-2c5q-wgwj", "CVE-2026-63127"], "Rust SDK, client", "2026-09-16"),
    ],
    tests: [
      [`${client}/attacks.test.ts`, "a client rejects: $name"],
      [`${client}/attacks.test.ts`, "an error in the response of another issuer is neither shown nor used (AC-26)"],
      [`${client}/attacks.test.ts`, "a token is sent to no other server (AC-28)"],
      [
        `${client}/grants.test.ts`,
        "a program authenticates only where it is registered, so that a server cannot redirect its secret",
      ],
      [
        `${client}/sign-in.test.ts`,
        "a client follows the server to another authorization server with another id, and sends no earlier secret (AC-12, AC-13)",
      ],
      [
        `${client}/refresh.test.ts`,
        "a stored token is found by another client of the same user, and by issuer and resource only (AC-12, AC-28)",
      ],
    ],
  },
  {
    title: "Redirects to another origin",
    attack:
      "A server redirects a request, and the client repeats it with its API key, session and body at another origin.",
    defence:
      "Clients reject redirects to another origin, and those that change the method. Requests for tokens follow none; documents about authorization are redirected to no private network, and not without end. Tools that are generated from OpenAPI documents follow none, and send no credentials to another origin. A server card cannot lead credentials there.",
    advisories: [
      onGithub(typescript, ["GHSA-6prh-2h8m-c8cw", "CVE-2026-111769"], "TypeScript SDK, client", "2026-10-02"),
      onGithub(python, ["GHSA-5h93-6whr-6q8j"], "Python SDK, client", "2026-10-02"),
      onGithub(rust, ["GHSA-9g45-5xwm-f3wc", "CVE-2026-64684"], "Rust SDK, client", "2026-09"),
    ],
    tests: [
      [
        "runtime/transport/http-client/session.test.ts",
        "redirects to another origin are rejected, and nothing is sent there (R57)",
      ],
      [
        "runtime/transport/http-client/session.test.ts",
        "redirects that would turn a POST into a GET are rejected: HTTP %i",
      ],
      ["runtime/transport/http-sse/http-sse-client.test.ts", "an endpoint of another origin is rejected: %s (trap 30)"],
      [`${client}/attacks.test.ts`, "a client rejects: $name"],
      [`${client}/attacks.test.ts`, "a token does not follow a redirect to another server (AC-28)"],
      ["tools/live/server-card.test.ts", "a card cannot lead to another network, nor credentials to another origin"],
      [
        "generator/openapi/from.test.ts",
        "a tool sends no credentials to a server at another origin, and `create` reports the address",
      ],
      ["advisories/hostile-openapi.test.ts", "a tool does not follow a redirect of its API"],
      ["advisories/redirects.test.ts", "a redirect of %s with HTTP %i takes no header to another origin"],
    ],
  },
  {
    title: "Requests into other networks (SSRF)",
    attack:
      "A server, a document or a caller names a URL in a private network or at the address of cloud metadata, and a client or a server requests it.",
    defence:
      "URLs that servers name are checked, and so is the address that their names resolve to, before a connection is opened. A public server cannot lead to private, local or reserved addresses, nor to addresses that embed others. References of schemas and documents lead nowhere but into the same document.",
    advisories: [
      onGithub(rust, ["GHSA-c9xm-49cp-xcr9"], "Rust SDK, client", "2026-10-02"),
      onGithub(python, ["GHSA-rwrf-2pqf-9j8j"], "Python SDK, references of output schemas", "2026-09-28"),
      onGithub(
        "",
        ["GHSA-v6ph-xcq9-qxxj", "CVE-2026-39885"],
        "FrontMCP, references of OpenAPI documents",
        "2026-04-08",
      ),
      onGithub("", ["GHSA-cxq5-97v7-87j8", "CVE-2026-62680"], "Orval, references of OpenAPI documents", "2026-09-02"),
      onGithub("", ["GHSA-9hgc-g3w5-67cm", "CVE-2026-53708"], "ContextForge, name resolved twice", "2026-08-14"),
      onGithub("", ["GHSA-r48c-v28r-pf6v", "CVE-2026-44430"], "MCP Registry, 6to4 and NAT64", "2026-05-08"),
      {
        ids: ["CVE-2026-19516"],
        product: "Grafana MCP server",
        date: "2026-08-11",
        source: "https://grafana.com/security/security-advisories/cve-2026-19516/",
      },
    ],
    tests: [
      [`${client}/attacks.test.ts`, "a client rejects: $name"],
      [`${client}/attacks.test.ts`, "a public server cannot redirect its clients to loopback"],
      [`${client}/network.test.ts`, "the address %s is %s"],
      [`${client}/network.test.ts`, "a rule for URLs checks the address of a name, before a byte is sent there"],
      ["tools/live/server-card.test.ts", "a card cannot lead to another network, nor credentials to another origin"],
      [
        "runtime/adapters/json-schema.program.test.ts",
        "a validator does not resolve references outside of the schema: %s (R50, B-007, B-008)",
      ],
      ["advisories/hostile-openapi.test.ts", "a reference out of the document is neither fetched nor read: %s"],
    ],
  },
  {
    title: "Tokens for another audience, and failed checks that pass",
    attack:
      "A caller presents a token of another service, or one whose check fails in a way that the server takes for success.",
    defence:
      "A token must name the resource exactly. An unknown algorithm, issuer, key or type, a wrong signature and a wrong time are rejected. A guard that fails or returns nothing lets no sender in. Tools get claims, and not the token; a gateway sends its own credentials to its server.",
    advisories: [
      onGithub(typescript, ["GHSA-rvq5-wwqv-78pq"], "TypeScript SDK, server", "2026-10-05"),
      onGithub(python, ["GHSA-w4fh-qvv9-3v23"], "Python SDK, server", "2026-10-05"),
      onGithub("", ["GHSA-5h2m-4q8j-pqpj", "CVE-2025-69196"], "FastMCP, OAuth proxy", "2026-03-16"),
      onGithub(
        "modelcontextprotocol/registry",
        ["GHSA-95c3-6vvw-4mrq", "CVE-2026-44428"],
        "MCP Registry",
        "2026-05-14",
      ),
      onGithub("BerriAI/litellm", ["GHSA-7488-6r32-c95q", "CVE-2026-59822"], "LiteLLM, MCP endpoint", "2026-07-08"),
    ],
    tests: [
      [`${server}/attacks.test.ts`, "$name: the status is $status (AR-04, AX-D4)"],
      [`${server}/attacks.test.ts`, "a user of the same name at another issuer is another user"],
      [`${server}/attacks.test.ts`, "keys of issuers that are not trusted are not requested"],
      [
        `${server}/token.test.ts`,
        "a token is accepted; tools receive the principal, its scopes and claims, and not the token (AR-05, R55)",
      ],
      [`${server}/token.test.ts`, "the algorithm %s is rejected (AX-D5)"],
      [
        "runtime/transport/http-server/validate-request.test.ts",
        "a failure of authentication is rejected without details",
      ],
      ["advisories/server.test.ts", "a guard that returns %s lets no sender in"],
      ["advisories/gateway.test.ts", "a gateway passes no credentials of its clients on at %s"],
    ],
  },
  {
    title: "Codes, states and redirect URIs of a sign-in",
    attack:
      "An attacker mixes the response to one sign-in into another, changes where the code goes, or turns off PKCE.",
    defence:
      "The client requires S256, compares state, issuer and redirect URI exactly, and uses a code once. It rejects a metadata document without PKCE. This project is no authorization server and has no OAuth proxy, which most of these advisories are about.",
    advisories: [
      onGithub("", ["GHSA-4pc9-x2fx-p7vj", "CVE-2025-4143"], "Cloudflare workers-oauth-provider", "2025-05-01"),
      onGithub("", ["GHSA-qgp8-v765-qxx9", "CVE-2025-4144"], "Cloudflare workers-oauth-provider", "2025-05-01"),
      onGithub("", ["GHSA-c2jp-c369-7pvx"], "FastMCP, OAuth proxy", "2025-10-29"),
      onGithub("", ["GHSA-rww4-4w9c-7733", "CVE-2026-27124"], "FastMCP, OAuth proxy", "2026-03-31"),
    ],
    tests: [
      [`${client}/attacks.test.ts`, "a client rejects: $name"],
      [
        `${client}/attacks.test.ts`,
        "an authorization code that was used already is rejected, and the client does not try it again",
      ],
      [`${client}/attacks.test.ts`, "a callback at another address than the given one is ignored"],
      [`${client}/loopback.test.ts`, "a loopback redirect ignores other requests (AC-16)"],
      [`${client}/sign-in.test.ts`, "a client rejects the redirect to %s (AC-32)"],
    ],
  },
  {
    title: "Tokens that outlive their user",
    attack: "A stream or a cached check goes on after the token has expired or was revoked.",
    defence:
      "Streams and stateless calls end with their token, a cached check ends with it, and a revocation reaches all nodes.",
    advisories: [],
    tests: [
      [`${server}/token-expiry.test.ts`, "%s ends with the token that opened it, and not before"],
      [`${server}/token.test.ts`, "a token expires on time, also when it was verified before"],
      [
        "cluster/security/shared-parts.program.test.ts",
        "a revoked token is rejected by the other node, and its streams end; another token of the principal works",
      ],
    ],
  },
];
