import type { ListHandler } from "../methods/served-handlers.ts";
import type { Listing } from "./list-page.ts";

/** Creates the handler of requests for the pages of a list. */
export function toListHandler(list: Listing): ListHandler {
  return (params, call) => list.page(params?.cursor, call);
}
