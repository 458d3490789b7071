import { isObject, type Gate, type Revision } from "../../../generated/support.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import { missingCapability } from "../../protocol/peer/stateless-request.ts";
import { isPeerError } from "../../jsonrpc/errors.ts";
import { isOpen } from "../../protocol/session/session.ts";
import type { SuspendedCall } from "./suspended-call.ts";

/** Call whose client has no session, at a server with sessions. */
export interface VisitedCall {
  readonly suspended: SuspendedCall;
  /** Revision of the server. */
  readonly server: Revision;
}

/**
 * Sends a call. A server may reject it until the user has visited some pages. For clients which do not know this rejection, the pages are input
 * requests inside of a result. When such a client returns, the call is sent again on the same connection, because the server may identify the user by
 * it.
 *
 * @throws {RpcError} when such a client has not declared URL elicitation
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
 */
export async function untilVisited(request: () => Promise<unknown>, call: VisitedCall): Promise<unknown> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      const pages = readPages(error, call.server);
      if (!pages || !(await visit(pages, call))) throw error;
    }
  }
}

/** Returns the pages to be visited, if they are the reason why a server rejected the call. */
function readPages(error: unknown, { errors }: Revision): readonly object[] | undefined {
  const rule = errors.urlElicitationRequired;
  if (!isPeerError(error) || !rule?.emitted || error.code !== rule.code || !isObject(error.data)) return undefined;
  const { elicitations } = error.data;
  const isList = Array.isArray(elicitations) && elicitations.length > 0 && elicitations.every(isObject);
  return isList ? elicitations : undefined;
}

/** True if the user has agreed to visit all pages. */
async function visit(pages: readonly object[], { suspended }: VisitedCall): Promise<boolean> {
  const { revision, session } = suspended.call;
  const elicit = findRow(revision.embeddedRequests, "elicit");
  if (!elicit?.gate || !suspended.mayAsk) return false;
  const gate: Gate = { ...elicit.gate, path: [...elicit.gate.path, "url"] };
  if (!isOpen(gate, session)) throw missingCapability(revision, gate);
  const responses = pages.map((page) => suspended.ask(elicit.method, { ...page, mode: "url" }, suspended.signal));
  return (await Promise.all(responses)).every((response) => isObject(response) && response.action === "accept");
}
