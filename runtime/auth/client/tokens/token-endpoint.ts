import { AuthError, isAuthError } from "../errors.ts";
import type { ClientIdentity } from "../identity/identity.ts";
import type { ServerMetadata } from "../discovery/metadata.ts";
import { requestToken, revokeToken, type FormRequest, type Revocation } from "./oauth.ts";
import type { Proofs } from "../identity/proofs.ts";
import type { AuthorizationResponse, HttpRequester } from "../network/requester.ts";
import { toRenewal, type TokenResponse, type Tokens } from "./tokens.ts";

/** Token request before `TokenEndpoint` adds its fields. */
export interface TokenRequestFields {
  readonly server: ServerMetadata;
  readonly identity: ClientIdentity;
  readonly grantType: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Resource and scopes of a requested token. */
export interface TokenPurpose {
  readonly resource: string;
  readonly requested: readonly string[];
}

/** Requests tokens from authorization servers, bound to a key if there is one. */
export class TokenEndpoint {
  readonly requester: HttpRequester;
  readonly #proofs: Proofs | undefined;

  constructor(requester: HttpRequester, proofs: Proofs | undefined) {
    this.requester = requester;
    this.#proofs = proofs;
  }

  /** True if tokens are bound to a key. */
  get isBound(): boolean {
    return this.#proofs !== undefined;
  }

  /** Returns the thumbprint of the key of tokens, or `undefined` if they are not bound to one. */
  keyId(): Promise<string> | undefined {
    return this.#proofs?.keyId();
  }

  /** Requests an access token. With a key, the token must be bound to it: a thief could use any other, so it is rejected. */
  async obtain(wish: TokenRequestFields, { resource, requested }: TokenPurpose): Promise<Tokens> {
    await this.#checkAlgorithm(wish.server);
    const response = await this.request(wish, [this.#proofs ? "dpop" : "bearer"]);
    const { accessToken, refreshToken, expiresIn } = response;
    return {
      issuer: wish.server.issuer,
      resource,
      clientId: wish.identity.clientId,
      accessToken,
      type: this.#proofs ? "dpop" : "bearer",
      refreshToken,
      renewAt: toRenewal(expiresIn),
      requested,
      keyId: await this.keyId(),
    };
  }

  /** Requests a token of one of these types. If the server requires a nonce in the proof, the request is sent once more with a new proof. */
  async request(wish: TokenRequestFields, types: readonly string[]): Promise<TokenResponse> {
    try {
      return await this.#ask(wish, types);
    } catch (error) {
      if (!isAuthError(error) || error.reason !== "use_dpop_nonce" || !this.#proofs) throw error;
      return this.#ask(wish, types);
    }
  }

  /** Revokes a token. Rejects if the server rejects the revocation. */
  revoke(revocation: Omit<Revocation, "post">): Promise<void> {
    return revokeToken({ ...revocation, post: (url, form) => this.#post("revocation endpoint", url, form) });
  }

  #ask(wish: TokenRequestFields, types: readonly string[]): Promise<TokenResponse> {
    const proofs = types.includes("dpop") ? this.#proofs : undefined;
    return requestToken({
      ...wish,
      types,
      post: async (url, { headers, body }) => {
        const proof = proofs && { DPoP: await proofs.sign("POST", url) };
        const response = await this.#post("token endpoint", url, { headers: { ...headers, ...proof }, body });
        proofs?.note(url, response.headers);
        return response;
      },
    });
  }

  #post(what: string, url: URL, form: FormRequest): Promise<AuthorizationResponse> {
    return this.requester.request(url, { what, method: "POST", ...form });
  }

  async #checkAlgorithm({ issuer, dpopAlgorithms }: ServerMetadata): Promise<void> {
    const algorithm = await this.#proofs?.algorithm();
    if (algorithm === undefined || dpopAlgorithms?.includes(algorithm) !== false) return;
    throw new AuthError(
      "configuration",
      `${issuer} does not support DPoP proofs with ${algorithm}; use ${dpopAlgorithms.join(", ")}`,
    );
  }
}
