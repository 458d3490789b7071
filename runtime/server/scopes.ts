import { rejectionCodes } from "../jsonrpc/rejection-codes.ts";
import { RpcError, SetupError } from "../jsonrpc/errors.ts";
import type { Scoped } from "./any-definition.ts";
import type { AnyRequester } from "./protocol-types.ts";

/**
 * True if a requester has the scopes a definition needs. Where the transport does not authenticate, such as on stdio, there are no scopes, and none are
 * needed.
 */
export function hasScopes({ scopes }: Scoped, requester: Pick<AnyRequester, "auth">): boolean {
  if (!scopes) return true;
  const { auth } = requester;
  return !auth || scopes.every((scope) => auth.scopes?.includes(scope));
}

/**
 * Rejects a requester without one of the scopes of a definition.
 *
 * @throws {RpcError} with code 403 when a scope is missing; the error names all needed scopes
 */
export function requireScopes(asked: Scoped, requester: Pick<AnyRequester, "auth">): void {
  if (hasScopes(asked, requester)) return;
  const { scopes = [] } = asked;
  throw new RpcError(rejectionCodes.forbidden, `Insufficient scope; required: ${scopes.join(" ")}`, {
    data: { scopes },
  });
}

/**
 * Checks names of scopes for use in challenges. `offline_access` is not allowed: access without the user is a matter between the client and the
 * authorization server.
 *
 * @throws {SetupError} when a scope is not valid.
 */
export function checkScopeNames(option: string, scopes: readonly string[]): void {
  const bad = scopes.find((scope) => !/^[!#-[\]-~]+$/.test(scope));
  if (bad !== undefined)
    throw new SetupError(`${option}: ${JSON.stringify(bad)} is not a scope; remove blanks, quotes and \\`);
  if (scopes.includes("offline_access")) {
    throw new SetupError(`${option}: offline_access is not a scope of a resource; remove it`);
  }
}
