import { isObject, type Gate, type RequestRow } from "../../../generated/support.ts";
import { checkToolResults } from "../../protocol/tool-results.ts";
import { CapabilityError, InvalidMessageError } from "../../jsonrpc/errors.ts";
import type { Session } from "../../protocol/session.ts";
import { hasCapability, isDeclared, samplingGates } from "./capability-gates.ts";

/**
 * Refuses a question whose params need more than the capability of its method: a client that cannot do it must not be asked for it.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#capabilities
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#capabilities
 */
export function checkQuestion({ method, handler }: RequestRow, params: object, session: Session): void {
  const gate = findGates(handler, params, session).find((needed) => !isDeclared(needed, session));
  if (gate) throw new CapabilityError(method, gate);
  checkConversation(method, handler, params);
}

/** Refuses to have a conversation gone on with in which tool uses and their results do not match. */
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

/** Forms are what the capability means by itself; a client that only shows pages says so, where there are modes. */
function onlyShowsPages({ peer, revision }: Session): boolean {
  const { elicitation } = peer.capabilities;
  if (!hasCapability(toGate("elicitation", "url"), revision)) return false;
  return isObject(elicitation) && isObject(elicitation.url) && elicitation.form === undefined;
}

function toGate(...path: readonly string[]): Gate {
  return { side: "client", path };
}
