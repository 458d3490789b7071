export type { Authenticate } from "../../transport/http-server/identity.ts";
export type { Guard } from "../../transport/http-server/identity.ts";
export type { Identity } from "../../transport/http-server/identity.ts";

export type { HttpResponse } from "../../transport/http-server/exchange/exchange.ts";
export type { ClientCertificate } from "../../transport/http-server/exchange/exchange.ts";
export type { RequestHead } from "../../transport/http-server/exchange/exchange.ts";

export { requireApiKey } from "./api-key.ts";
export type { ApiKey } from "./api-key.ts";
export type { ApiKeyOptions } from "./api-key.ts";

export { requireCertificate } from "./certificate.ts";
export type { CertificateOptions } from "./certificate.ts";

export type { AudienceSubstitute, Claims } from "./claims.ts";

export { introspectTokens } from "./introspection.ts";
export type { IntrospectionOptions } from "./introspection.ts";

export { readTokenInfo } from "./token-info.ts";
export type { TokenInfoOptions } from "./token-info.ts";

export { limitAuthFailures } from "./limit-auth-failures.ts";
export type { FailureLimit } from "./limit-auth-failures.ts";

export type { ResourceDescription } from "./metadata.ts";

export type { NonceOptions } from "./nonces.ts";

export type { Proof } from "./proof.ts";
export type { ProofOptions } from "./proof.ts";
export type { ProofReader } from "./proof.ts";

export type { DeniedRequest } from "./challenge.ts";

export type { ScopeHierarchy } from "./scopes.ts";

export { createRevocations } from "../../stores/revocations.ts";
export type { RevocableSender, RevokedCredentials, Revocations } from "../../stores/revocations.ts";

export { rejectRevoked } from "../../transport/http-server/reject-revoked.ts";

export { requireBearerToken } from "./bearer-token.ts";
export type { TokenOptions } from "./token-options.ts";

export { TokenError } from "./token-error.ts";
export { isTokenError } from "./token-error.ts";
export type { TrustedIssuers } from "./token-options.ts";
export type { VerifyToken } from "./token-options.ts";
