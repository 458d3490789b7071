import { UnreachableError } from "../../runtime/jsonrpc/errors.ts";
import type { Engine } from "../stores/engine.ts";
import type { NodeMessage } from "../stores/node-directory.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";

/** Sender of a message to the open stream of a client. */
export interface ListenerSender {
  readonly engine: Pick<Engine, "sessions" | "events">;
  /** Name of the node. */
  readonly name: string;
  send(node: string, message: NodeMessage): Promise<"sent" | "absent">;
  /** Records this node as the writer of the stream. */
  registerListener(listener: { readonly stream: string; readonly fence: number }): void;
}

/**
 * Sends a message on the stream opened by a client with GET, through the node which writes the stream.
 *
 * @throws {UnreachableError} when the client has no open stream
 */
export async function sendToListener(key: SessionKey, text: string, sender: ListenerSender): Promise<void> {
  const { engine, name } = sender;
  const { sessions, events } = engine;
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const listener = (await sessions.readState(key))?.listener;
    if (!listener) break;
    const { node, stream, fence } = listener;
    const message = { kind: "send", session: key, text } as const;
    if (node !== name && (await sender.send(node, message)) === "sent") return;
    // The node that wrote the stream has stopped. The message waits in the store until the client resumes the stream.
    const adopted = await events.adopt(key, { stream, fence, node: name });
    if (!adopted) continue;
    sender.registerListener({ stream, fence: adopted.fence });
    const append = { stream, owner: name, fence: adopted.fence, first: adopted.next, data: [text] };
    if ((await events.append(key, append)) === "stored") return;
  }
  throw new UnreachableError("The client has no open stream for server requests");
}

/** Attempts to send a message while other nodes change the stream. */
const mostAttempts = 3;
