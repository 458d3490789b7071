import { isObject } from "../../generated/support.ts";
import { refusalCodes } from "../jsonrpc/rejection-codes.ts";
import { RpcError } from "../jsonrpc/errors.ts";
import type { FixedList } from "./list/catalogue.ts";
import type { ServedFeature } from "./feature.ts";
import type { AnyRequester, Scoped, AnyTool } from "./any-definition.ts";

/**
 * Whether a sender has the scopes of what it asks for. Where nobody is asked who they are, such as on stdio, there are no scopes to have,
 * and none are needed.
 */
export function hasScopes({ scopes = [] }: Scoped, { auth }: Pick<AnyRequester, "auth">): boolean {
  return !auth || scopes.every((scope) => auth.scopes?.includes(scope));
}

/** Refuses a sender that lacks a scope, with an error 403 that names all it needs. */
export function requireScopes(asked: Scoped, requester: Pick<AnyRequester, "auth">): void {
  if (hasScopes(asked, requester)) return;
  const { scopes = [] } = asked;
  throw new RpcError(refusalCodes.forbidden, `This needs the scope ${scopes.join(" ")}`, { data: { scopes } });
}

/**
 * Tells which scopes a request needs before anything of its answer has been sent. Of what not everybody may know of it tells nothing: the
 * registries ask for those scopes once they have found that this client may.
 */
export function createScopeReader(
  tools: FixedList<AnyTool>,
  features: readonly ServedFeature[],
): (method: string, params: unknown) => readonly string[] {
  return (method, params) => {
    if (!isObject(params)) return [];
    const { name } = params;
    const tool = method === "tools/call" && typeof name === "string" ? tools.get(name) : undefined;
    const found = tool ?? findFirst(features, ({ findAsked }) => findAsked?.(method, params));
    return found?.visible ? [] : (found?.scopes ?? []);
  };
}

function findFirst<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
