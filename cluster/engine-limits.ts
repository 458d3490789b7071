import { checkFinite, checkNumbers } from "../runtime/jsonrpc/check-numbers.ts";

/** Limits of what an engine stores. Every engine has the same defaults. */
export interface EngineLimits {
  /** Milliseconds for which an unused session lives. Default 30 min. */
  readonly sessionTtl: number;
  /** Sessions at a time; one owner may hold half of them. Default 10,000. */
  readonly maxSessions: number;
  /** Subscriptions of a session. Default 1,000. */
  readonly maxSubscriptions: number;
  /** Ids of ended requests to remember for each session. Default 1,024. */
  readonly maxUsedIds: number;
  /** Milliseconds to keep a stream after its last append. Default 10 min. */
  readonly streamTtl: number;
  /** Milliseconds to keep an ended stream. Default 2 min. */
  readonly endedStreamTtl: number;
  /** Open streams of a session. Further ones are not stored, so their clients cannot resume them. Default 2,048. */
  readonly maxOpenStreams: number;
  /** Events of a stream; the oldest are removed. Default 1,000. */
  readonly maxEvents: number;
  /** Characters of a stream; the oldest events are removed, but never the last one. Default 4 Mi. */
  readonly maxStreamSize: number;
  /** Milliseconds to keep a broadcast. Default 10 min. */
  readonly broadcastTtl: number;
  /** Number of broadcasts to keep; the oldest are removed. Default 10,000. */
  readonly maxBroadcasts: number;
}

/** Limits of an engine whose user sets none. */
export const defaultEngineLimits: EngineLimits = {
  sessionTtl: 30 * 60_000,
  maxSessions: 10_000,
  maxSubscriptions: 1_000,
  maxUsedIds: 1_024,
  streamTtl: 10 * 60_000,
  endedStreamTtl: 2 * 60_000,
  maxOpenStreams: 2_048,
  maxEvents: 1_000,
  maxStreamSize: 4 * 1024 * 1024,
  broadcastTtl: 10 * 60_000,
  maxBroadcasts: 10_000,
};

/**
 * Checks the numbers of an engine in a server of its own. Such a server stores no infinite times.
 *
 * @throws {SetupError} when a number is negative or `NaN`, or a time is `Infinity`
 */
export function checkEngineOptions(options: {
  readonly timeout?: number;
  readonly limits?: Partial<EngineLimits>;
}): void {
  const { timeout, limits = {} } = options;
  checkNumbers(options, limits);
  const times = Object.entries(limits).filter(([name]) => name.endsWith("Ttl"));
  checkFinite({ timeout, ...Object.fromEntries(times) });
}
