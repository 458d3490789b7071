/** Message received or sent by a gateway. */
export interface TrafficEntry {
  /** Position among all messages of the gateway, from 1. */
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** `client`: between a client and the gateway. `server`: between the gateway and the server. */
  readonly side: "client" | "server";
  /** Name of the connection, the same for all of its messages. Over HTTP, a request without a session is a connection of its own. */
  readonly connection: string;
  readonly direction: "to-server" | "to-client";
  /** Revision of the message; `undefined` before it is negotiated. */
  readonly protocol: string | undefined;
  /** Message as on the wire. Must not be modified. */
  readonly message: unknown;
  /** First deviation from the schema of the revision. */
  readonly problem?: TrafficProblem;
  /** Values left out or rewritten in the conversion to the older revision of the receiver. */
  readonly losses?: readonly TrafficLoss[];
}

/** Deviation of a message from the schema of its revision. */
export interface TrafficProblem {
  /** JSON Pointer into the message without the leading slash; empty for the message itself. */
  readonly path: string;
  readonly message: string;
}

/** Value that an older revision cannot express. */
export interface TrafficLoss {
  /** Member of a type of the newer revision, such as `Tool.icons`. */
  readonly path: string;
  readonly reason: string;
}

/** Receives every message of a gateway, after it was received or sent. */
export type OnTraffic = (entry: TrafficEntry) => void;

/** Entry of one connection, before it has its place among all messages. */
export type ConnectionEntry = Pick<TrafficEntry, "direction" | "protocol" | "message" | "problem">;
