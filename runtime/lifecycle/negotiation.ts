import type { Revision } from "../../generated/support.ts";
import { isObject } from "../../generated/support.ts";
import { errorCodes, isRpcError } from "../jsonrpc/errors.ts";

/** The revisions that open a session by a handshake, in the given order: the first is preferred. */
export function readHandshakeRevisions(revisions: readonly Revision[]): readonly [Revision, ...Revision[]] {
  const [first, ...rest] = revisions.filter(isHandshake);
  if (!first) throw new Error("No revision with a handshake was given. Pass at least one in `revisions`.");
  return [first, ...rest];
}

/** Whether a session of this revision is opened by a handshake. */
export function isHandshake({ lifecycle }: Revision): boolean {
  return lifecycle === "handshake";
}

/**
 * The server's choice: what the client asks for, or else a counter-offer, the server's preferred one. Revisions are names, never compared by order.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
 */
export function chooseRevision(requested: unknown, revisions: readonly [Revision, ...Revision[]]): Revision {
  return findRevision(requested, revisions) ?? revisions[0];
}

/** The revision with this name among those that are spoken. */
export function findRevision(id: unknown, revisions: readonly Revision[]): Revision | undefined {
  return revisions.find((revision) => revision.id === id);
}

/** The names that a server lists when it refuses a version by an error instead of a counter-offer. */
export function readSupported(error: unknown): readonly string[] | undefined {
  if (!isRpcError(error) || error.code !== errorCodes.invalidParams || !isObject(error.data)) return undefined;
  const { supported } = error.data;
  return Array.isArray(supported) ? supported.filter((id) => typeof id === "string") : undefined;
}
