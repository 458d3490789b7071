import type { Rule } from "../finding.ts";

const pages = "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization";

type AuthRuleName =
  | "challenge"
  | "invalidToken"
  | "link"
  | "metadata"
  | "resource"
  | "scopes"
  | "serverMetadata"
  | "issuer"
  | "endpoints"
  | "pkce"
  | "registration"
  | "responseIssuer"
  | "tokenAlgorithm"
  | "tokenIssuer"
  | "tokenAudience"
  | "tokenTime"
  | "tokenScopes"
  | "tokenAccepted"
  | "unsigned";

/** Rules for the authorization of a server, in the order of a client's steps. */
export const authRules: { readonly [Name in AuthRuleName]: Rule } = {
  challenge: {
    id: "auth-challenge",
    title: "A request without a token gets 401 with a challenge",
    severity: "error",
    help: pages,
  },
  invalidToken: {
    id: "auth-invalid-token",
    title: "A request with an invalid token gets 401 and invalid_token",
    severity: "error",
    help: "https://www.rfc-editor.org/rfc/rfc6750#section-3.1",
  },
  link: {
    id: "auth-metadata-link",
    title: "The challenge names the protected resource metadata",
    severity: "warning",
    help: "https://www.rfc-editor.org/rfc/rfc9728#section-5.1",
  },
  metadata: {
    id: "auth-resource-metadata",
    title: "The server publishes valid protected resource metadata",
    severity: "error",
    help: "https://www.rfc-editor.org/rfc/rfc9728#section-3",
  },
  resource: {
    id: "auth-resource",
    title: "The resource is the URL of the server",
    severity: "error",
    help: "https://www.rfc-editor.org/rfc/rfc9728#section-3.3",
  },
  scopes: {
    id: "auth-scopes",
    title: "The server names the scopes that clients request",
    severity: "warning",
    help: pages,
  },
  serverMetadata: {
    id: "auth-server-metadata",
    title: "The authorization server publishes metadata",
    severity: "error",
    help: "https://www.rfc-editor.org/rfc/rfc8414#section-3",
  },
  issuer: {
    id: "auth-issuer",
    title: "The metadata names exactly the issuer",
    severity: "error",
    help: "https://www.rfc-editor.org/rfc/rfc8414#section-3.3",
  },
  endpoints: {
    id: "auth-endpoints",
    title: "The endpoints of the authorization server are safe URLs",
    severity: "error",
    help: "https://www.rfc-editor.org/rfc/rfc8414#section-2",
  },
  pkce: {
    id: "auth-pkce",
    title: "The authorization server declares PKCE with S256",
    severity: "error",
    help: pages,
  },
  registration: {
    id: "auth-registration",
    title: "Clients can identify themselves without manual registration",
    severity: "warning",
    help: pages,
  },
  responseIssuer: {
    id: "auth-response-issuer",
    title: "Authorization responses name the issuer",
    severity: "note",
    help: "https://www.rfc-editor.org/rfc/rfc9207",
  },
  tokenAlgorithm: {
    id: "token-algorithm",
    title: "The token is signed with an asymmetric algorithm and a published key",
    severity: "error",
    help: "https://www.rfc-editor.org/rfc/rfc8725#section-3.1",
  },
  tokenIssuer: {
    id: "token-issuer",
    title: "The token is from an authorization server of the server",
    severity: "error",
    help: "https://www.rfc-editor.org/rfc/rfc9068#section-4",
  },
  tokenAudience: {
    id: "token-audience",
    title: "The token is for the server",
    severity: "error",
    help: "https://www.rfc-editor.org/rfc/rfc9068#section-4",
  },
  tokenTime: {
    id: "token-time",
    title: "The token is valid now",
    severity: "error",
    help: "https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4",
  },
  tokenScopes: {
    id: "token-scopes",
    title: "The token has the scopes that every request needs",
    severity: "error",
    help: "https://www.rfc-editor.org/rfc/rfc6750#section-3.1",
  },
  tokenAccepted: {
    id: "token-accepted",
    title: "The server accepts the token",
    severity: "error",
    help: pages,
  },
  unsigned: {
    id: "auth-unsigned-token",
    title: "The server rejects a copy of the token without a signature",
    severity: "error",
    help: "https://www.rfc-editor.org/rfc/rfc8725#section-3.2",
  },
};
