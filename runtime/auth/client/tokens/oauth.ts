import {
  None,
  PrivateKeyJwt,
  ClientSecretPost,
  customFetch,
  allowInsecureRequests,
  genericTokenEndpointRequest,
  modifyAssertion,
  revocationRequest,
  type AuthorizationServer,
  type ClientAuth,
} from "oauth4webapi";
import { AuthError, isAuthError, isErrorResponse, quoteReason, readReason } from "../errors.ts";
import { chooseMethod, type ClientIdentity } from "../identity/identity.ts";
import type { ServerMetadata } from "../discovery/metadata.ts";
import { isTemporaryStatus } from "../../../transport/http-client/errors.ts";
import type { AuthorizationResponse } from "../network/requester.ts";
import type { TokenResponse } from "./tokens.ts";

/** Request to the token endpoint. */
export interface TokenRequest {
  readonly server: ServerMetadata;
  readonly identity: ClientIdentity;
  readonly grantType: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Permitted token types of the response, in lower case. */
  readonly types: readonly string[];
  /** Posts a form. Rejects if no response arrives. */
  readonly post: (url: URL, form: FormRequest) => Promise<AuthorizationResponse>;
}

/** Form body with the headers to authenticate the client. */
export interface FormRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Requests a token from the token endpoint. Errors hold no credentials.
 *
 * @throws {AuthError} when the endpoint rejects the request or its response holds no valid token.
 */
export async function requestToken(request: TokenRequest): Promise<TokenResponse> {
  const { server, identity, grantType, parameters, types, post } = request;
  if (!server.tokenEndpoint)
    throw new AuthError("metadata", `The metadata of ${server.issuer} has no valid token_endpoint`);
  const as: AuthorizationServer = { issuer: server.issuer, token_endpoint: server.tokenEndpoint.href };
  // The library requires a client id even if none is sent.
  const client = { client_id: identity.clientId === "" ? "unnamed" : identity.clientId };
  const secrets = [...confidential.map((name) => parameters[name] ?? ""), identity.clientSecret ?? ""];
  let json: AuthorizationResponse["json"];
  const send = async (url: string, init: LibraryRequest): Promise<Response> => {
    const result = await post(new URL(url), { headers: init.headers, body: init.body.toString() });
    if (!isSuccess(result)) throw describeRejection(result, { grantType, secrets: [...secrets, ...readProofs(init)] });
    ({ json } = result);
    return new Response(null);
  };
  try {
    // The destination of requests is checked before and while they are sent.
    const options = { [customFetch]: send, [allowInsecureRequests]: true };
    const auth = toClientAuth(server, identity);
    await genericTokenEndpointRequest(as, client, auth, grantType, parameters, options);
  } catch (error) {
    if (isAuthError(error)) throw error;
    // Errors of the library may carry credentials.
    throw new AuthError(
      "configuration",
      `The client cannot authenticate at ${server.issuer}; check its key and its id`,
    );
  }
  return readTokenResponse(json, server.issuer, types);
}

/** True if a response is successful and holds no error, which some servers send with status 200. */
function isSuccess({ status, json }: AuthorizationResponse): boolean {
  return status >= 200 && status < 300 && !isErrorResponse(json);
}

/**
 * Reads a successful token response. Optional members count as absent if they are null, empty or of another type. An OpenID token is not used, and
 * therefore not read.
 */
function readTokenResponse(
  json: AuthorizationResponse["json"],
  issuer: string,
  types: readonly string[],
): TokenResponse {
  if (!json) throw new AuthError("token-answer", `${issuer} did not return its token response as a JSON object`);
  const accessToken = readText(json.access_token);
  // Another token could not be sent in a header.
  if (accessToken === undefined || !/^[\x21-\x7e]+$/.test(accessToken))
    throw new AuthError("token-answer", `The token response of ${issuer} has no valid access_token`);
  const type = readText(json.token_type)?.toLowerCase();
  if (type === undefined || !types.includes(type))
    throw new AuthError("token-answer", `The token response of ${issuer} has no token_type ${types.join(" or ")}`);
  return {
    accessToken,
    type,
    refreshToken: readText(json.refresh_token),
    expiresIn: readSeconds(json.expires_in),
    issuedType: readText(json.issued_token_type),
  };
}

