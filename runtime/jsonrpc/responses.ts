import { errorCodes, isRpcError, toError, toErrorObject, type RpcError } from "./errors.ts";
import { isBatch, toResultText, type ErrorObject, type Message, type Outgoing } from "./message.ts";
import type { ErrorReport } from "./error-report.ts";

/** Where replies leave. */
export interface ReplyHost {
  send(message: Outgoing): void | Promise<void>;
  report(report: ErrorReport): void;
}

/** Sends replies, or an error in the place of what cannot be written as JSON or is too long for the transport. */
export function transmit(outgoing: Outgoing, host: ReplyHost): void {
  try {
    post(outgoing, host);
  } catch (thrown) {
    host.report({ kind: "result", error: toError(thrown) });
    post(isRpcError(thrown) ? toErrors(outgoing, thrown) : toEncodable(outgoing), host);
  }
}

function post(outgoing: Outgoing, host: ReplyHost): void {
  host.send(outgoing)?.catch((error: unknown) => host.report({ kind: "transport", error: toError(error) }));
}

/** An error for every request that these are the replies to. */
function toErrors(outgoing: Outgoing, cause: RpcError): Outgoing {
  const error = toErrorObject(cause);
  if (isBatch(outgoing)) return outgoing.map((message) => toErrorMessage(message, error));
  return toErrorMessage(outgoing, error);
}

function toErrorMessage(message: Message, error: ErrorObject): Message {
  const id = "id" in message ? message.id : undefined;
  return id === undefined ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id, error };
}

/** What leaves, with errors in place of what cannot be written as JSON. */
export function toEncodable(outgoing: Outgoing): Outgoing {
  return isBatch(outgoing) ? outgoing.map(toEncodableMessage) : toEncodableMessage(outgoing);
}

/** The message itself, or an error in its place when it cannot be written as JSON (cycles, big integers). */
function toEncodableMessage(message: Message): Message {
  try {
    if ("result" in message) toResultText(message.result);
    else JSON.stringify(message);
    return message;
  } catch {
    return toErrorMessage(message, { code: errorCodes.internalError, message: "Internal error" });
  }
}
