import { errorCodes } from "./errors.ts";
import type { Message } from "./message.ts";

/** The message itself, or an error in its place when it cannot be written as JSON (cycles, big integers). */
export function toEncodable(message: Message): Message {
  try {
    JSON.stringify(message);
    return message;
  } catch {
    const error = { code: errorCodes.internalError, message: "Internal error" };
    const id = "id" in message ? message.id : undefined;
    return id === undefined ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id, error };
  }
}
