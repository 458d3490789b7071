export { authorizationCode } from "./grants/authorization-code.ts";
export type { AuthorizationCodeOptions } from "./grants/authorization-code.ts";
export type { DocumentClient } from "./grants/authorization-code.ts";

export type { Network } from "./network/network.ts";

export { openBrowser } from "./redirect/browser.ts";
export type { OpenUrl } from "./redirect/browser.ts";

export { clientCredentials } from "./grants/client-credentials.ts";
export type { ClientCredentialsOptions } from "./grants/client-credentials.ts";

export type { Discovery } from "./discovery/discovery.ts";

export { enterpriseManaged } from "./grants/enterprise.ts";
export type { EnterpriseOptions } from "./grants/enterprise.ts";
export type { IdentityAssertion } from "./grants/enterprise.ts";

export { AuthError } from "./errors.ts";
export { isAuthError } from "./errors.ts";
export type { AuthErrorCode } from "./errors.ts";

export { createFileStore } from "./tokens/file-store.ts";

export type { Grant } from "./grants/grant.ts";
export type { GrantRequest } from "./grants/grant.ts";

export type { ClientIdentity } from "./identity/identity.ts";
export type { SigningKey } from "./identity/identity.ts";
export type { TokenAuthMethod } from "./identity/identity.ts";

export { createDpopKey } from "./identity/keys.ts";
export { importSigningKey } from "./identity/keys.ts";
export type { DpopKey } from "./identity/keys.ts";

export { createLoopbackRedirect } from "./redirect/loopback-redirect.ts";
export type { LoopbackOptions } from "./redirect/loopback-redirect.ts";

export type { ServerMetadata } from "./discovery/metadata.ts";

export { createOAuthProvider } from "./provider.ts";
export type { OAuthOptions } from "./provider.ts";
export type { OAuthProvider } from "./provider.ts";

export type { Redirection } from "./redirect/redirect.ts";
export type { Redirector } from "./redirect/redirect.ts";

export type { ClientDescription } from "./grants/registration.ts";
export type { RegisteredClient } from "./grants/registration.ts";

export type { AuthStep } from "./network/requester.ts";

export { createMemoryStore } from "./tokens/store.ts";
export type { CredentialStore } from "./tokens/store.ts";

export type { TokenEndpoint } from "./tokens/token-endpoint.ts";

export type { Tokens } from "./tokens/tokens.ts";

export type { AssertionAudience } from "./grants/workload.ts";
export type { WorkloadIdentityOptions } from "./grants/workload.ts";
export { workloadIdentity } from "./grants/workload.ts";
