import { errorCodes } from "../../jsonrpc/errors.ts";
import type { HttpRefusalReason } from "../../protocol/profile.ts";
import type { ErrorMessage, RequestId } from "../../jsonrpc/message.ts";
import type { Answer, HeaderFields } from "./exchange/exchange.ts";

/** A request that is turned away before any handler sees it. */
export interface Rejection {
  readonly kind: "refused";
  readonly answer: Answer;
}

/** What a refusal says besides its status and its sentence. */
export interface RejectionDetails {
  /** JSON-RPC code. Default -32600. */
  readonly code?: number;
  /** Of the request that is refused, when it could be read. */
  readonly id?: RequestId | undefined;
  readonly headers?: HeaderFields | undefined;
  /** For profiles; not sent. */
  readonly reason?: HttpRefusalReason | undefined;
}

/** A refusal with a JSON-RPC error as its body. */
export function refuse(status: number, message: string, details: RejectionDetails = {}): Rejection {
  const { code = errorCodes.invalidRequest, id, headers, reason } = details;
  const body: ErrorMessage = { jsonrpc: "2.0", ...(id !== undefined && { id }), error: { code, message } };
  const answer = { status, headers: { ...json, ...headers }, body: JSON.stringify(body) };
  return { kind: "refused", answer: reason === undefined ? answer : { ...answer, reason } };
}

const json: HeaderFields = { "content-type": "application/json" };
