import { isObject, type Awaitable } from "../../generated/support.ts";
import type { Incoming } from "../jsonrpc/message.ts";
import type { SharedSessionStore } from "../stores/shared-session-store.ts";
import type { ForwardingSession } from "../transport/http-server/cluster.ts";
import { nodeOfRequest } from "./node-name.ts";

/** Returns the node that runs the request that a message of the client is about, or that has sent it; `undefined` for messages that any node handles. */
export function findNodeOf(
  incoming: Incoming,
  session: ForwardingSession,
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
  session: ForwardingSession,
  sessions: Pick<SharedSessionStore, "findNode">,
): Awaitable<string | undefined> {
  if (!isObject(params)) return undefined;
  if (method === "notifications/progress") return nodeOfRequest(params.progressToken);
  const { requestId } = params;
  const isId = typeof requestId === "string" || typeof requestId === "number";
  if (method !== "notifications/cancelled" || !isId || session.isRunning(requestId)) return undefined;
  return sessions.findNode(session.key, requestId);
}
