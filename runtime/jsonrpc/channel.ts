import type { Revision } from "../../generated/support.ts";
import type { Outgoing, RequestId } from "./message.ts";

/** What a peer needs of a transport. */
export interface Channel {
  /** Begins delivery to the receiver. Called once, before anything is sent. */
  start(receiver: Receiver): void;
  /**
   * Sends in order. Throws when the message cannot be encoded; otherwise failures arrive as `disconnected`.
   * A promise is returned only when the writer should wait (back-pressure) or may fail alone; it rejects when this message is lost.
   *
   * @param related - the peer's request that this message belongs to, for transports with several streams
   */
  send(message: Outgoing, related?: RequestId): void | Promise<void>;
  // @part http
  /** Both ends have agreed on a revision: what is sent from now on follows it, headers included. */
  agree?(revision: Revision): void;
  /** A request of the peer gets no answer (it was cancelled): its stream may end. */
  abandon?(id: RequestId): void;
  // @part http
  /** Every message travels on its own, so that silence is the network's and says nothing about what the other side understands. */
  readonly carriesOneByOne?: true;
  /** Bytes that wait for its reader now. Default: it cannot tell. */
  readonly buffered?: number;
  // @part http
  /** Bytes that may wait for its reader before the connection is ended. Default: `maxBufferedBytes`. */
  readonly maxBuffered?: number;
  /** Flushes what was sent and closes. May be called again. */
  close(): Promise<void>;
}

/** Where a transport delivers what arrives. */
export interface Receiver {
  /** A parsed value, in wire order. `origin` is what the transport knows about where it came from, such as who is authenticated. */
  message(value: unknown, origin?: unknown): void;
  /** Something arrived that is not a message. */
  problem(problem: Problem): void;
  // @part questions, tasks
  /** A request of ours cannot be sent before something else has happened on our side: its time stands still until what is returned is called. */
  hold?(id: RequestId): () => void;
  /** The peer sends nothing more, but may still read. */
  ended(): void;
  /** Nothing can be sent or received any more; `reason` is absent after an orderly end. */
  disconnected(reason?: Error): void;
}

/** Why something that arrived cannot be read as a message. */
export interface Problem {
  readonly kind: "syntax" | "encoding" | "size" | "depth" | "values" | "repeated";
  /** One sentence that may be shown to the peer. */
  readonly message: string;
  /** The parsed value where there is one: only its envelope may be looked at. */
  readonly value?: unknown;
}
