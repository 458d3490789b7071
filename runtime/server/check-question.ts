import { isObject, type Gate, type RequestRow } from "../../generated/support.ts";
import { CapabilityError } from "../rpc/errors.ts";
import { isOpen, type Session } from "../rpc/session.ts";

/**
 * Refuses a question whose params need more than the capability of its method: a client that cannot do it must not be asked for it.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#capabilities
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#capabilities
 */
export function checkQuestion({ method, handler }: RequestRow, params: object, session: Session): void {
  const gate = findGate(handler, params, session);
  if (gate && !isOpen(gate, session)) throw new CapabilityError(method, gate);
}

function findGate(handler: string, params: object, session: Session): Gate | undefined {
  switch (handler) {
    case "createMessage":
      return "tools" in params || "toolChoice" in params ? toGate("sampling", "tools") : undefined;
    case "elicit":
      if ("mode" in params && params.mode === "url") return toGate("elicitation", "url");
      return onlyShowsPages(session) ? toGate("elicitation", "form") : undefined;
    default:
      return undefined;
  }
}

/** Forms are what the capability means by itself; a client that only shows pages says so. */
function onlyShowsPages({ peer }: Session): boolean {
  const { elicitation } = peer.capabilities;
  return isObject(elicitation) && isObject(elicitation.url) && elicitation.form === undefined;
}

function toGate(...path: readonly string[]): Gate {
  return { side: "client", path };
}
