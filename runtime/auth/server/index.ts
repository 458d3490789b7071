export type { Authenticate } from "../../transport/http/origin.ts";
export type { Guard } from "../../transport/http/origin.ts";
export type { Identity } from "../../transport/http/origin.ts";

export type { Answer } from "../../transport/http/exchange.ts";
export type { ClientCertificate } from "../../transport/http/exchange.ts";
export type { RequestHead } from "../../transport/http/exchange.ts";

export { requireApiKey } from "./api-key.ts";
export type { ApiKey } from "./api-key.ts";
export type { ApiKeyOptions } from "./api-key.ts";

export { requireCertificate } from "./certificate.ts";
export type { CertificateOptions } from "./certificate.ts";

export type { Claims } from "./claims.ts";

export { introspectTokens } from "./introspection.ts";
export type { IntrospectionOptions } from "./introspection.ts";

export { limitFailures } from "./limit-failures.ts";
export type { FailureLimit } from "./limit-failures.ts";

export type { ResourceDescription } from "./metadata.ts";

export type { NonceOptions } from "./nonces.ts";

export type { Proof } from "./proof.ts";
export type { ProofOptions } from "./proof.ts";
export type { ProofReader } from "./proof.ts";

export type { DeniedRequest } from "./refusals.ts";

export { MemoryReplayStore } from "../../store/replay-store.ts";
export type { ReplayStore } from "../../store/replay-store.ts";

export type { ScopeHierarchy } from "./scopes.ts";

export { requireToken } from "./token.ts";
export type { TokenOptions } from "./token.ts";

export { TokenError } from "./verify.ts";
export { isTokenError } from "./verify.ts";
export type { Trust } from "./verify.ts";
export type { VerifyToken } from "./verify.ts";
