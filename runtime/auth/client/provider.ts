import { holdProcess } from "../../internal/hold-process.ts";
import type { AuthResponse, AuthProvider, AuthRequest } from "../../transport/http-client/auth-provider.ts";
import { describeUrl, type Fetch } from "../../transport/http-client/endpoint.ts";
import type { Network } from "./network/network.ts";
import { findChallenge, readChallenges, type Challenge } from "./discovery/www-authenticate.ts";
import { discoverAuthorization, type Discovery } from "./discovery/discovery.ts";
import { AuthError, isAuthError } from "./errors.ts";
import type { Grant } from "./grants/grant.ts";
import type { DpopKey } from "./identity/keys.ts";
import { createPinnedFetch } from "./network/pinned-fetch.ts";
import { Proofs } from "./identity/proofs.ts";
import { HttpRequester, type AuthStep } from "./network/requester.ts";
import { offlineAccess, readGrantedScopes, selectScopes } from "./grants/scopes.ts";
import { createMemoryStore, type CredentialStore } from "./tokens/store.ts";
import { TokenEndpoint } from "./tokens/token-endpoint.ts";
import { TokenStore } from "./token-store.ts";
import { createUrlRules } from "./network/url-rules.ts";
import { checkNumbers } from "../../jsonrpc/check-numbers.ts";

/** Options of `createOAuthProvider`. */
export interface OAuthOptions {
  /** Method of obtaining tokens: `authorizationCode(...)`, `clientCredentials(...)`, `enterpriseManaged(...)` or `workloadIdentity(...)`. */
  readonly grant: Grant;
  /** Storage for credentials. Default: in memory. */
  readonly store?: CredentialStore;
  /** Key to bind tokens to, which makes stolen tokens useless. `true` creates a key for this process. Default: tokens are not bound. */
  readonly dpop?: boolean | DpopKey;
  /** Networks of metadata and token endpoints, in addition to the internet and the network of the server itself. */
  readonly networks?: readonly Network[];
  /** Chooses one of several authorization servers. Default: one with a registration of the client, else the first. */
  readonly chooseIssuer?: (issuers: readonly string[]) => string | undefined;
  /** True if a server without authorization metadata may be treated as a server of the first revision with authorization. Default `true`. */
  readonly assumeEndpoints?: boolean;
  /** Value of `MCP-Protocol-Version` in metadata requests. Default: the revision of the rejected request, if it named one. */
  readonly protocolVersion?: string;
  /**
   * Sends the requests for metadata and tokens. The default resolves names itself, checks each address, and connects only to checked ones. With
   * another function, names are not checked, only addresses as part of URLs.
   */
  readonly fetch?: Fetch;
  /** Milliseconds for one response, of metadata or of tokens. Default 5 s. */
  readonly timeout?: number;
  /** Maximum size of one response in bytes. Default 1 MiB. */
  readonly maxBytes?: number;
  /**
   * Milliseconds for which a failed attempt is not repeated, to keep the user from being prompted again and again. Default 30 s. The next request
   * repeats a temporary failure, unless the server named a longer time with `Retry-After`: then the pause is as long as this time, but no longer than
   * this option.
   */
  readonly pauseAfterFailure?: number;
  /** Called for every request on the way to a token. */
  readonly onStep?: (step: AuthStep) => void;
}

/** Authorizes the requests of one client to one server. Pass it to the transport as `auth`. It may serve several connections. */
export interface OAuthProvider extends AuthProvider {
  review(response: AuthResponse, request: AuthRequest): Promise<"accept" | "repeat">;
  /** Obtains tokens now unless there are some. Useful before connecting if the user has to take part. */
  signIn(): Promise<void>;
  /**
   * Deletes the tokens and revokes them if the authorization server has a revocation endpoint. Rejects if the revocation fails; the tokens are
   * deleted even then. Registrations remain.
   */
  signOut(): Promise<void>;
}

