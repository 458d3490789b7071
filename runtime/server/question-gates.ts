import { isObject, type EmbeddedRow, type Gate, type RequestRow } from "../../generated/support.ts";
import { isOpen, type Session } from "../rpc/session.ts";

/**
 * The capability that a question needs and that the client has not declared, if there is one: also for the mode of an elicitation, and for
 * what a sampling request makes use of.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/patterns/mrtr#inputrequests
 */
export function findMissingGate(row: RequestRow | EmbeddedRow, params: unknown, session: Session): Gate | undefined {
  return gatesOf(row, isObject(params) ? params : {}).find((gate) => !isOpen(gate, session));
}

/** The narrowest first: it names all that is needed. */
function gatesOf({ handler, gate }: RequestRow | EmbeddedRow, params: Record<string, unknown>): readonly Gate[] {
  if (!gate) return [];
  const narrow = (member: string): Gate => ({ ...gate, path: [...gate.path, member] });
  switch (handler) {
    case "elicit":
      return [narrow(params.mode === "url" ? "url" : "form")];
    case "createMessage":
      return [
        ...(params.tools !== undefined || params.toolChoice !== undefined ? [narrow("tools")] : []),
        ...(params.includeContext !== undefined && params.includeContext !== "none" ? [narrow("context")] : []),
        gate,
      ];
    default:
      return [gate];
  }
}
