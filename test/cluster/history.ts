import { appendFileSync } from "node:fs";

/** Operations of clients, and faults. */
export type Operation =
  /** `initialize`. */
  | "open"
  /** Call of a tool; `id` is its key. */
  | "call"
  /** Stream opened by GET, from the response to its end; `id` is the stream's. */
  | "listen"
  /** GET with `Last-Event-ID`, for the call or the listener `id`. */
  | "resume"
  /** Event of a stream, for the call or the listener `id`. */
  | "event"
  /** Connection of the call `id` that the balancer will cut, as the client wants. */
  | "cut"
  /** Response to a request of the server, for the call `id`. */
  | "answer"
  /** `notifications/cancelled` for the call `id`. */
  | "cancel"
  /** DELETE of the session. */
  | "end"
  | "subscribe"
  | "level"
  /** `tasks/get` of the task `id`. */
  | "task"
  /** Request with ids of another principal. */
  | "stranger"
  /** Use of a `jti`, which is the `id`. */
  | "jti"
  /** Fault; `id` is its number, `value` its kind, `node` its target. */
  | "fault";

/** Line of the history. Each operation has a line before and one after; an event has one. */
export interface HistoryLine {
  /** Milliseconds since 1970. */
  readonly t: number;
  readonly phase: "call" | "return" | "event";
  readonly op: Operation;
  /** Identifies the operation among all of its kind in the history. */
  readonly id: string;
  readonly client: string;
  readonly principal: string;
  readonly session?: string;
  readonly node?: string;
  /** Text that was sent or received. */
  readonly value?: string;
  /** Id of an event. */
  readonly event?: string;
  /** HTTP status of a response. */
  readonly status?: number;
  /** Connection over which an event came: distinct for each. */
  readonly connection?: string;
  /**
   * `ok`: there is a response. `fail`: the request was rejected, and had no effect. `unknown`: the connection broke, and the client could not or did
   * not want to resume.
   */
  readonly outcome?: "ok" | "fail" | "unknown";
}

/** Line of the fixture server: something that happened, whether a client has learned of it or not. */
export interface Effect {
  /** Milliseconds since 1970. */
  readonly t: number;
  readonly node: string;
  readonly kind: "start" | "end" | "failure" | "abort" | "acknowledged" | "step-start" | "step-finish" | "unhandled";
  /** Key of the call. */
  readonly key: string;
  readonly tool?: string;
  readonly principal?: string;
  readonly value?: string;
}

/** Everything that clients, the nemesis and tools have written. */
export interface Evidence {
  readonly history: readonly HistoryLine[];
  readonly effects: readonly Effect[];
  /** State of the engine after everything has ended. */
  readonly engineState?: EngineState;
}

/** What an engine holds. */
export interface EngineState {
  readonly keysWithoutExpiry: readonly string[];
  /** Number of leases. */
  readonly leases: number;
  /** Number of nodes that live. */
  readonly livingNodes: number;
  /** Keys of sessions that their clients have ended. */
  readonly keysOfEnded: readonly string[];
}

/** Collects lines, and writes them to a file for later. */
export class HistoryLog {
  readonly lines: HistoryLine[] = [];
  readonly #path: string | undefined;

  constructor(path?: string) {
    this.#path = path;
  }

  add(line: Omit<HistoryLine, "t">): void {
    const dated = { t: Date.now(), ...line };
    this.lines.push(dated);
    if (this.#path !== undefined) appendFileSync(this.#path, `${JSON.stringify(dated)}\n`);
  }
}

/** Reads a file of one JSON value a line; a last line without an end is left out. */
export function readLines<Line>(text: string): readonly Line[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line): Line => JSON.parse(line));
}
