import {
  isObject,
  type Gate,
  type RequestRow,
  escapeKey,
  fail,
  under,
  type EmbeddedRow,
  type Issue,
} from "../../../generated/support.ts";
import { checkToolResults } from "../../protocol/methods/sampling-tool-results.ts";
import { CapabilityError, InvalidMessageError } from "../../jsonrpc/errors.ts";
import { isOpen, type Session } from "../../protocol/session/session.ts";
import { hasCapability, isDeclared, samplingGates } from "./capability-gates.ts";
import { checkFormContent } from "../../protocol/methods/elicitation-form.ts";

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

/**
 * Returns the problem of the response to an input request, if any. The response must be of the right kind, and a form must be filled in as requested.
 * Clients should ensure this, but not every client does.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 */
export function checkInputResponse(
  row: RequestRow | EmbeddedRow,
  params: unknown,
  response: unknown,
): Issue | undefined {
  return row.result(response) ?? checkFormResponse(row, params, response);
}

/** Returns the problem of a valid response to an input request: a form must be filled in as requested. */
export function checkFormResponse(
  { handler }: RequestRow | EmbeddedRow,
  params: unknown,
  response: unknown,
): Issue | undefined {
  if (handler !== "elicit" || !isObject(params) || !isObject(response)) return undefined;
  if (params.mode === "url" || response.action !== "accept") return undefined;
  const [problem] = checkFormContent(params.requestedSchema, isObject(response.content) ? response.content : {});
  if (!problem) return undefined;
  const path = ["content", ...(problem.path ?? [])].map(String);
  const issue = fail(`a value that matches the requested schema, but it ${problem.message}`);
  return path.reduceRight((inner, key) => under(escapeKey(key), inner), issue);
}
