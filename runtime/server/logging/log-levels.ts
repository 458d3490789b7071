import type { Revision } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/incoming-call.ts";
import { TokenBucket, type Rate } from "../../jsonrpc/token-bucket.ts";

/** Severities as in syslog, least severe first; the same in every revision. */
const severities: readonly string[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** A log message. */
export interface LogEntry {
  readonly level: string;
  readonly data: unknown;
  readonly logger?: string;
}

/** Who wants to hear how much. */
export interface LogLevels {
  // @part sessions
  /** Chooses for the rest of a session. */
  set(session: object, level: string): void;
  /** Whether the client of a call wants messages of this level. */
  wants(call: CallContext, level: string): boolean;
  /** The message that may be sent to the session now: this one, a remark that messages are left out, or none. */
  admit(call: CallContext, entry: LogEntry): LogEntry | undefined;
}

/** How much is logged to clients. */
export interface LogOptions {
  /** Least severe level for clients that did not choose. */
  readonly initial: string;
  readonly rate: Rate;
}

/**
 * Keeps the level of each session as long as it lives, and no longer; `initial` holds before a client chooses. Where a
 * revision lets each request name its level, that counts instead, and a request without one wants nothing.
 */
export function createLogLevels(revision: Revision, options: LogOptions): LogLevels {
  // @part sessions
  const thresholds = new WeakMap<object, number>();
  // @part sessions
  const ofEverybody = severityOf(options.initial);
  const key = revision.reservedMeta.find((meta) => meta.on === "request" && meta.type === "LoggingLevel")?.key;
  return {
    // @part sessions
    set: (session, level) => void thresholds.set(session, severityOf(level)),
    wants(call, level) {
      const severity = severityOf(level);
      // @part sessions
      if (key === undefined) return severity >= (thresholds.get(call.session) ?? ofEverybody);
      const wanted = key === undefined ? undefined : call.meta[key];
      return typeof wanted === "string" && severity >= severityOf(wanted);
    },
    admit: createThrottle(options.rate),
  };
}

/** One session cannot be flooded by what it makes the server do; the first message too many is replaced by a remark. */
function createThrottle(rate: Rate): (call: CallContext, entry: LogEntry) => LogEntry | undefined {
  const quotas = new WeakMap<object, { readonly bucket: TokenBucket; isFull: boolean }>();
  return ({ session }, entry) => {
    const now = performance.now();
    const quota = quotas.get(session) ?? { bucket: new TokenBucket(rate, now), isFull: false };
    quotas.set(session, quota);
    const wasFull = quota.isFull;
    quota.isFull = quota.bucket.take(now) > 0;
    if (!quota.isFull) return entry;
    return wasFull ? undefined : { level: "warning", data: "Too many log messages: some are left out" };
  };
}

function severityOf(level: string): number {
  const severity = severities.indexOf(level);
  if (severity === -1)
    throw new Error(`Unknown log level ${JSON.stringify(level)}: use one of ${severities.join(", ")}.`);
  return severity;
}