/**
 * Creates a provider of OAuth tokens for requests to a server. When the server rejects a request, the provider finds the authorization server,
 * obtains a token and has the request repeated. Tokens are sent to this server only.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 * @example
 * ```ts
 * import { connectClient, connectHttp } from "mcp-server-runtime";
 * import { authorizationCode, createLoopbackRedirect, createOAuthProvider } from "mcp-server-runtime/auth/client";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * const url = "https://mcp.example.com/mcp";
 * const info = { name: "my-client", version: "1.0.0" };
 * const grant = authorizationCode({ redirect: createLoopbackRedirect(), client: info });
 * const auth = createOAuthProvider(url, { grant });
 * const client = await connectClient((options) => connectHttp(url, { ...options, auth }), { info, revisions });
 * ```
 */
export function createOAuthProvider(server: string | URL, options: OAuthOptions): OAuthProvider {
  return new OAuth(new URL(server), options);
}

/** State of the authorization of one request. */
interface Attempt {
  /** Token of the last attempt. */
  sent: string | undefined;
  last: "nothing" | "refreshed" | "obtained";
  repeats: number;
  nonces: number;
  stepUps: number;
}

interface Need {
  readonly challenge: Challenge | undefined;
  readonly request?: AuthRequest;
  readonly mayRefresh: boolean;
  /** True if the server no longer accepts the current token. */
  readonly isRejected?: boolean;
}

class OAuth implements OAuthProvider {
  readonly #server: URL;
  readonly #options: OAuthOptions;
  readonly #proofs: Proofs | undefined;
  readonly #endpoint: TokenEndpoint;
  readonly #store: CredentialStore;
  readonly #keeper: TokenStore;
  readonly #attempts = new WeakMap<AuthRequest, Attempt>();
  #running: Promise<"refreshed" | "obtained"> | undefined;
  /** Time of the next refresh before expiry, after a failed one. */
  #noRefreshUntil = 0;
  #failure: { readonly error: AuthError; readonly until: number } | undefined;
  /** Times of the latest step-ups. */
  #stepUps: readonly number[] = [];

  constructor(server: URL, options: OAuthOptions) {
    checkNumbers(options);
    const { dpop = false, networks, timeout = 5_000, maxBytes = 1024 * 1024, onStep, grant } = options;
    this.#server = server;
    this.#options = options;
    this.#store = options.store ?? createMemoryStore();
    this.#proofs = dpop === false ? undefined : new Proofs(dpop === true ? undefined : dpop);
    const rules = createUrlRules(server, networks);
    const fetch = options.fetch ?? createPinnedFetch((address, host) => rules.checkAddress(address, host));
    this.#endpoint = new TokenEndpoint(new HttpRequester({ fetch, rules, timeout, maxBytes, onStep }), this.#proofs);
    this.#keeper = new TokenStore({ server, grant, store: this.#store, endpoint: this.#endpoint });
  }

