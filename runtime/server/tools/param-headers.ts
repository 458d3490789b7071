import { isObject, type Revision } from "../../../generated/support.ts";
import { readMirrors, type Mirror } from "../../framing/param-headers.ts";
import { findMethod } from "../../protocol/method-rows.ts";
import type { ClaimSender, HttpService } from "../../transport/http-server/settings.ts";
import { isVisible } from "../list/list-page.ts";
import type { CoreServer } from "../create-server.ts";
import type { ToolSource } from "../any-definition.ts";
import { describeTool } from "./registry.ts";

/**
 * Tells which parameters of a call its tool wants to see in headers, too; each tool is looked through once. Of a tool that its sender may not
 * know of nothing is told.
 */
export function createMirrorReader(server: Pick<CoreServer, "tools">): NonNullable<HttpService["readMirrors"]> {
  const known = new WeakMap<ToolSource, readonly Mirror[]>();
  return (method, params, sender) => {
    const { revision } = sender;
    const row = findMethod(revision.clientRequests, method);
    const name = isObject(params) ? params.name : undefined;
    const tool = row?.handler === "callTool" && typeof name === "string" ? server.tools.get(name) : undefined;
    if (!tool || !isKnown(tool, sender)) return none;
    const mirrors = known.get(tool) ?? readMirrors(readInputSchema(describeTool(tool, revision)));
    known.set(tool, mirrors);
    return mirrors;
  };
}

/** Refuses schemas that want parameters in headers where that cannot be, at revisions that have such headers. */
export function checkMirrors(schema: unknown, { lifecycle }: Revision): void {
  if (lifecycle === "per-request") readMirrors(schema);
}

function isKnown(tool: ToolSource, { revision, identity, client }: ClaimSender): boolean {
  try {
    return isVisible(tool, { auth: identity, client, session: client, revision: revision.id });
  } catch {
    // Whoever answers the call asks again, and fails with its id.
    return false;
  }
}

const none: readonly Mirror[] = [];

function readInputSchema(shown: object): unknown {
  return "inputSchema" in shown ? shown.inputSchema : undefined;
}
