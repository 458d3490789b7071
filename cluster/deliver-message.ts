import type { NodeMessage } from "./stores/node-directory.ts";
import type { HttpOrigin } from "../runtime/transport/http-server/identity.ts";
import type { HttpSession } from "../runtime/transport/http-server/session/session.ts";

/** Message for a session of a node. */
export type SessionMessage = Exclude<NodeMessage, { readonly kind: "task" | "post" | "listen" }>;

/** Parts of a node used by messages for its sessions. */
export interface MessageHost {
  /** Reads the state of a session again. */
  stateChanged(session: HttpSession): void;
  /** Sends a message of the server to the node with the stream opened by GET, in the background. */
  sendToListener(message: SessionMessage & { readonly kind: "send" }): void;
  /** Ends a session, as another node has done, in the background. */
  end(session: HttpSession): void;
}

/** Delivers a message of another node to a session of this one. */
export function deliverMessage(session: HttpSession, message: SessionMessage, host: MessageHost): void {
  switch (message.kind) {
    case "deliver":
      if (message.incoming.kind !== "request") session.receive(message.incoming, noOrigin);
      return;
    case "send":
      if (!session.sendToListener(message.text)) host.sendToListener(message);
      return;
    case "changed":
      return host.stateChanged(session);
    case "resumed":
      return session.releaseStream(message.stream);
    case "ended":
      return host.end(session);
    default:
      return message satisfies never;
  }
}

/** Origin of messages received and authenticated by another node. */
export const noOrigin: HttpOrigin = { identity: undefined, releaseConnection: () => false };