  async authorize(request: AuthRequest): Promise<Readonly<Record<string, string>>> {
    this.#checkTarget(request.url);
    await this.#keeper.load();
    await this.#refreshInTime(request);
    const tokens = this.#keeper.current;
    this.#attemptOf(request).sent = tokens?.accessToken;
    if (!tokens) return {};
    if (!this.#proofs) return { Authorization: `Bearer ${tokens.accessToken}` };
    const proof = await this.#proofs.sign(request.method, request.url, tokens.accessToken);
    return { Authorization: `DPoP ${tokens.accessToken}`, DPoP: proof };
  }

  async review({ status, headers }: AuthResponse, request: AuthRequest): Promise<"accept" | "repeat"> {
    const hasNonce = this.#proofs?.note(request.url, headers) ?? false;
    if (status !== 401 && status !== 403) return "accept";
    const attempt = this.#attemptOf(request);
    const challenges = readChallenges(headers.get("www-authenticate"));
    const challenge = findChallenge(challenges, this.#proofs ? ["dpop", "bearer"] : ["bearer"]);
    if (attempt.repeats++ >= maxRepeats) return "accept";
    const error = challenge?.parameters.get("error");
    if (error === "use_dpop_nonce") return hasNonce && attempt.nonces++ === 0 ? "repeat" : "accept";
    // A client that closes ends its session: the user is not prompted for that.
    if (request.method === "DELETE") return this.#hasChanged(attempt) ? "repeat" : "accept";
    if (status === 401) return this.#reviewUnauthorized(attempt, challenge, request);
    return error === "insufficient_scope" ? this.#reviewForbidden(attempt, challenge, request) : "accept";
  }

  async signIn(): Promise<void> {
    await this.#keeper.load();
    this.#failure = undefined;
    this.#stepUps = [];
    if (!this.#keeper.current) await this.#renewOnce({ challenge: undefined, mayRefresh: false });
  }

  async signOut(): Promise<void> {
    this.#failure = undefined;
    await this.#keeper.giveBack();
  }

  /** Rejections of a new token are final: another token will not help. */
  async #reviewUnauthorized(
    attempt: Attempt,
    challenge: Challenge | undefined,
    request: AuthRequest,
  ): Promise<"accept" | "repeat"> {
    if (this.#hasChanged(attempt)) return "repeat";
    if (attempt.last === "obtained") return "accept";
    const need = { challenge, request, mayRefresh: attempt.last === "nothing", isRejected: true };
    attempt.last = await this.#renewOnce(need);
    return "repeat";
  }

  /**
   * Requests the additional scopes together with the earlier ones. If all of them were requested before, they are not requested again, because the
   * result would be the same.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#step-up-authorization-flow
   */
  async #reviewForbidden(
    attempt: Attempt,
    challenge: Challenge | undefined,
    request: AuthRequest,
  ): Promise<"accept" | "repeat"> {
    if (this.#hasChanged(attempt)) return "repeat";
    const needed = readGrantedScopes(challenge?.parameters.get("scope") ?? "");
    const isNew = (): boolean => needed.some((scope) => !this.#keeper.current?.requested.includes(scope));
    // The tokens that other requests obtain meanwhile may have the scopes.
    while (this.#running && isNew()) {
      // A failure of another request, such as an early refresh, says nothing about this one.
      await holdProcess(this.#running, request.signal).catch(() => {});
      request.signal?.throwIfAborted();
    }
    if (!isNew()) return this.#hasChanged(attempt) ? "repeat" : "accept";
    this.#rejectAfterFailure();
    if (attempt.stepUps >= maxStepUps || !this.#countStepUp()) return "accept";
    attempt.stepUps += 1;
    attempt.last = await this.#renewOnce({ challenge, request, mayRefresh: false });
    return "repeat";
  }

  /** Counts a step-up. Returns false if too many have been counted within the last hour. */
  #countStepUp(): boolean {
    const now = performance.now();
    const recent = this.#stepUps.filter((time) => time > now - 3_600_000);
    if (recent.length >= maxStepUpsPerHour) return false;
    this.#stepUps = [...recent, now];
    return true;
  }

  /** True if another request has obtained new tokens in the meantime. */
  #hasChanged({ sent }: Attempt): boolean {
    const { current } = this.#keeper;
    return current !== undefined && current.accessToken !== sent;
  }

  /** Refreshes a token shortly before its expiry, rather than after a rejection. A failure is no error: until then the token is valid. */
  async #refreshInTime(request: AuthRequest): Promise<void> {
    const { current } = this.#keeper;
    if (current?.refreshToken === undefined || current.renewAt === undefined) return;
    if (current.renewAt > Date.now() || this.#noRefreshUntil > performance.now()) return;
    const refresh = async (): Promise<"refreshed"> => {
      await this.#keeper.refresh(await this.#discover({ challenge: undefined, request }));
      return "refreshed";
    };
    await this.#once(refresh, request.signal).catch(() => {});
    if (this.#keeper.current === current) this.#noRefreshUntil = this.#endOfPause();
  }

  /** Renews the tokens once for any number of requests. */
  #renewOnce(need: Need): Promise<"refreshed" | "obtained"> {
    const renew = async (): Promise<"refreshed" | "obtained"> => {
      this.#rejectAfterFailure();
      try {
        return await this.#renew(need);
      } catch (error) {
        if (isAuthError(error)) this.#failure = { error, until: this.#endOfPause(error) };
        throw error;
      }
    };
    return this.#once(renew, need.request?.signal);
  }

  /** Runs one task at a time. If one is running, its result is returned. A sign-in does not keep the process alive by itself. */
  #once(task: () => Promise<"refreshed" | "obtained">, signal?: AbortSignal): Promise<"refreshed" | "obtained"> {
    this.#running ??= task().finally(() => (this.#running = undefined));
    return holdProcess(this.#running, signal);
  }

  #rejectAfterFailure(): void {
    if (this.#failure && this.#failure.until > performance.now()) throw this.#failure.error;
  }

  /** Returns the end of the pause after a failure. After a temporary one, the pause is the `Retry-After` of the server, but no longer than others. */
  #endOfPause(error?: AuthError): number {
    const { pauseAfterFailure = 30_000 } = this.#options;
    const named = error?.code === "network" ? (error.retryAfter ?? 0) : Infinity;
    return performance.now() + Math.min(named, pauseAfterFailure);
  }

  async #renew({ challenge, request, mayRefresh, isRejected = false }: Need): Promise<"refreshed" | "obtained"> {
    const discovery = await this.#discover({ challenge, request });
    if (mayRefresh && (await this.#keeper.refresh(discovery))) return "refreshed";
    const { grant } = this.#options;
    const scopes = selectScopes({
      challenged: readParameter(challenge, "scope"),
      supported: discovery.scopesSupported?.join(" "),
      wanted: grant.scopes,
      // Without the scopes of earlier step-ups, a later request would need another one.
      before: this.#keeper.requestedFrom(discovery.server.issuer),
      offline: grant.wantsRefresh && (discovery.server.scopesSupported?.includes(offlineAccess) ?? false),
    });
    try {
      await this.#keeper.keep(await grant.obtain({ discovery, scopes, endpoint: this.#endpoint, store: this.#store }));
      return "obtained";
    } catch (error) {
      // The scopes of the rejected token are no longer granted: the next attempt starts without them.
      if (isRejected && isAuthError(error) && error.reason === "invalid_scope") await this.#keeper.drop();
      throw error;
    }
  }

  /** Discovery runs each time: a server may move to another authorization server, and credentials of the old one must not be sent to the new one. */
  #discover({
    challenge,
    request,
  }: Pick<Need, "challenge"> & { readonly request?: AuthRequest | undefined }): Promise<Discovery> {
    const { assumeEndpoints = true, chooseIssuer, grant } = this.#options;
    const version = request && new Headers(request.headers).get("mcp-protocol-version");
    const named = this.#options.protocolVersion ?? version ?? undefined;
    return discoverAuthorization(this.#server, {
      requester: this.#endpoint.requester,
      hint: readParameter(challenge, "resource_metadata"),
      headers: named === undefined ? {} : { "MCP-Protocol-Version": named },
      chooseIssuer: chooseIssuer ?? ((issuers) => issuers.find((one) => grant.issuers.includes(one)) ?? issuers[0]),
      assumesEndpoints: assumeEndpoints,
    });
  }

  /** A token works for any holder, so it must not reach another server. */
  #checkTarget(url: URL): void {
    if (url.origin === this.#server.origin) return;
    throw new AuthError(
      "wrong-target",
      `The credentials for ${describeUrl(this.#server)} were not sent to ${url.origin}; create one provider per server`,
    );
  }

  #attemptOf(request: AuthRequest): Attempt {
    const known = this.#attempts.get(request);
    if (known) return known;
    const attempt: Attempt = { sent: undefined, last: "nothing", repeats: 0, nonces: 0, stepUps: 0 };
    this.#attempts.set(request, attempt);
    return attempt;
  }
}

/** Returns a parameter of a challenge, unless it is empty. */
function readParameter(challenge: Challenge | undefined, name: string): string | undefined {
  const value = challenge?.parameters.get(name);
  return value === "" ? undefined : value;
}

/** Maximum number of repetitions of one request for any reason: a nonce, a refreshed token, a new token, more scopes. */
const maxRepeats = 6;

const maxStepUps = 2;

/** Limit of all requests of a client. Without it, a server with ever more scopes in its demands would cause endless sign-ins. */
const maxStepUpsPerHour = 10;
