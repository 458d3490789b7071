import type { ServerCard } from "./card.ts";

/**
 * Catalog of the artifacts of a domain, with a Server Card for each server.
 *
 * @see https://github.com/Agent-Card/ai-catalog
 */
export interface Catalog {
  readonly specVersion: string;
  readonly entries: readonly CatalogEntry[];
}

/** Entry of a catalog for one Server Card: the address of the card, or the card itself. */
export type CatalogEntry =
  | { readonly identifier: string; readonly type: string; readonly url: string; readonly displayName?: string }
  | { readonly identifier: string; readonly type: string; readonly data: ServerCard; readonly displayName?: string };

/** Media type of a catalog. */
export const catalogType = "application/ai-catalog+json";

/** Path of the catalog of a domain. */
export const catalogPath = "/.well-known/ai-catalog.json";

/** Version of written catalogs. */
export const catalogVersion = "1.0";
