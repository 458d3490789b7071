export { authorizationCode } from "./authorization-code.ts";
export type { AuthorizationCodeOptions } from "./authorization-code.ts";
export type { DocumentClient } from "./authorization-code.ts";

export type { Network } from "./network.ts";

export { openBrowser } from "./browser.ts";
export type { OpenUrl } from "./browser.ts";

export { clientCredentials } from "./client-credentials.ts";
export type { ClientCredentialsOptions } from "./client-credentials.ts";

export type { Discovery } from "./discovery.ts";

export { enterpriseManaged } from "./enterprise.ts";
export type { EnterpriseOptions } from "./enterprise.ts";
export type { IdentityAssertion } from "./enterprise.ts";

export { AuthError } from "./errors.ts";
export { isAuthError } from "./errors.ts";
export type { AuthErrorCode } from "./errors.ts";

export { createFileStore } from "./file-store.ts";

export type { Grant } from "./grant.ts";
export type { GrantRequest } from "./grant.ts";

export type { ClientIdentity } from "./identity.ts";
export type { SigningKey } from "./identity.ts";
export type { TokenAuthMethod } from "./identity.ts";

export { createDpopKey } from "./keys.ts";
export { importSigningKey } from "./keys.ts";
export type { DpopKey } from "./keys.ts";

export { createLoopbackRedirect } from "./loopback-redirect.ts";
export type { LoopbackOptions } from "./loopback-redirect.ts";

export type { ServerMetadata } from "./metadata.ts";

export { createOAuthProvider } from "./provider.ts";
export type { OAuthOptions } from "./provider.ts";
export type { OAuthProvider } from "./provider.ts";

export type { Redirection } from "./redirect.ts";
export type { Redirector } from "./redirect.ts";

export type { ClientDescription } from "./registration.ts";
export type { RegisteredClient } from "./registration.ts";

export type { AuthStep } from "./requester.ts";

export { createMemoryStore } from "./store.ts";
export type { CredentialStore } from "./store.ts";

export type { TokenEndpoint } from "./token-endpoint.ts";

export type { Tokens } from "./tokens.ts";

export type { AssertionAudience } from "./workload.ts";
export type { WorkloadIdentityOptions } from "./workload.ts";
export { workloadIdentity } from "./workload.ts";