function readText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Reads a number of seconds, which some servers send as a text. */
function readSeconds(value: unknown): number | undefined {
  const seconds = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof seconds === "number" && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

/** True for an error code of a token endpoint after which a refresh token is useless. */
export function isFinalReason(reason = ""): boolean {
  return ["invalid_grant", "invalid_client", "unauthorized_client"].includes(reason);
}

/** Request to revoke a token. */
export interface Revocation extends Pick<TokenRequest, "server" | "identity" | "post"> {
  /** Revocation endpoint of the server. */
  readonly url: URL;
  readonly token: string;
  readonly kind: "access_token" | "refresh_token";
}

/**
 * Revokes a token.
 *
 * @throws {AuthError} when the server rejects the revocation.
 * @see https://www.rfc-editor.org/rfc/rfc7009
 */
export async function revokeToken({ server, identity, url, token, kind, post }: Revocation): Promise<void> {
  const { issuer, revocationAuthMethods: methods } = server;
  const secrets = [token, identity.clientSecret ?? ""];
  const judged = methods ? { ...server, tokenAuthMethods: methods } : server;
  const send = async (_url: string, { headers, body }: LibraryRequest): Promise<Response> => {
    const result = await post(url, { headers, body: body.toString() });
    // Stateless tokens cannot be revoked: they end when they expire.
    const isStateless = result.json?.error === "unsupported_token_type";
    if (isSuccess(result) || isStateless) return new Response(null);
    const proofs = readProofs({ headers, body });
    throw describeRejection(result, { grantType: `the revocation of the ${kind}`, secrets: [...secrets, ...proofs] });
  };
  await revocationRequest(
    { issuer, revocation_endpoint: url.href },
    { client_id: identity.clientId },
    toClientAuth(judged, identity),
    token,
    { additionalParameters: { token_type_hint: kind }, [customFetch]: send, [allowInsecureRequests]: true },
  );
}

interface LibraryRequest {
  readonly headers: Record<string, string>;
  readonly body: URLSearchParams;
}

const confidential: readonly string[] = ["code", "code_verifier", "refresh_token", "assertion", "subject_token"];

/** Returns the credentials of a request in their encoded form, which an authorization server may repeat in its error. */
function readProofs({ headers, body }: LibraryRequest): readonly string[] {
  const basic = new Headers(headers).get("authorization")?.replace(/^\S+ +/, "");
  return [basic, body.get("client_assertion")].filter((proof) => typeof proof === "string");
}

/** Returns the authentication of the client at the token endpoint. */
function toClientAuth(server: ServerMetadata, identity: ClientIdentity): ClientAuth {
  const { clientSecret = "", signingKey, assertionAudience } = identity;
  const method = chooseMethod(identity, server);
  switch (method) {
    case "none":
      return identity.clientId === "" ? (): void => {} : None();
    case "client_secret_post":
      return ClientSecretPost(clientSecret);
    case "client_secret_basic":
      return (_server, _client, _body, headers) => {
        headers.set("authorization", `Basic ${btoa(`${encode(identity.clientId)}:${encode(clientSecret)}`)}`);
      };
    case "private_key_jwt": {
      if (!signingKey) throw new AuthError("configuration", "private_key_jwt requires a signing key");
      const { key, kid } = signingKey;
      const setAudience = (_header: object, claims: { aud?: unknown }): void => {
        if (assertionAudience === "token-endpoint") claims.aud = server.tokenEndpoint?.href;
      };
      return PrivateKeyJwt(kid === undefined ? { key } : { key, kid }, { [modifyAssertion]: setAudience });
    }
    default:
      return method satisfies never;
  }
}

/** Encodes no more characters than necessary, because many servers do not decode. @see https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1 */
function encode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

function describeRejection(
  { status, json = {}, retryAfter }: AuthorizationResponse,
  { grantType, secrets }: { readonly grantType: string; readonly secrets: readonly string[] },
): AuthError {
  const reason = readReason(json.error);
  const why = quoteReason(reason, json.error_description, secrets);
  const code = isTemporary(status, reason) ? "network" : "token-refused";
  return new AuthError(code, `The authorization server rejected ${grantType} with HTTP ${status}${why}`, {
    reason,
    retryAfter,
  });
}

function isTemporary(status: number, reason = ""): boolean {
  if (isFinalReason(reason)) return false;
  return isTemporaryStatus(status) || reason === "temporarily_unavailable" || reason === "server_error";
}
