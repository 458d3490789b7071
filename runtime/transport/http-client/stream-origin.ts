import { isObject } from "../../../generated/support.ts";
import type { RequestId } from "../../jsonrpc/message.ts";

/** Creates the origin of a message on the stream of requests without a response so far. */
export function toStreamOrigin(pendingIds: readonly RequestId[]): { readonly pendingIds: readonly RequestId[] } {
  return { pendingIds };
}

/** Returns the request whose stream a message arrived on. Several requests of a batch have one stream. */
export function readStreamOrigin(origin: unknown): RequestId | undefined {
  const ids = isObject(origin) && Array.isArray(origin.pendingIds) ? origin.pendingIds : [];
  const [id]: readonly unknown[] = ids;
  return ids.length === 1 && (typeof id === "string" || typeof id === "number") ? id : undefined;
}
