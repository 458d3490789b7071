import {
  escapeKey,
  fail,
  isObject,
  under,
  type EmbeddedRow,
  type RequestRow,
  type Table,
} from "../../../generated/support.ts";
import { findMethod } from "../../protocol/methods/method-rows.ts";
import { CapabilityError, InvalidMessageError, invalidParams } from "../../jsonrpc/errors.ts";
import type { Session } from "../../protocol/session/session.ts";
import { toWrittenRow } from "../../protocol/session/written-row.ts";
import { checkConversation, checkInputResponse } from "./check-input.ts";
import type { InputRequiredFields } from "./input-required.ts";
import { findMissingGate } from "./capability-gates.ts";
import type { Returned, ClientInput } from "./request-state-record.ts";

/**
 * Returns the part of returned input requests needed in the next round.
 *
 * @throws {InvalidMessageError} when an input request does not fit the revision
 * @throws {CapabilityError} when an input request needs a capability the client did not declare
 */
export function toReturned({ inputRequests = {}, requestState }: InputRequiredFields, session: Session): Returned {
  const requests = Object.entries(inputRequests).map(([key, { method, params = {} }]) => {
    const row = toWrittenRow(findInputRequest(session.revision.embeddedRequests, method), session);
    const issue = row.params(params);
    if (issue) throw new InvalidMessageError(method, "params", issue);
    const gate = findMissingGate(row, params, session);
    if (gate) throw new CapabilityError(method, gate, session);
    checkConversation(method, row.handler, params);
    return { key, method, ...(row.handler === "elicit" && { params: toChecked(params) }) };
  });
  return { requests, ...(requestState !== undefined && { requestState }) };
}

/**
 * Returns the responses to a handler's returned input requests. Responses may be missing: handlers have to expect this.
 *
 * @throws {RpcError} when a response does not fit its input request
 */
export function readReturned(
  { requests, requestState }: Returned,
  responses: Readonly<Record<string, unknown>>,
  session: Pick<Session, "revision" | "converter">,
): ClientInput {
  const given = requests.filter(({ key }) => Object.hasOwn(responses, key));
  for (const { key, method, params } of given) {
    const row = toWrittenRow(findInputRequest(session.revision.embeddedRequests, method), session);
    const issue = checkInputResponse(row, params, responses[key]);
    if (issue) throw invalidParams(under("inputResponses", under(escapeKey(key), issue)));
  }
  const inputResponses = Object.fromEntries(given.map(({ key }) => [key, responses[key]]));
  return { inputResponses, ...(requestState !== undefined && { requestState }) };
}

/**
 * Returns the row of an input request.
 *
 * @throws {InvalidMessageError} when the revision has no input request with this method
 */
export function findInputRequest<Row extends RequestRow | EmbeddedRow>(table: Table<Row>, method: string): Row {
  const row = findMethod(table, method);
  const kinds = Object.keys(table).join(", ") || "nothing";
  if (!row) throw new InvalidMessageError(method, "params", fail(`one of ${kinds}`, "method"));
  return row;
}

/** Returns the params against which the response is checked. */
function toChecked(params: object): object {
  return isObject(params) ? { mode: params.mode, requestedSchema: params.requestedSchema } : {};
}
