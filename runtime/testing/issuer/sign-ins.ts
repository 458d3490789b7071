import { isObject } from "../../../generated/support.ts";
import { toBase64Url } from "../../framing/base64.ts";
import { createSecretId, sha256 } from "../../internal/digest.ts";
import { parseUrl } from "../../internal/parse-url.ts";
import { setLimited } from "../../internal/set-limited.ts";

/** Error of an endpoint, with a code of OAuth. */
export class OAuthError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A registered client. */
export interface IssuerClient {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
}

/** A sign-in without a decision of the user. */
export interface SignIn {
  readonly client: IssuerClient;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly challenge: string;
  readonly scope: string | undefined;
}

/** What a token is issued for. */
export interface IssuedGrant {
  readonly clientId: string;
  readonly scope: string | undefined;
}

/** Clients and sign-ins of an issuer, up to a thousand of each kind. Newer ones replace older ones. */
export interface SignIns {
  /** @throws {OAuthError} when the metadata has no redirect URI, or an unsafe one */
  register(metadata: unknown): IssuerClient;
  /** @throws {OAuthError} when the client is unknown, or has not registered the redirect URI */
  findTarget(query: URLSearchParams): { readonly client: IssuerClient; readonly redirectUri: string };
  /**
   * Returns the id of a new sign-in, for the page with the decision.
   *
   * @throws {OAuthError} when the request has no challenge of S256, or is for another resource
   */
  begin(query: URLSearchParams): { readonly id: string; readonly signIn: SignIn };
  /** Ends a sign-in. Returns the URL to which the user is redirected; `undefined` if there is no such sign-in. */
  decide(id: string, isAllowed: boolean): URL | undefined;
  /** @throws {OAuthError} when a token request has no valid code or refresh token */
  exchange(form: URLSearchParams): Promise<{ readonly grant: IssuedGrant; readonly refreshToken: string }>;
}

const most = 1_000;
/** Time in which a client has to redeem a code. */
const codeLifetime = 60_000;

/**
 * Creates the state of an issuer for one resource. All clients are public: they prove themselves with PKCE.
 *
 * @param options - `issuer`: identifier in its responses. `now`: returns the current time in milliseconds
 */
