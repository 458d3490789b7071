import { decodeJwt, jwtVerify, SignJWT, type CryptoKey } from "jose";
import { errors, type KoaContextWithOIDC, type Provider, type ResourceServer } from "oidc-provider";

/* What the library has no options for: grants that take an assertion for a token. */

export const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
export const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const idJag = "urn:ietf:params:oauth:token-type:id-jag";

/** Issuers whose assertions are accepted for a token, and the type of the assertions. */
export interface Trusted {
  readonly issuer: string;
  readonly key: CryptoKey;
  readonly type: string;
}

/** Has an authorization server take assertions for tokens, each once. @see https://www.rfc-editor.org/rfc/rfc7523 */
export function takeAssertions(provider: Provider, trusted: readonly Trusted[], scope: string): void {
  const used = new Set<unknown>();
  const grant = async (context: KoaContextWithOIDC): Promise<void> => {
    const { params = {}, client } = context.oidc;
    if (!client) throw new errors.InvalidClient("no client");
    const text = String(params.assertion);
    const found = trusted.find(({ issuer }) => issuer === decodeJwt(text).iss);
    if (!found) throw new errors.InvalidGrant("the assertion is of a stranger");
    const rules = { issuer: found.issuer, audience: provider.issuer, typ: found.type, requiredClaims: ["exp", "jti"] };
    const { payload } = await jwtVerify(text, found.key, rules).catch(() => {
      throw new errors.InvalidGrant("the assertion is not valid");
    });
    const isForClient = payload.client_id === undefined || payload.client_id === client.clientId;
    if (!isForClient || used.has(payload.jti)) throw new errors.InvalidGrant("the assertion is not for this request");
    used.add(payload.jti);
    const resource = String(params.resource);
    const accountId = String(payload.sub);
    const grantId = await new provider.Grant({ accountId, clientId: client.clientId }).save();
    const token = new provider.AccessToken({
      accountId,
      client,
      grantId,
      gty: "jwt_bearer",
      scope: String(params.scope),
    });
    const details: ResourceServer = {
      scope,
      audience: resource,
      accessTokenFormat: "jwt",
      jwt: { sign: { alg: "RS256" } },
    };
    token.resourceServer = new provider.ResourceServer(resource, details);
    context.body = { access_token: await token.save(), token_type: "Bearer", expires_in: token.expiration };
  };
  provider.registerGrantType(jwtBearer, grant, ["assertion", "resource", "scope"]);
}

/**
 * Has an identity provider vouch for its users at others.
 *
 * @param clients - what its clients are called there
 * @see https://www.rfc-editor.org/rfc/rfc8693
 */
export function vouch(
  provider: Provider,
  keys: { readonly sign: CryptoKey; readonly verify: CryptoKey },
  clients: Readonly<Record<string, string>>,
): void {
  const grant = async (context: KoaContextWithOIDC): Promise<void> => {
    const { params = {}, client } = context.oidc;
    const { requested_token_type: requested, audience, resource, scope, subject_token: subject } = params;
    const rules = { issuer: provider.issuer, audience: client?.clientId ?? "" };
    const { payload } = await jwtVerify(String(subject), keys.verify, rules).catch(() => {
      throw new errors.InvalidGrant("the subject token is not valid");
    });
    if (requested !== idJag) throw new errors.InvalidRequest("only grants for others are given out");
    const claims = { resource, scope, client_id: clients[client?.clientId ?? ""] };
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", typ: "oauth-id-jag+jwt" })
      .setIssuer(provider.issuer)
      .setSubject(String(payload.sub))
      .setAudience(String(audience))
      .setIssuedAt()
      .setExpirationTime("5 min")
      .setJti(crypto.randomUUID())
      .sign(keys.sign);
    context.body = { access_token: token, issued_token_type: idJag, token_type: "N_A", expires_in: 300 };
  };
  const parameters = ["requested_token_type", "audience", "resource", "scope", "subject_token", "subject_token_type"];
  provider.registerGrantType(tokenExchange, grant, parameters);
}
