import type { RequestRow } from "../../generated/support.ts";
import { checkNumbers } from "./check-numbers.ts";

/** Limits on what a peer may make this side store or traverse. */
export interface Limits {
  /** Bytes of one message. Default 16 MiB; 4 MiB for the body of a request to a server over HTTP. */
  readonly maxMessageBytes: number;
  /** Nesting of one message. Default 64, at most 512. */
  readonly maxDepth: number;
  /** Values in one message or batch: members of objects and items of lists, at any depth. Default 200,000. */
  readonly maxValues: number;
  /** Messages in one batch. Default 100. */
  readonly maxBatch: number;
  /** Requests of one peer running at the same time, including listening ones; more are rejected. Default 1024. */
  readonly maxCalls: number;
  /** Bytes waiting for a slow reader before the connection is ended. Default 64 MiB. */
  readonly maxBufferedBytes: number;
  /**
   * True if messages with numbers that cannot be read exactly, such as 9007199254740993, are rejected. Lists of tools, prompts and resources are
   * read, and such a number in them is reported. Default `false`: numbers are rounded, as `JSON.parse` does.
   */
  readonly exactNumbers?: boolean;
}

/** Timeouts in milliseconds. Every value may be `Infinity`. */
export interface Timeouts {
  /** For the result of `initialize`, and for the one of `server/discover` where no session is tried after it. Default 30 s. */
  readonly initialize: number;
  /** For responses without work of the peer: lists, `ping`, subscriptions. Default 5 s. */
  readonly request: number;
  /** For responses with work of the peer: tool calls, reads, prompts, completions. Default 60 s. */
  readonly work: number;
  /** For responses that may wait for a person or another system: sampling, elicitation, task results. Default 10 min. */
  readonly wait: number;
  /** For one call in total, regardless of its progress. Default 10 min. */
  readonly total: number;
  /** For a local handler. Default 10 min. */
  readonly handler: number;
  /** For the client to confirm the handshake; afterwards requests are sent to it without confirmation. Default 5 s. */
  readonly confirmation: number;
  /** For running handlers when the connection closes in an orderly way. Default 1 s. */
  readonly drain: number;
}

/** Limits where none are given. */
export const defaultLimits: Limits = {
  maxMessageBytes: 16 * 1024 * 1024,
  maxDepth: 64,
  maxValues: 200_000,
  maxBatch: 100,
  maxCalls: 1024,
  maxBufferedBytes: 64 * 1024 * 1024,
};

/** Timeouts where none are given. */
export const defaultTimeouts: Timeouts = {
  initialize: 30_000,
  request: 5_000,
  work: 60_000,
  wait: 600_000,
  total: 600_000,
  handler: 600_000,
  confirmation: 5_000,
  drain: 1_000,
};

/**
 * Merges given limits over the defaults. `maxDepth` is at most 512, which the runtime can traverse.
 *
 * @throws {SetupError} when one is negative or `NaN`
 */
export function toLimits(given: Partial<Limits> | undefined): Limits {
  if (!given) return defaultLimits;
  checkNumbers(given);
  const limits = { ...defaultLimits, ...given };
  return { ...limits, maxDepth: Math.min(limits.maxDepth, 512) };
}

/**
 * Merges given timeouts over the defaults.
 *
 * @throws {SetupError} when one is negative or `NaN`
 */
export function toTimeouts(given: Partial<Timeouts> | undefined): Timeouts {
  checkNumbers(given);
  return given ? { ...defaultTimeouts, ...given } : defaultTimeouts;
}

/** Time the response to a request takes, as its row says. */
export type RequestDuration = Pick<RequestRow, "duration">;

/** Returns the timeout of a request in milliseconds, for calls without one. */
export function timeoutOf({ duration }: RequestDuration, timeouts: Timeouts): number {
  if (duration === undefined) return timeouts.request;
  if (duration === "endless") return Infinity;
  return timeouts[duration === "task" ? "wait" : duration];
}

/** Returns the total timeout of a request in milliseconds, for calls without one. */
export function totalTimeoutOf(request: RequestDuration, timeouts: Timeouts): number {
  return isEndless(request) ? Infinity : timeouts.total;
}

/** Returns the timeout of a local handler in milliseconds. A handler waiting for the end of a task has none: tasks have their own limits. */
export function handlerTimeoutOf(request: RequestDuration, timeouts: Timeouts): number {
  return request.duration === "task" || isEndless(request) ? Infinity : timeouts.handler;
}

/** True if a request may take long. Progress is requested even without a listener then: it extends the timeout. */
export function isLongRunning({ duration }: RequestDuration): boolean {
  return duration === "work" || duration === "wait" || duration === "task";
}

/** True if a request lasts until one side ends it: no timeout applies, and closing a connection does not wait for it. */
export function isEndless({ duration }: RequestDuration): boolean {
  return duration === "endless";
}
