/**
 * Returns the URLs at which the metadata of an authorization server may be, in the order to try. For an issuer with a path, the root of its host is
 * not among them, because it belongs to no issuer or another one.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-5
 */
export function toMetadataPlaces(issuer: URL): readonly URL[] {
  const path = issuer.pathname.replace(/\/$/, "");
  const places = [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
  ];
  return [...new Set(places)].map((place) => new URL(place, issuer.origin));
}
