import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import type { StaticResult } from "../../jsonrpc/message.ts";
import type { Listing } from "./list-page.ts";

/** Handles requests for the pages of a list. */
export type ListHandler = (
  params: { readonly cursor?: string } | undefined,
  call: CallContext,
) => StaticResult | Promise<object>;

/** Creates the handler of requests for the pages of a list. */
export function toListHandler(list: Listing): ListHandler {
  return (params, call) => list.page(params?.cursor, call);
}
