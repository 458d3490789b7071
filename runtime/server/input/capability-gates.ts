import { isObject, type EmbeddedRow, type Gate, type RequestRow, type Revision } from "../../../generated/support.ts";
import { isOpen, type Session } from "../../protocol/session.ts";

/**
 * The capability that a question needs and that the client has not declared, if there is one: also for the mode of an elicitation, and for
 * what a sampling request makes use of.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/patterns/mrtr#inputrequests
 */
export function findMissingGate(row: RequestRow | EmbeddedRow, params: unknown, session: Session): Gate | undefined {
  return gatesOf(row, isObject(params) ? params : {}, session).find((gate) => !isDeclared(gate, session));
}

/** True if a capability was declared, at a revision that has it: at others the declaration means nothing. */
export function isDeclared(gate: Gate, session: Session): boolean {
  return hasCapability(gate, session.revision) && isOpen(gate, session);
}

/** True if a revision has the capability of a gate. */
export function hasCapability({ side, path }: Gate, { capabilities }: Revision): boolean {
  return capabilities[side].includes(path.join("."));
}

/**
 * What a sampling request needs besides the capability itself. Revisions without `sampling.context` let a server ask for context freely;
 * tools came together with their capability, so where a revision has none nobody can have declared it.
 *
 * @see https://modelcontextprotocol.io/specification/latest/client/sampling#capabilities
 */
export function samplingGates(params: object, { capabilities }: Revision): readonly Gate[] {
  const { tools, toolChoice, includeContext = "none" }: SamplingParams = params;
  const wantsContext = includeContext !== "none" && capabilities.client.includes("sampling.context");
  return [
    ...(tools !== undefined || toolChoice !== undefined ? [toSamplingGate("tools")] : []),
    ...(wantsContext ? [toSamplingGate("context")] : []),
  ];
}

interface SamplingParams {
  readonly tools?: unknown;
  readonly toolChoice?: unknown;
  readonly includeContext?: unknown;
}

function toSamplingGate(member: string): Gate {
  return { side: "client", path: ["sampling", member] };
}

/** The narrowest first: it names all that is needed. */
function gatesOf(
  { handler, gate }: RequestRow | EmbeddedRow,
  params: Record<string, unknown>,
  { revision }: Session,
): readonly Gate[] {
  if (!gate) return [];
  switch (handler) {
    case "elicit":
      return [{ ...gate, path: [...gate.path, params.mode === "url" ? "url" : "form"] }];
    case "createMessage":
      return [...samplingGates(params, revision), gate];
    default:
      return [gate];
  }
}
