import { isObject, type Revision } from "../../../generated/support.ts";
import { readParamHeaders, type ParamHeader } from "../../framing/param-headers.ts";
import { findMethod } from "../../protocol/method-rows.ts";
import type { MetadataSender, HttpService } from "../../transport/http-server/settings.ts";
import { isVisible } from "../list/list-page.ts";
import type { CoreServer } from "../create-server.ts";
import type { AnyTool } from "../any-definition.ts";
import { describeTool } from "./registry.ts";

/**
 * Tells which parameters of a call its tool wants to see in headers, too; each tool is looked through once. Of a tool that its sender may not
 * know of nothing is told.
 */
export function createParamHeaderReader(
  server: Pick<CoreServer, "tools">,
): NonNullable<HttpService["readParamHeaders"]> {
  const known = new WeakMap<AnyTool, readonly ParamHeader[]>();
  return (method, params, sender) => {
    const { revision } = sender;
    const row = findMethod(revision.clientRequests, method);
    const name = isObject(params) ? params.name : undefined;
    const tool = row?.handler === "callTool" && typeof name === "string" ? server.tools.get(name) : undefined;
    if (!tool || !isKnown(tool, sender)) return none;
    const mirrors = known.get(tool) ?? readParamHeaders(readInputSchema(describeTool(tool, revision)));
    known.set(tool, mirrors);
    return mirrors;
  };
}

/** Refuses schemas that want parameters in headers where that cannot be, at revisions that have such headers. */
export function checkParamHeaders(schema: unknown, { lifecycle }: Revision): void {
  if (lifecycle === "per-request") readParamHeaders(schema);
}

function isKnown(tool: AnyTool, { revision, identity, client }: MetadataSender): boolean {
  try {
    return isVisible(tool, { auth: identity, client, session: client, revision: revision.id });
  } catch {
    // Whoever answers the call asks again, and fails with its id.
    return false;
  }
}

const none: readonly ParamHeader[] = [];

function readInputSchema(shown: object): unknown {
  return "inputSchema" in shown ? shown.inputSchema : undefined;
}
