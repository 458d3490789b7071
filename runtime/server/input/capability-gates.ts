import { isObject, type EmbeddedRow, type Gate, type RequestRow, type Revision } from "../../../generated/support.ts";
import { CapabilityError } from "../../jsonrpc/errors.ts";
import { isOpen, type Session } from "../../protocol/session/session.ts";

/**
 * Returns the first capability an input request needs and the client has not declared, if any. This includes the capabilities for the mode of an
 * elicitation and for the members of a sampling request.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#inputrequests
 */
export function findMissingGate(row: RequestRow | EmbeddedRow, params: unknown, session: Session): Gate | undefined {
  return gatesOf(row, isObject(params) ? params : {}, session).find((gate) => !isDeclared(gate, session));
}

/**
 * Returns the result of a tool whose client has not declared a needed capability. The model can read it.
 *
 * @throws {CapabilityError} for a stateless request: the client may declare more capabilities and send it again
 */
export function toMissingCapabilityResult(error: CapabilityError, { lifecycle }: Revision): object {
  if (lifecycle === "per-request") throw error;
  const capability = error.gate.path.join(".");
  const text = error.isStateless
    ? `The tool requires the client capability ${capability}, which is declared in a session; this server runs without sessions`
    : `The tool requires the client capability ${capability}`;
  return { content: [{ type: "text", text }], isError: true };
}

/** True if a capability was declared at a revision with that capability. At other revisions the declaration has no meaning. */
export function isDeclared(gate: Gate, session: Session): boolean {
  return hasCapability(gate, session.revision) && isOpen(gate, session);
}

/** True if a revision has the capability of a gate. */
export function hasCapability({ side, path }: Gate, { capabilities }: Revision): boolean {
  return capabilities[side].includes(path.join("."));
}

/**
 * Returns the capabilities a sampling request needs in addition to `sampling`. Revisions without `sampling.context` permit a server to request
 * context freely. Tools and their capability were introduced together, so no client can have declared it at a revision without tools.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#capabilities
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

/** Returns the capabilities an input request needs. The narrowest one is first, because its path includes the others. */
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

/** Input requests by their handlers, and the capabilities with which a client declares them. */
export const inputRequestKinds = {
  createMessage: { method: "sampling/createMessage", capability: "sampling" },
  elicit: { method: "elicitation/create", capability: "elicitation" },
  listRoots: { method: "roots/list", capability: "roots" },
} as const;

/** Method of an input request, with its capability. */
export type InputRequestKind = (typeof inputRequestKinds)[keyof typeof inputRequestKinds];

/** Creates the error of an input request missing at the revision: no client can have declared its capability. */
export function missingAtRevision({ method, capability }: InputRequestKind): CapabilityError {
  return new CapabilityError(method, { side: "client", path: [capability] });
}
