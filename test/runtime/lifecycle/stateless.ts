import { revisions } from "../../../generated/revisions.ts";
import type { Revision } from "../../../generated/support.ts";
import { readMetaKeys } from "../../../runtime/protocol/session/request-metadata.ts";
import type { RequestId } from "../../../runtime/jsonrpc/message.ts";

/** The newest revision whose requests stand alone. */
export const alone: Revision = first();

/** Names of the reserved metadata, spelled out: the tests do not derive what they test. */
export const meta = {
  version: "io.modelcontextprotocol/protocolVersion",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscription: "io.modelcontextprotocol/subscriptionId",
} as const;

/** Complete metadata of a request; members that are `undefined` are left out. */
export function claim(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const complete = {
    [meta.version]: alone.id,
    [meta.capabilities]: {},
    [meta.clientInfo]: { name: "test", version: "1" },
    ...changes,
  };
  return Object.fromEntries(Object.entries(complete).filter(([, value]) => value !== undefined));
}

/** A request that stands alone. */
export function request(
  id: RequestId,
  method: string,
  params: object = {},
  changes: Readonly<Record<string, unknown>> = {},
): { readonly jsonrpc: "2.0"; readonly id: RequestId; readonly method: string; readonly params: object } {
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta: claim(changes) } };
}

function first(): Revision {
  const found = revisions.find(({ lifecycle }) => lifecycle === "per-request");
  if (!found || readMetaKeys(found).version !== "io.modelcontextprotocol/protocolVersion") {
    throw new Error("no revision whose requests stand alone");
  }
  return found;
}
