import type { RequestId } from "../../runtime/jsonrpc/message.ts";
import { statelessRevision } from "./revisions.ts";

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
export function requestMetadata(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const complete = {
    [meta.version]: statelessRevision.id,
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
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta: requestMetadata(changes) } };
}

/** `initialize` for a revision, as a client would send it. */
export function initialize(protocolVersion: string, capabilities: object = {}, id: RequestId = 0): object {
  const params = { protocolVersion, capabilities, clientInfo: { name: "test", version: "1" } };
  return { jsonrpc: "2.0", id, method: "initialize", params };
}

export const initialized: object = { jsonrpc: "2.0", method: "notifications/initialized" };

/** The members of a result with one block of text. */
export const text = (value: string): object => ({ content: [{ type: "text", text: value }] });
