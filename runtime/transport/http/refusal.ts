import { errorCodes } from "../../rpc/errors.ts";
import type { ErrorMessage, RequestId } from "../../rpc/message.ts";
import type { Answer, HeaderFields } from "./exchange.ts";

/** A request that is turned away before any handler sees it. */
export interface Refusal {
  readonly kind: "refused";
  readonly answer: Answer;
}

/** What a refusal says besides its status and its sentence. */
export interface RefusalDetails {
  /** JSON-RPC code. Default -32600. */
  readonly code?: number;
  /** Of the request that is refused, when it could be read. */
  readonly id?: RequestId | undefined;
  readonly headers?: HeaderFields | undefined;
}

/** A refusal with a JSON-RPC error as its body. */
export function refuse(status: number, message: string, details: RefusalDetails = {}): Refusal {
  const { code = errorCodes.invalidRequest, id, headers } = details;
  const body: ErrorMessage = { jsonrpc: "2.0", ...(id !== undefined && { id }), error: { code, message } };
  return { kind: "refused", answer: { status, headers: { ...json, ...headers }, body: JSON.stringify(body) } };
}

const json: HeaderFields = { "content-type": "application/json" };
