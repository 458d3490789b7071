import type { Discovery } from "../discovery/discovery.ts";
import type { ClientIdentity } from "../identity/identity.ts";
import type { CredentialStore } from "../tokens/store.ts";
import type { TokenEndpoint } from "../tokens/token-endpoint.ts";
import type { Tokens } from "../tokens/tokens.ts";

/** Method of obtaining tokens. */
export interface Grant {
  /** Scopes to request if the server's challenge names none. Default: the scopes that its metadata lists. */
  readonly scopes?: readonly string[] | undefined;
  /** True if the grant needs refresh tokens from authorization servers that issue them for `offline_access`. */
  readonly wantsRefresh: boolean;
  /** Issuers that this client is registered at. They are preferred among several. */
  readonly issuers: readonly string[];
  obtain(request: GrantRequest): Promise<Tokens>;
  /** Returns the identity that holds these tokens, to use their refresh token, or `undefined` if it is no longer known. */
  findHolder(tokens: Tokens, request: GrantRequest): Promise<ClientIdentity | undefined>;
}

/** Input of a grant: the requested scopes and the services that it may use. */
export interface GrantRequest {
  readonly discovery: Discovery;
  readonly scopes: readonly string[];
  readonly endpoint: TokenEndpoint;
  readonly store: CredentialStore;
}

/** Returns the parameters that name the purpose of a token. @see https://www.rfc-editor.org/rfc/rfc8707 */
export function toPurpose(resource: string, scopes: readonly string[]): Readonly<Record<string, string>> {
  return scopes.length === 0 ? { resource } : { resource, scope: scopes.join(" ") };
}
