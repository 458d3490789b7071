import { errorCodes, isRpcError, toError, toErrorObject, type RpcError } from "./errors.ts";
import { isBatch, toResultText, type ErrorObject, type Message, type Outgoing } from "./message.ts";
import type { Channel } from "./channel.ts";
import type { ErrorReport } from "./error-report.ts";

/** Receives the errors of responses that cannot be sent. */
export interface ReplyHost {
  report(report: ErrorReport): void;
}

/** Sends responses. An error replaces a response without a JSON form, or too long for the transport. */
export function transmit(outgoing: Outgoing, channel: Pick<Channel, "send">, host: ReplyHost): void {
  try {
    post(outgoing, channel, host);
  } catch (thrown) {
    host.report({ kind: "result", error: toError(thrown) });
    post(isRpcError(thrown) ? toErrors(outgoing, thrown) : toEncodable(outgoing), channel, host);
  }
}

function post(outgoing: Outgoing, channel: Pick<Channel, "send">, host: ReplyHost): void {
  channel.send(outgoing)?.catch((error: unknown) => host.report({ kind: "transport", error: toError(error) }));
}

/** Replaces each response by an error for the same request. */
function toErrors(outgoing: Outgoing, cause: RpcError): Outgoing {
  const error = toErrorObject(cause);
  if (isBatch(outgoing)) return outgoing.map((message) => toErrorMessage(message, error));
  return toErrorMessage(outgoing, error);
}

function toErrorMessage(message: Message, error: ErrorObject): Message {
  const id = "id" in message ? message.id : undefined;
  return id === undefined ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id, error };
}

/** Replaces messages without a JSON form by errors. */
export function toEncodable(outgoing: Outgoing): Outgoing {
  return isBatch(outgoing) ? outgoing.map(toEncodableMessage) : toEncodableMessage(outgoing);
}

/** Returns the message itself, or an error in its place when it cannot be written as JSON (cycles, big integers). */
function toEncodableMessage(message: Message): Message {
  try {
    if ("result" in message) toResultText(message.result);
    else JSON.stringify(message);
    return message;
  } catch {
    return toErrorMessage(message, { code: errorCodes.internalError, message: "Internal error" });
  }
}
