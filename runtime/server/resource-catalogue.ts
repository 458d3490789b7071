import { createCatalogue, type Catalogue, type CatalogueRules } from "./catalogue.ts";
import type { ResourceSource } from "./source.ts";

/** The fixed resources of a server, and the news about all of its resources. */
export interface ResourceCatalogue extends Catalogue<ResourceSource> {
  /**
   * Tells every session that subscribed to this URI that what it gives when read has changed. With `under`, sessions that
   * subscribed to that one are told, too: a folder, say, of which the changed resource is a part.
   */
  changed(uri: string, options?: { readonly under?: string }): void;
}

/** Makes the catalogue. */
export function createResourceCatalogue(
  resources: readonly ResourceSource[],
  rules: CatalogueRules<ResourceSource>,
  tell: (uris: readonly [string, ...string[]]) => void,
): ResourceCatalogue {
  const catalogue = createCatalogue(resources, rules);
  return Object.assign(catalogue, {
    changed(uri: string, { under }: { readonly under?: string } = {}): void {
      tell(under === undefined ? [uri] : [uri, under]);
    },
  });
}
