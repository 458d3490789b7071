/**
 * Where the metadata of an authorization server may be, in the order in which to look. The root of a host with several issuers is none of
 * them.
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
