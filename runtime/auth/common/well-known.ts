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

/**
 * Returns the URLs at which the metadata of a resource may be, in the order to try: for its path, then for its host.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-3.1
 */
export function toResourceMetadataPlaces({
  origin,
  pathname,
  search,
}: Pick<URL, "origin" | "pathname" | "search">): readonly URL[] {
  const places = [`${resourceMetadataPath}${pathname.replace(/\/$/, "")}${search}`, resourceMetadataPath];
  return [...new Set(places)].map((place) => new URL(place, origin));
}

/** Path of the metadata of a host as a resource. */
export const resourceMetadataPath = "/.well-known/oauth-protected-resource";
