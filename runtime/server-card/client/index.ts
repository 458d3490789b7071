/** Server Cards for clients: reading those of other servers, and comparing them with the server itself. It needs Node.js. */
export { findCardDifferences } from "../differences.ts";
export type { CardDifference, ReachedServer } from "../differences.ts";

export { createServerCardReader } from "./card-reader.ts";
export type { ServerCardReader, ServerCardReaderOptions } from "./card-reader.ts";
