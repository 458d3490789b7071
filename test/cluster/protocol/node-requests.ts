import {
  initialize,
  openStream,
  send,
  type HttpResponse,
  type SendOptions,
  type Stream,
} from "../../kit/http-exchange.ts";
import { initialized } from "../../kit/messages.ts";

/** Requests to the nodes of a cluster, which are counted from 0. */
export interface NodeRequests {
  send(node: number, options: SendOptions): Promise<HttpResponse>;
  stream(node: number, options: SendOptions): Promise<Stream>;
  urlOf(node: number): string;
}

/** Creates functions that send requests to the listeners of nodes. */
export function createNodeRequests(listeners: readonly { readonly url: string }[]): NodeRequests {
  const urlOf = (node: number): string => listeners[node]?.url ?? "";
  return {
    urlOf,
    send: (node, sent) => send(urlOf(node), undefined, sent),
    stream: (node, sent) => openStream(urlOf(node), sent),
  };
}

/** Handshake of a session. */
export interface OpenOptions {
  readonly revision?: string;
  readonly capabilities?: object;
  readonly headers?: Record<string, string>;
}

/** Opens a session at one node, and confirms it at another. Returns its headers. */
export async function openSession(
  requests: NodeRequests,
  [first, second]: readonly [number, number],
  { revision = "2025-11-25", capabilities = {}, headers: given }: OpenOptions,
): Promise<Record<string, string>> {
  const opened = await requests.send(first, { body: initialize(revision, capabilities), headers: { ...given } });
  const id = String(opened.headers["mcp-session-id"]);
  const headers = { ...given, "mcp-session-id": id, "mcp-protocol-version": revision };
  await requests.send(second, { body: initialized, headers });
  return headers;
}
