import type { Revision } from "../../generated/support.ts";
import type { Incoming, Outgoing, RequestId } from "./message.ts";

/** Interface of a transport, as a peer uses it. */
export interface Channel {
  /** Starts delivery to the receiver. Called once, before anything is sent. */
  start(receiver: Receiver): void;
  /**
   * Sends in order. Failures after encoding arrive as `disconnected`. Returns a promise only when the writer should wait (back-pressure) or when only
   * this message may fail; the promise rejects when this message is lost.
   *
   * @param related - the peer's request to which this message belongs, for transports with several streams
   * @throws {Error} when the message cannot be encoded
   */
  send(message: Outgoing, related?: RequestId): void | Promise<void>;
  /** Called when both ends have agreed on a revision. Messages follow it from now on, headers included. */
  agree?(revision: Revision): void;
  /** Called when a request of the peer gets no response because it was cancelled: its stream may end. */
  abandon?(id: RequestId): void;
  /** True if every message travels separately. A missing response then has its cause in the network, not in the peer. */
  readonly carriesOneByOne?: true;
  /** True if every message belongs to a session: a request with the name of its revision in its metadata is read as one of the session. */
  readonly carriesSessionOnly?: true;
  /** Text before the number in the ids of outgoing requests. Default: ids are numbers. */
  readonly requestIdPrefix?: string | undefined;
  /** Bytes waiting for the reader now. Default: unknown. */
  readonly buffered?: number;
  /** Maximum number of bytes waiting for the reader, beyond which the connection is ended. Default: `maxBufferedBytes`. */
  readonly maxBuffered?: number;
  /** Session of the transport. Default: the session ends with the connection. */
  readonly session?: TransportSession | undefined;
  /** Properties of the network connection, for telemetry. Default: unknown. */
  readonly network?: NetworkDetails | undefined;
  /** Called when an outgoing request fails before its response: its timeout has expired, or its signal was aborted. */
  failed?(id: RequestId, error: unknown): void;
  /** Flushes what was sent and closes. May be called again. */
  close(): Promise<void>;
}

/** Network connection, as far as a transport knows it. Origins of messages that travel separately have one as their member `network`, too. */
export interface NetworkDetails {
  readonly transport: "pipe" | "tcp" | "unix";
  /** Protocol around the messages. Default: none, each message is a line. */
  readonly protocol?: "http" | "websocket";
  readonly protocolVersion?: string | undefined;
  /** Address of the peer: the name of a server, or the IP address of a client. */
  readonly address?: string | undefined;
  readonly port?: number | undefined;
  /** Id of the session opened by the server, at the client. */
  readonly sessionId?: string | undefined;
}

/** Session independent of any connection: several processes may serve it, each with connections of its own. */
export interface TransportSession {
  /** Id of the session, the same in every process. It gives access to the session. */
  readonly id: string;
  /** Resolves when the session has ended, as far as this process knows. */
  readonly ended: Promise<void>;
  /** Values shared by the processes. Absent where no other process serves the session, or where it is not known to this one. */
  readonly values?: SessionValues | undefined;
}

/** Texts of a session, by name. */
export interface SessionValues {
  get(name: string): Promise<string | undefined>;
  /** Replaces a text by what a function returns for the current one, and returns it. Updates run one after another. */
  update(name: string, change: (text: string | undefined) => string): Promise<string>;
}

/** Receives what a transport delivers. */
export interface Receiver {
  /** Handles a parsed value, in wire order. `origin` is what the transport knows about its source, such as the authenticated principal. */
  message(value: unknown, origin?: unknown): void;
  /** Handles a message, like `message`, that the transport has already classified to check it. */
  classified(incoming: Incoming, origin?: unknown): void;
  /** Handles input that cannot be read as a message. */
  problem(problem: FramingProblem): void;
  /** Pauses the timeout of an outgoing request while it waits for something on this side before it is sent. Returns a function to resume it. */
  hold?(id: RequestId): () => void;
  /** Called when the peer sends nothing more, but may still read. */
  ended(): void;
  /** Called when nothing can be sent or received; `reason` is absent after an orderly end. */
  disconnected(reason?: Error): void;
}

/** Reason why input cannot be read as a message. */
export interface FramingProblem {
  readonly kind: "syntax" | "encoding" | "size" | "depth" | "values" | "repeated" | "numbers";
  /** One sentence, which may be shown to the peer. */
  readonly message: string;
  /** Parsed value, if there is one. Only its envelope may be read. */
  readonly value?: unknown;
}
