import { isObject, type Gate, type RequestRow, type Revision } from "../../generated/support.ts";
import { findRow } from "../protocol/method-rows.ts";
import { missingCapability } from "../protocol/stateless-request.ts";
import { isPeerError } from "../jsonrpc/errors.ts";
import { isOpen } from "../protocol/session.ts";
import type { SuspendedCall } from "./suspended-call.ts";

/** A call whose client has no session, at a server that has them. */
export interface VisitedCall {
  readonly row: RequestRow;
  readonly suspended: SuspendedCall;
  /** The revision of the server. */
  readonly server: Revision;
}

/**
 * Makes a call of a server that may refuse it until its user has been to some pages. Where nobody knows that refusal, the pages are questions
 * inside of a result, and a client that comes back makes the call anew: at the same connection, for the server may know the user by that.
 *
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

/** The pages that a server wants to be visited before it answers, if that is why it refuses. */
function readPages(error: unknown, { errors }: Revision): readonly object[] | undefined {
  const rule = errors.urlElicitationRequired;
  if (!isPeerError(error) || !rule?.emitted || error.code !== rule.code || !isObject(error.data)) return undefined;
  const { elicitations } = error.data;
  const isList = Array.isArray(elicitations) && elicitations.length > 0 && elicitations.every(isObject);
  return isList ? elicitations : undefined;
}

/** Whether the user has agreed to visit all of them. */
async function visit(pages: readonly object[], { row, suspended }: VisitedCall): Promise<boolean> {
  const { revision, session } = suspended.call;
  const elicit = findRow(revision.embeddedRequests, "elicit");
  if (!elicit?.gate || !mayAsk(row)) return false;
  const gate: Gate = { ...elicit.gate, path: [...elicit.gate.path, "url"] };
  if (!isOpen(gate, session)) throw missingCapability(revision, gate);
  const answers = pages.map((page) => suspended.ask(elicit.method, { ...page, mode: "url" }, suspended.signal));
  return (await Promise.all(answers)).every((answer) => isObject(answer) && answer.action === "accept");
}

/** Whether results of a method may ask for input. */
function mayAsk(row: RequestRow): boolean {
  return row.result({ resultType: "input_required", requestState: "" }) === undefined;
}
