import { classify } from "../../runtime/jsonrpc/message.ts";
import type { ForwardedBody } from "../stores/node-directory.ts";
import type { HttpSession } from "../../runtime/transport/http-server/session/session.ts";
import { dispatchMessages } from "../../runtime/transport/http-server/dispatch-messages.ts";
import { isIdentity } from "../../runtime/transport/http-server/identity.ts";
import type { PostBody } from "../../runtime/transport/http-server/post-body.ts";
import type {
  ResponseExchange,
  SessionResponseHost,
} from "../../runtime/transport/http-server/session/session-response.ts";

/** Serves a POST received by another node. Its responses are written to a new stream, and the other node follows the stream. */
export function servePost(
  session: HttpSession,
  { stream, value, identity }: ForwardedBody & { readonly stream: string },
): void {
  const sender = isIdentity(identity) ? identity : undefined;
  const host = toHost(session, stream);
  dispatchMessages(noExchange, { identity: sender, postBody: toPostBody(value), session, host });
}

/** Opens a stream for messages unrelated to a request of the client. Another node connects it to the client. */
export function listenElsewhere(session: HttpSession, name: string): void {
  session.openListener(name).prime();
}

/** Returns the part of a session for a POST whose stream has this name. */
function toHost(session: HttpSession, name: string): SessionResponseHost {
  return {
    style: "sse",
    // The connection is one of another node.
    polls: false,
    get isEnded() {
      return session.isEnded;
    },
    openStream(requests) {
      const stream = session.openStream(requests, name);
      // The other node follows the stream from its first event, which may come long before the first message.
      stream.prime();
      return stream;
    },
    endStream: (stream) => session.endStream(stream),
  };
}

function toPostBody(value: unknown): PostBody {
  if (!Array.isArray(value)) return { kind: "single", value, incoming: classify(value) };
  return { kind: "batch", values: value, members: value.map(classify) };
}

/** Exchange without a connection: everything is written to the stream. */
const noExchange: ResponseExchange = {
  isGone: true,
  respond() {},
  stream() {
    throw new Error("The client is connected to another node");
  },
};
