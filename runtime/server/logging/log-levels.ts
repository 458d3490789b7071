import type { Revision } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { TokenBucket, type Rate } from "../../jsonrpc/token-bucket.ts";

/** Syslog severities, least severe first; the same in every revision. */
const severities: readonly string[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** A log message before it is sent to a client. */
export interface LogEntry {
  readonly level: string;
  readonly data: unknown;
  readonly logger?: string;
}

/** Log levels that clients have chosen, and the rate limit of log messages. */
export interface LogLevels {
  /** Sets the level for the rest of a session. */
  set(session: object, level: string): void;
  /** True if the client of a call has requested messages of this level. */
  wants(call: CallContext, level: string): boolean;
  /** Returns the message that may be sent to the session now: this one, a note that messages are left out, or none. */
  admit(call: CallContext, entry: LogEntry): LogEntry | undefined;
}

/** Options for log messages to clients. */
export interface LogOptions {
  /** Least severe level for clients that have not chosen one. */
  readonly initial: string;
  readonly rate: Rate;
}

/** Severities that clients have chosen for their sessions. */
const thresholds = new WeakMap<object, number>();

/** Sets the log level for the rest of a session. */
export function setLogLevel(session: object, level: string): void {
  thresholds.set(session, severityOf(level));
}

/**
 * Creates the log levels of all sessions. A level is kept as long as its session lives; `initial` applies until the client chooses. If a revision has
 * a level in each request, that level applies instead, and a request without one gets no messages.
 *
 * @throws {Error} when `initial` is not a known level.
 */
export function createLogLevels(revision: Revision, options: LogOptions): LogLevels {
  const ofEverybody = severityOf(options.initial);
  const key = revision.reservedMeta.find((meta) => meta.on === "request" && meta.type === "LoggingLevel")?.key;
  return {
    set: setLogLevel,
    wants(call, level) {
      const severity = severityOf(level);
      if (key === undefined) return severity >= (thresholds.get(call.session) ?? ofEverybody);
      const wanted = key === undefined ? undefined : call.meta[key];
      return typeof wanted === "string" && severity >= severityOf(wanted);
    },
    admit: createThrottle(options.rate),
  };
}

/**
 * Limits the messages of each session, so that a client cannot flood its session with log messages. One note replaces the first message over the
 * limit.
 */
function createThrottle(rate: Rate): (call: CallContext, entry: LogEntry) => LogEntry | undefined {
  const quotas = new WeakMap<object, { readonly bucket: TokenBucket; isFull: boolean }>();
  return ({ session }, entry) => {
    const now = performance.now();
    const quota = quotas.get(session) ?? { bucket: new TokenBucket(rate, now), isFull: false };
    quotas.set(session, quota);
    const wasFull = quota.isFull;
    quota.isFull = quota.bucket.take(now) > 0;
    if (!quota.isFull) return entry;
    return wasFull ? undefined : { level: toNoteLevel(entry), data: "Too many log messages; some are dropped" };
  };
}

/** Returns the level of the note in place of a message. The client may have requested more severe messages only, such as the message itself. */
function toNoteLevel({ level }: LogEntry): string {
  return severityOf(level) > severityOf("warning") ? level : "warning";
}

function severityOf(level: string): number {
  const severity = severities.indexOf(level);
  if (severity === -1) throw new Error(`Unknown log level ${JSON.stringify(level)}; use ${severities.join(", ")}`);
  return severity;
}
