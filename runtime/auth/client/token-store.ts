import { KeyedQueue } from "../../transport/http-client/keyed-queue.ts";
import { findServerMetadata, toResource, type Discovery } from "./discovery/discovery.ts";
import { isAuthError } from "./errors.ts";
import type { Grant, GrantRequest } from "./grants/grant.ts";
import { forgetRegistration } from "./grants/registration.ts";
import { isFinalReason } from "./tokens/oauth.ts";
import { storeKeys, type CredentialStore } from "./tokens/store.ts";
import type { TokenEndpoint } from "./tokens/token-endpoint.ts";
import { decodeTokens, encodeTokens, type Tokens } from "./tokens/tokens.ts";

/** Server whose tokens are stored, with the grant and the endpoint to obtain them. */
export interface TokenStoreOptions {
  readonly server: URL;
  readonly grant: Grant;
  readonly store: CredentialStore;
  readonly endpoint: TokenEndpoint;
}

/** Store for the tokens of one client for one server. Tokens are stored by issuer and resource and are never used for another. */
export class TokenStore {
  readonly #options: TokenStoreOptions;
  readonly #resource: string;
  /** Changes take several operations of the store, so each begins after the one before. */
  readonly #changes = new KeyedQueue<"tokens">();
  #current: Tokens | undefined;
  /** Tokens removed because they can no longer be refreshed. */
  #ended: Tokens | undefined;
  #loading: Promise<void> | undefined;
  #refreshing: Promise<boolean> | undefined;

  constructor(options: TokenStoreOptions) {
    this.#options = options;
    this.#resource = toResource(options.server);
  }

  get current(): Tokens | undefined {
    return this.#current;
  }

  /** Returns the requested scopes of the latest tokens, or none if they are of another issuer, which may not know the scopes. */
  requestedFrom(issuer: string): readonly string[] {
    const tokens = this.#current ?? this.#ended;
    return tokens?.issuer === issuer ? tokens.requested : [];
  }

  /** Reads the stored tokens, once. After a failure of the store they are read again. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** Replaces the previous tokens with new ones. */
  keep(tokens: Tokens): Promise<void> {
    return this.#changes.run("tokens", async () => {
      const { store } = this.#options;
      const before = this.#current;
      this.#current = tokens;
      await store.set(storeKeys.tokens(tokens.issuer, this.#resource), encodeTokens(tokens));
      await store.set(storeKeys.issuer(this.#resource), tokens.issuer);
      if (before && before.issuer !== tokens.issuer)
        await store.delete(storeKeys.tokens(before.issuer, this.#resource));
    });
  }

  /** Deletes the tokens, then revokes them if the authorization server has a revocation endpoint. */
  async giveBack(): Promise<void> {
    await this.load();
    // A refresh that is running would store its tokens after the deletion. Its error is thrown to its caller.
    await this.#refreshing?.catch(() => {});
    const tokens = await this.drop();
    if (tokens) await this.#revoke(tokens);
  }

  /** Deletes the tokens, and returns them. */
  drop(): Promise<Tokens | undefined> {
    return this.#changes.run("tokens", async () => {
      const { store } = this.#options;
      const tokens = this.#current;
      const issuer = tokens?.issuer ?? (await store.get(storeKeys.issuer(this.#resource)));
      this.#current = undefined;
      this.#ended = undefined;
      if (issuer !== undefined) await store.delete(storeKeys.tokens(issuer, this.#resource));
      await store.delete(storeKeys.issuer(this.#resource));
      return tokens;
    });
  }

  /**
   * Exchanges the refresh token, if there is a valid one, for new tokens. Returns true if there are new tokens. A refresh token may be valid only
   * once, so no other user of the store may use it simultaneously. If another one was faster, its stored tokens are used.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#refresh-tokens
   */
  refresh(discovery: Discovery): Promise<boolean> {
    const refreshing = this.#refresh(discovery).finally(() => {
      if (this.#refreshing === refreshing) this.#refreshing = undefined;
    });
    this.#refreshing = refreshing;
    return refreshing;
  }

  async #refresh(discovery: Discovery): Promise<boolean> {
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

  /** Revokes the refresh token first, because it yields new tokens. */
  async #revoke(tokens: Tokens): Promise<void> {
    const { store, endpoint, grant } = this.#options;
    const { issuer, resource, requested: scopes, accessToken, refreshToken } = tokens;
    const server = await findServerMetadata(issuer, { requester: endpoint.requester });
    const url = server?.revocationEndpoint;
    if (!url) return;
    const discovery = { resource, scopesSupported: undefined, server };
    const identity = await grant.findHolder(tokens, { discovery, scopes, endpoint, store });
    if (!identity) return;
    const client = { server, identity, url };
    if (refreshToken !== undefined) {
      await endpoint.revoke({ ...client, token: refreshToken, kind: "refresh_token" });
    }
    await endpoint.revoke({ ...client, token: accessToken, kind: "access_token" });
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
      // A server that does not rotate refresh tokens keeps the old one valid.
      await this.keep({ ...renewed, refreshToken: renewed.refreshToken ?? tokens.refreshToken });
      return true;
    } catch (error) {
      if (!isAuthError(error) || !["token-refused", "token-answer"].includes(error.code)) throw error;
      // The authorization server no longer knows the client: a sign-in with the same registration would end at its error page.
      if (error.reason === "invalid_client") await forgetRegistration(server, request.store);
      if (isFinalReason(error.reason)) {
        await this.drop();
        this.#ended = tokens;
      }
      return false;
    }
  }

  async #load(): Promise<void> {
    const issuer = await this.#options.store.get(storeKeys.issuer(this.#resource));
    if (issuer !== undefined) this.#current = await this.#read(issuer);
  }

  /** Tokens bound to a lost key are useless. */
  async #read(issuer: string): Promise<Tokens | undefined> {
    const { store, endpoint } = this.#options;
    const tokens = decodeTokens((await store.get(storeKeys.tokens(issuer, this.#resource))) ?? "");
    const isOurs = tokens?.issuer === issuer && tokens.keyId === (await endpoint.keyId());
    return isOurs ? tokens : undefined;
  }
}
