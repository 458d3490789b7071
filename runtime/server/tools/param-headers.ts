import { isObject } from "../../../generated/support.ts";
import { readParamHeaders, type ParamHeader } from "../../framing/param-headers.ts";
import { findMethod } from "../../protocol/methods/method-rows.ts";
import type { MetadataSender, HttpService } from "../../transport/http-server/settings.ts";
import { isVisible } from "../list/list-page.ts";
import type { CoreServer } from "../server.ts";
import type { AnyTool } from "../any-definition.ts";
import { toInputSchema } from "./registry.ts";

/**
 * Creates a function to return the parameters of a call that its tool requires in headers as well. Each tool is examined once, and again when it is
 * replaced. The result is empty for a tool hidden from the sender.
 */
export function createParamHeaderReader(
  server: Pick<CoreServer, "tools">,
): NonNullable<HttpService["readParamHeaders"]> {
  const known = new WeakMap<AnyTool, { readonly version: number; readonly paramHeaders: readonly ParamHeader[] }>();
  return (method, params, sender) => {
    const { revision } = sender;
    const row = findMethod(revision.clientRequests, method);
    const name = isObject(params) ? params.name : undefined;
    const tool = row?.handler === "callTool" && typeof name === "string" ? server.tools.get(name) : undefined;
    if (!tool) return none;
    const version = server.tools.changedAt(tool);
    const found = known.get(tool);
    const paramHeaders =
      found?.version === version ? found.paramHeaders : readParamHeaders(toInputSchema(tool, revision));
    known.set(tool, { version, paramHeaders });
    return paramHeaders.length > 0 && isKnown(tool, sender) ? paramHeaders : none;
  };
}

function isKnown(tool: AnyTool, { revision, identity, client }: MetadataSender): boolean {
  try {
    return isVisible(tool, { auth: identity, client, session: client, revision: revision.id });
  } catch {
    // The handler of the call repeats this check, and fails with the id of the request.
    return false;
  }
}

const none: readonly ParamHeader[] = [];
