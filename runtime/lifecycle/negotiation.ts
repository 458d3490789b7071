import type { Revision } from "../../generated/support.ts";
import { isObject } from "../../generated/support.ts";
import { errorCodes, isRpcError } from "../jsonrpc/errors.ts";

/**
 * Returns the revisions with a handshake, in the given order: the first is preferred.
 *
 * @throws {Error} when there are none
 */
export function readHandshakeRevisions(revisions: readonly Revision[]): readonly [Revision, ...Revision[]] {
  const [first, ...rest] = revisions.filter(isHandshake);
  if (!first) throw new Error("The option revisions has no revision with initialize; add at least one");
  return [first, ...rest];
}

/** True if a session of this revision is opened with a handshake. */
export function isHandshake({ lifecycle }: Revision): boolean {
  return lifecycle === "handshake";
}

/**
 * Returns the server's choice: the requested revision, or else its preferred one as a counter-offer. Revisions are names, never compared by order.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
 */
export function chooseRevision(requested: unknown, revisions: readonly [Revision, ...Revision[]]): Revision {
  return findRevision(requested, revisions) ?? revisions[0];
}

/** Returns the revision with this name among the given ones. */
export function findRevision(id: unknown, revisions: readonly Revision[]): Revision | undefined {
  return revisions.find((revision) => revision.id === id);
}

/** Returns the revisions named by a server when it rejects a version with an error instead of a counter-offer. */
export function readSupported(error: unknown): readonly string[] | undefined {
  if (!isRpcError(error) || error.code !== errorCodes.invalidParams || !isObject(error.data)) return undefined;
  const { supported } = error.data;
  return Array.isArray(supported) ? supported.filter((id) => typeof id === "string") : undefined;
}
