import type { Discovery } from "../discovery/discovery.ts";
import type { ClientIdentity } from "../identity/identity.ts";
import type { CredentialStore } from "../tokens/store.ts";
import type { TokenEndpoint } from "../tokens/token-endpoint.ts";
import type { Tokens } from "../tokens/tokens.ts";

/** Method of obtaining tokens. */
export interface Grant {
  /** Scopes to request if the server's challenge names none. Default: the scopes listed in its metadata. */
  readonly scopes?: readonly string[] | undefined;
  /** True if the grant needs refresh tokens. Some authorization servers issue them for `offline_access`. */
  readonly wantsRefresh: boolean;
  /** Issuers at which this client is registered. They are preferred among several. */
  readonly issuers: readonly string[];
  obtain(request: GrantRequest): Promise<Tokens>;
  /** Returns the identity these tokens were issued to, which can use their refresh token, or `undefined` if it is no longer known. */
  findHolder(tokens: Tokens, request: GrantRequest): Promise<ClientIdentity | undefined>;
}

/** Input of a grant: the requested scopes and the services for its use. */
export interface GrantRequest {
  readonly discovery: Discovery;
  readonly scopes: readonly string[];
  readonly endpoint: TokenEndpoint;
  readonly store: CredentialStore;
}

/** Returns the parameters for the purpose of a token. @see https://www.rfc-editor.org/rfc/rfc8707 */
export function toPurpose(resource: string, scopes: readonly string[]): Readonly<Record<string, string>> {
  return scopes.length === 0 ? { resource } : { resource, scope: scopes.join(" ") };
}