export function createSignIns({
  issuer,
  resource,
  now,
}: {
  readonly issuer: string;
  readonly resource: string;
  readonly now: () => number;
}): SignIns {
  const clients = new Map<string, IssuerClient>();
  const open = new Map<string, SignIn>();
  const codes = new Map<string, { readonly signIn: SignIn; readonly end: number }>();
  const refreshTokens = new Map<string, IssuedGrant>();

  const findTarget: SignIns["findTarget"] = (query) => {
    const client = clients.get(query.get("client_id") ?? "");
    if (!client) throw new OAuthError("invalid_client", "The client_id is unknown; register the client again");
    const redirectUri = query.get("redirect_uri") ?? "";
    if (!client.redirectUris.some((known) => isSameRedirect(known, redirectUri)))
      throw new OAuthError("invalid_request", "The redirect_uri is not registered; send a registered one");
    return { client, redirectUri };
  };

  const checkResource = (parameters: URLSearchParams): void => {
    if (parameters.getAll("resource").some((named) => named !== resource))
      throw new OAuthError("invalid_target", `The resource is another one; send ${resource}`);
  };

  const redeemCode = async (form: URLSearchParams): Promise<IssuedGrant> => {
    const code = form.get("code") ?? "";
    const found = codes.get(code);
    // A code is good for one attempt.
    codes.delete(code);
    const verifier = form.get("code_verifier") ?? "";
    const { signIn } = found ?? {};
    if (!found || !signIn || found.end <= now() || signIn.client.id !== form.get("client_id"))
      throw new OAuthError("invalid_grant", "The code is unknown, used or expired; sign in again");
    if (signIn.redirectUri !== form.get("redirect_uri"))
      throw new OAuthError("invalid_grant", "The redirect_uri differs; send that of the authorization request");
    if (toBase64Url(await sha256(verifier)) !== signIn.challenge)
      throw new OAuthError("invalid_grant", "The code_verifier does not match the challenge; sign in again");
    return { clientId: signIn.client.id, scope: signIn.scope };
  };

  const redeemRefreshToken = (form: URLSearchParams): IssuedGrant => {
    const token = form.get("refresh_token") ?? "";
    const grant = refreshTokens.get(token);
    if (!grant || grant.clientId !== form.get("client_id"))
      throw new OAuthError("invalid_grant", "The refresh token is unknown or used; sign in again");
    refreshTokens.delete(token);
    return grant;
  };

  return {
    findTarget,
    register(metadata) {
      const client = { id: createSecretId(), ...readClient(metadata) };
      setLimited(clients, [client.id, client], most);
      return client;
    },
    begin(query) {
      const { client, redirectUri } = findTarget(query);
      if (query.get("response_type") !== "code")
        throw new OAuthError("unsupported_response_type", "The response_type is not supported; send code");
      const challenge = query.get("code_challenge") ?? "";
      if (query.get("code_challenge_method") !== "S256" || !/^[\w-]{43}$/.test(challenge))
        throw new OAuthError("invalid_request", "The request has no code challenge; send one of the method S256");
      checkResource(query);
      const [state, scope] = [query.get("state") ?? undefined, query.get("scope") ?? undefined];
      const [id, signIn] = [createSecretId(), { client, redirectUri, state, challenge, scope }];
      setLimited(open, [id, signIn], most);
      return { id, signIn };
    },
    decide(id, isAllowed) {
      const signIn = open.get(id);
      open.delete(id);
      if (!signIn) return undefined;
      if (!isAllowed) return toAuthorizationResponse(issuer, signIn, { error: "access_denied" });
      const code = createSecretId();
      setLimited(codes, [code, { signIn, end: now() + codeLifetime }], most);
      return toAuthorizationResponse(issuer, signIn, { code });
    },
    async exchange(form) {
      checkResource(form);
      const grant = await redeem();
      const refreshToken = createSecretId();
      setLimited(refreshTokens, [refreshToken, grant], most);
      return { grant, refreshToken };

      async function redeem(): Promise<IssuedGrant> {
        switch (form.get("grant_type")) {
          case "authorization_code":
            return redeemCode(form);
          case "refresh_token":
            return redeemRefreshToken(form);
          default:
            throw new OAuthError(
              "unsupported_grant_type",
              "The grant_type is not supported; send authorization_code or refresh_token",
            );
        }
      }
    },
  };
}

/**
 * Returns the URL of a response to the client.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9207#section-2
 */
export function toAuthorizationResponse(
  issuer: string,
  { redirectUri, state }: Pick<SignIn, "redirectUri" | "state">,
  parameters: Readonly<Record<string, string>>,
): URL {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (state !== undefined) url.searchParams.set("state", state);
  url.searchParams.set("iss", issuer);
  return url;
}

/** @see https://www.rfc-editor.org/rfc/rfc7591#section-2 */
function readClient(metadata: unknown): Omit<IssuerClient, "id"> {
  const { redirect_uris: uris, client_name: name } = isObject(metadata) ? metadata : {};
  const redirectUris = Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : [];
  if (redirectUris.length === 0 || redirectUris.length > 20 || !redirectUris.every(isRedirectUri))
    throw new OAuthError(
      "invalid_redirect_uri",
      "The redirect_uris are invalid; send https URLs, http URLs of this machine, or URLs of an application",
    );
  return { redirectUris, name: typeof name === "string" ? name.slice(0, 200) : "" };
}

/** Hosts of this machine. */
const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]", "localhost"]);
/** Schemes whose URLs a browser runs or shows itself. */
const shown: ReadonlySet<string> = new Set([
  "javascript:",
  "data:",
  "blob:",
  "file:",
  "vbscript:",
  "about:",
  "ws:",
  "wss:",
  "ftp:",
]);

/**
 * True for a place where a client receives responses: https, a loopback address, or the scheme of an application.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7
 */
function isRedirectUri(text: string): boolean {
  const url = parseUrl(text);
  if (!url || url.hash !== "" || text.length > 2_000) return false;
  if (url.protocol === "http:") return loopback.has(url.hostname);
  return !shown.has(url.protocol);
}

/** True if a redirect URI is a registered one. The port of a loopback address may be another one each time. */
function isSameRedirect(known: string, given: string): boolean {
  if (known === given) return true;
  const [registered, url] = [parseUrl(known), parseUrl(given)];
  if (!registered || !url || url.protocol !== "http:" || !loopback.has(url.hostname)) return false;
  registered.port = url.port;
  return registered.href === url.href;
}
