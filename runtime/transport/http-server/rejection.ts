import { BacklogError, type EngineError } from "../../stores/engine-error.ts";
import { errorCodes } from "../../jsonrpc/errors.ts";
import type { HttpRejectionReason } from "../../protocol/profile.ts";
import type { ErrorMessage, RequestId } from "../../jsonrpc/message.ts";
import type { HttpResponse, HeaderFields } from "./exchange/exchange.ts";

/** Rejection of a request before it reaches a handler. */
export interface RejectedRequest {
  readonly kind: "refused";
  readonly response: HttpResponse;
}

/** Details of a rejection in addition to its status and message. */
export interface RejectionDetails {
  /** JSON-RPC error code. Default -32600. */
  readonly code?: number;
  /** Id of the rejected request, if it could be read. */
  readonly id?: RequestId | undefined;
  readonly headers?: HeaderFields | undefined;
  /** Reason for profiles; not sent. */
  readonly reason?: HttpRejectionReason | undefined;
}

/** Creates a rejection with a JSON-RPC error as its body. */
export function rejectHttp(status: number, message: string, details: RejectionDetails = {}): RejectedRequest {
  const { code = errorCodes.invalidRequest, id, headers, reason } = details;
  const body: ErrorMessage = { jsonrpc: "2.0", ...(id !== undefined && { id }), error: { code, message } };
  const response = { status, headers: { ...json, ...headers }, body: JSON.stringify(body) };
  return { kind: "refused", response: reason === undefined ? response : { ...response, reason } };
}

/** Creates the rejection of a request whose session is unknown. */
export function unknownSession(): RejectedRequest {
  return rejectHttp(404, "Session not found; send initialize to start a new session", { reason: "unknown-session" });
}

/** Creates the rejection of a request to a closing server. Load balancers choose another one then. */
export function shuttingDown(): RejectedRequest {
  const headers = { "retry-after": "5", connection: "close" };
  return rejectHttp(503, "The server is shutting down", { code: errorCodes.internalError, headers });
}

/** Creates the rejection of a request while the store of the sessions cannot be reached, or has too much to store. */
export function storeUnavailable(error?: EngineError): RejectedRequest {
  const details = { code: errorCodes.internalError, headers: { "retry-after": "1" } };
  const problem =
    error instanceof BacklogError
      ? "Too many messages wait for the session store"
      : "The session store cannot be reached";
  return rejectHttp(503, `${problem}; retry later`, details);
}

/** Reason of the rejection of an event id. */
export const unknownEvent = "Unknown Last-Event-ID; open a stream without it";

const json: HeaderFields = { "content-type": "application/json" };
