/** Server Cards: creating one for a server, and checking those of others. */
export { createServerCard } from "./create-card.ts";
export type { DescribedServer, PublishedCard, ServerCardOptions } from "./create-card.ts";

export { parseCatalog, parseServerCard } from "./read-card.ts";

export { ServerCardError, isServerCardError } from "./errors.ts";
export type { ServerCardProblem } from "./errors.ts";

export type { CardHeader, CardIcon, CardInput, CardRemote, CardRepository, ServerCard } from "./card.ts";
export type { Catalog, CatalogEntry } from "./catalog.ts";
