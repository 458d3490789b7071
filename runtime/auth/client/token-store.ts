import { findServerMetadata, toResource, type Discovery } from "./discovery.ts";
import { isAuthError } from "./errors.ts";
import type { Grant, GrantRequest } from "./grant.ts";
import { storeKeys, type CredentialStore } from "./store.ts";
import type { TokenEndpoint } from "./token-endpoint.ts";
import { decodeTokens, encodeTokens, type Tokens } from "./tokens.ts";

/** What the tokens of one client for one server need around them. */
export interface TokenStoreOptions {
  readonly server: URL;
  readonly grant: Grant;
  readonly store: CredentialStore;
  readonly endpoint: TokenEndpoint;
}

/** The tokens of one client for one server: stored by issuer and resource, and never taken from another. */
export class TokenStore {
  readonly #options: TokenStoreOptions;
  readonly #resource: string;
  #current: Tokens | undefined;
  #loading: Promise<void> | undefined;

  constructor(options: TokenStoreOptions) {
    this.#options = options;
    this.#resource = toResource(options.server);
  }

  get current(): Tokens | undefined {
    return this.#current;
  }

  /** Reads what was stored, once. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Puts new tokens in the place of those before. */
  async keep(tokens: Tokens): Promise<void> {
    const { store } = this.#options;
    const before = this.#current;
    this.#current = tokens;
    await store.set(storeKeys.tokens(tokens.issuer, this.#resource), encodeTokens(tokens));
    await store.set(storeKeys.issuer(this.#resource), tokens.issuer);
    if (before && before.issuer !== tokens.issuer) await store.delete(storeKeys.tokens(before.issuer, this.#resource));
  }

  /** Forgets the tokens, and then gives them back where the authorization server has an endpoint for it. */
  async giveBack(): Promise<void> {
    await this.load();
    const tokens = this.#current;
    await this.drop();
    if (tokens) await this.#revoke(tokens);
  }

  async drop(): Promise<void> {
    const { store } = this.#options;
    const issuer = this.#current?.issuer ?? (await store.get(storeKeys.issuer(this.#resource)));
    this.#current = undefined;
    if (issuer !== undefined) await store.delete(storeKeys.tokens(issuer, this.#resource));
    await store.delete(storeKeys.issuer(this.#resource));
  }

  /**
   * Gets new tokens for the refresh token, if there is one and it is still good. It may be good only once, so that nobody else may use it
   * meanwhile; who was faster has stored what came of it.
   *
   * @see https://modelcontextprotocol.io/specification/latest/basic/authorization#refresh-tokens
   */
  async refresh(discovery: Discovery): Promise<boolean> {
    const { store, endpoint, grant } = this.#options;
    const tokens = this.#current;
    const { server, resource } = discovery;
    if (tokens?.refreshToken === undefined || tokens.issuer !== server.issuer || tokens.resource !== resource)
      return false;
    const key = storeKeys.tokens(tokens.issuer, this.#resource);
    const task = async (): Promise<boolean> => {
      const stored = await this.#read(tokens.issuer);
      if (stored && stored.accessToken !== tokens.accessToken) {
        this.#current = stored;
        return true;
      }
      return this.#redeem(tokens, { discovery, scopes: tokens.requested, endpoint, store });
    };
    return grant.wantsRefresh && (store.exclusively ? store.exclusively(key, task) : task());
  }

  /** The one that brings new tokens goes first. */
  async #revoke(tokens: Tokens): Promise<void> {
    const { store, endpoint, grant } = this.#options;
    const { issuer, resource, requested: scopes, accessToken, refreshToken } = tokens;
    const server = await findServerMetadata(issuer, { requester: endpoint.requester });
    if (!server?.revocationEndpoint) return;
    const discovery = { resource, scopesSupported: undefined, server };
    const identity = await grant.findHolder(tokens, { discovery, scopes, endpoint, store });
    if (!identity) return;
    if (refreshToken !== undefined) {
      await endpoint.revoke({ server, identity, token: refreshToken, kind: "refresh_token" });
    }
    await endpoint.revoke({ server, identity, token: accessToken, kind: "access_token" });
  }

  async #redeem(tokens: Tokens, request: GrantRequest): Promise<boolean> {
    const { endpoint, grant } = this.#options;
    const { server, resource } = request.discovery;
    const identity = await grant.findHolder(tokens, request);
    if (!identity || tokens.refreshToken === undefined) return false;
    const parameters = { refresh_token: tokens.refreshToken, resource };
    const wish = { server, identity, grantType: "refresh_token", parameters };
    try {
      const renewed = await endpoint.obtain(wish, { resource, requested: tokens.requested });
      // A server that does not rotate refresh tokens leaves the old one as it is.
      await this.keep({ ...renewed, refreshToken: renewed.refreshToken ?? tokens.refreshToken });
      return true;
    } catch (error) {
      if (!isAuthError(error) || error.code !== "token-refused") throw error;
      await this.drop();
      return false;
    }
  }

  async #load(): Promise<void> {
    const issuer = await this.#options.store.get(storeKeys.issuer(this.#resource));
    if (issuer !== undefined) this.#current = await this.#read(issuer);
  }

  /** Tokens that are bound to a key which is not there any more are of no use. */
  async #read(issuer: string): Promise<Tokens | undefined> {
    const { store, endpoint } = this.#options;
    const tokens = decodeTokens((await store.get(storeKeys.tokens(issuer, this.#resource))) ?? "");
    const isOurs = tokens?.issuer === issuer && tokens.keyId === (await endpoint.keyId());
    return isOurs ? tokens : undefined;
  }
}
