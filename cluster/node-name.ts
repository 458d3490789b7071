import { isObject, type Awaitable } from "../generated/support.ts";
import type { Incoming } from "../runtime/jsonrpc/message.ts";
import type { SharedSessionStore } from "./stores/shared-session-store.ts";
import type { HttpSession } from "../runtime/transport/http-server/session/session.ts";
import { toStoredId } from "./session-accesses.ts";

/** Returns a new name for a node: 13 characters of base 36, from 64 random bits. */
export function createNodeName(): string {
  const [high = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  return high.toString(36).padStart(13, "0");
}

/** Returns the node in the id of a server request, or in a progress token; `undefined` for ids of other origin. */
export function nodeOfRequest(id: unknown): string | undefined {
  return typeof id === "string" ? /^([0-9a-z]{13})\.\d{1,15}$/.exec(id)?.[1] : undefined;
}

/** Returns the node with the stream of a session of HTTP with SSE; `undefined` for ids of other origin. */
export function nodeOfSession(id: string): string | undefined {
  return /\.([0-9a-z]{13})$/.exec(id)?.[1];
}

/**
 * Returns the node concerned by a message of the client: it runs the request in question, or has sent it. Returns `undefined` for messages any node
 * can handle.
 */
export function findNodeOf(
  incoming: Incoming,
  session: Pick<HttpSession, "key" | "isRunning">,
  sessions: Pick<SharedSessionStore, "findNode">,
): Awaitable<string | undefined> {
  switch (incoming.kind) {
    case "result":
    case "error":
      return nodeOfRequest(incoming.id);
    case "notification":
      return findNodeOfNotification(incoming, session, sessions);
    case "request":
    case "invalid":
    case "unusable":
      return undefined;
    default:
      return incoming satisfies never;
  }
}

function findNodeOfNotification(
  { method, params }: Incoming & { readonly kind: "notification" },
  session: Pick<HttpSession, "key" | "isRunning">,
  sessions: Pick<SharedSessionStore, "findNode">,
): Awaitable<string | undefined> {
  if (!isObject(params)) return undefined;
  if (method === "notifications/progress") return nodeOfRequest(params.progressToken);
  const { requestId } = params;
  const isId = typeof requestId === "string" || typeof requestId === "number";
  if (method !== "notifications/cancelled" || !isId || session.isRunning(requestId)) return undefined;
  // A request that another node is still looking up is as unknown as one that has ended: the specification lets receivers ignore its cancellation.
  return sessions.findNode(session.key, toStoredId(requestId));
}
