import type { Discovery } from "./discovery.ts";
import type { ClientIdentity } from "./identity.ts";
import type { CredentialStore } from "./store.ts";
import type { TokenEndpoint } from "./token-endpoint.ts";
import type { Tokens } from "./tokens.ts";

/** A way to get tokens. */
export interface Grant {
  /** Scopes that are asked for where the server's challenge names none. Default: what its metadata lists. */
  readonly scopes?: readonly string[] | undefined;
  /** Whether refresh tokens are wanted where the authorization server gives them for `offline_access`. */
  readonly wantsRefresh: boolean;
  /** Issuers that this client knows: of several they are preferred. */
  readonly issuers: readonly string[];
  obtain(request: GrantRequest): Promise<Tokens>;
  /** Who holds these tokens, to use their refresh token. Nothing when that is not known any more. */
  findHolder(tokens: Tokens, request: GrantRequest): Promise<ClientIdentity | undefined>;
}

/** What a grant is asked for, and what it may use. */
export interface GrantRequest {
  readonly discovery: Discovery;
  readonly scopes: readonly string[];
  readonly endpoint: TokenEndpoint;
  readonly store: CredentialStore;
}

/** The parameters that say what a token is for. @see https://www.rfc-editor.org/rfc/rfc8707 */
export function toPurpose(resource: string, scopes: readonly string[]): Readonly<Record<string, string>> {
  return scopes.length === 0 ? { resource } : { resource, scope: scopes.join(" ") };
}
