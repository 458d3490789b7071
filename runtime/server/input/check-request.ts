import { isObject, type Gate, type RequestRow } from "../../../generated/support.ts";
import { checkToolResults } from "../../protocol/methods/sampling-tool-results.ts";
import { CapabilityError, InvalidMessageError } from "../../jsonrpc/errors.ts";
import { isOpen, type Session } from "../../protocol/session/session.ts";
import { hasCapability, isDeclared, samplingGates } from "./capability-gates.ts";

/**
 * Rejects an input request whose params need more than the client supports: a server must not send it to such a client.
 *
 * @throws {CapabilityError} when the client did not declare a capability needed by the params
 * @throws {InvalidMessageError} when tool uses and their results do not match
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#capabilities
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#capabilities
 */
export function checkInputRequest({ method, handler, gate }: RequestRow, params: object, session: Session): void {
  const missing = findGates(handler, params, session).find((needed) => !isDeclared(needed, session));
  if (missing) throw new CapabilityError(method, missing, session);
  if (gate && !isOpen(gate, session)) throw new CapabilityError(method, gate, session);
  checkConversation(method, handler, params);
}

/**
 * Rejects a sampling request with a conversation in which tool uses and their results do not match.
 *
 * @throws {InvalidMessageError} when they do not match
 */
export function checkConversation(method: string, handler: string, params: unknown): void {
  const issue = handler === "createMessage" && isObject(params) ? checkToolResults(params) : undefined;
  if (issue) throw new InvalidMessageError(method, "params", issue);
}

function findGates(handler: string, params: object, session: Session): readonly Gate[] {
  switch (handler) {
    case "createMessage":
      return samplingGates(params, session.revision);
    case "elicit":
      if ("mode" in params && params.mode === "url") return [toGate("elicitation", "url")];
      return onlyShowsPages(session) ? [toGate("elicitation", "form")] : [];
    default:
      return [];
  }
}

/** True if a client supports URL mode only. The bare capability means forms; where there are modes, such a client declares only `url`. */
function onlyShowsPages({ peer, revision }: Session): boolean {
  const { elicitation } = peer.capabilities;
  if (!hasCapability(toGate("elicitation", "url"), revision)) return false;
  return isObject(elicitation) && isObject(elicitation.url) && elicitation.form === undefined;
}

function toGate(...path: readonly string[]): Gate {
  return { side: "client", path };
}
