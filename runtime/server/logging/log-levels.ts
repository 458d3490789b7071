import type { Revision } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { TokenBucket, type Rate } from "../../jsonrpc/token-bucket.ts";

/** A log message before it is sent to a client. */
export interface LogEntry {
  readonly level: string;
  readonly data: unknown;
  readonly logger?: string;
}

/** Log levels chosen by clients, and the rate limit of log messages. */
export interface LogLevels {
  /** Sets the level for the rest of a session. */
  set(session: object, level: string): void;
  /** True if the client of a call has requested messages of this level. */
  wants(call: CallContext, level: string): boolean;
  /** Returns the message to send to the session now: this one, a note about omitted messages, or none. */
  admit(call: CallContext, entry: LogEntry): LogEntry | undefined;
}

/** Options for log messages to clients. */
export interface LogOptions {
  /** Levels in which handlers log, least severe first. */
  readonly written: readonly string[];
  /** Least severe level for clients without a chosen one. Default: `info`; clients get every message if handlers have no such level. */
  readonly initial?: string | undefined;
  readonly rate: Rate;
}

/** Levels chosen by clients for their sessions, as they named them. */
const chosen = new WeakMap<object, string>();

/** Sets the log level for the rest of a session. */
export function setLogLevel(session: object, level: string): void {
  chosen.set(session, level);
}

/** Returns the levels in which handlers of a server log: those of its newest revision with levels. Newer revisions come first. */
export function readLogLevels(revisions: readonly Revision[]): readonly string[] {
  return revisions.find(({ logLevels }) => logLevels.length > 0)?.logLevels ?? [];
}

/**
 * Creates the log levels of all sessions. A level is kept as long as its session lives; `initial` applies until the client chooses. If a revision has
 * a level in each request, that level applies instead, and a request without one gets no messages.
 *
 * @throws {Error} when `initial` is not a level in which handlers log.
 */
export function createLogLevels(revision: Revision, { written, initial, rate }: LogOptions): LogLevels {
  if (initial !== undefined) checkLevel(initial, written);
  const ofEverybody = written.indexOf(initial ?? "info");
  const key = revision.reservedMeta.find((meta) => meta.on === "request" && meta.type === "LoggingLevel")?.key;
  const own = revision.logLevels;
  return {
    set: setLogLevel,
    wants(call, level) {
      checkLevel(level, written);
      const severity = written.indexOf(level);
      const wanted = key === undefined ? chosen.get(call.session) : call.meta[key];
      if (typeof wanted === "string") return severity >= thresholdOf(wanted, { written, own });
      return key === undefined && severity >= ofEverybody;
    },
    admit: createThrottle({ written, rate }),
  };
}

/**
 * Limits the messages of each session: a client must not be able to flood its session with log messages. One note replaces the first message over the
 * limit.
 */
function createThrottle({ written, rate }: LogOptions): (call: CallContext, entry: LogEntry) => LogEntry | undefined {
  const quotas = new WeakMap<object, { readonly bucket: TokenBucket; isFull: boolean }>();
  return ({ session }, entry) => {
    const now = performance.now();
    const quota = quotas.get(session) ?? { bucket: new TokenBucket(rate, now), isFull: false };
    quotas.set(session, quota);
    const wasFull = quota.isFull;
    quota.isFull = quota.bucket.take(now) > 0;
    if (!quota.isFull) return entry;
    return wasFull
      ? undefined
      : { level: toNoteLevel(entry, written), data: "Too many log messages; some are dropped" };
  };
}

/**
 * Returns the level of the note in place of a message: a warning, if there is such a level. The client may have requested more severe messages only,
 * such as the message itself.
 */
function toNoteLevel({ level }: LogEntry, written: readonly string[]): string {
  return written.indexOf("warning") > written.indexOf(level) ? "warning" : level;
}

/**
 * Returns the severity from which a client wants messages. A level known only at the client's revision counts as the next more severe one in which
 * handlers log, else as the most severe of all: the client gets no message below its level, and its requests do not fail.
 */
function thresholdOf(
  level: string,
  { written, own }: { readonly written: readonly string[]; readonly own: readonly string[] },
): number {
  const place = own.indexOf(level);
  const moreSevere = place < 0 ? [] : own.slice(place);
  const known = [level, ...moreSevere].find((one) => written.includes(one));
  return known === undefined ? written.length - 1 : written.indexOf(known);
}

/** @throws {Error} when handlers have no such level */
function checkLevel(level: string, written: readonly string[]): void {
  if (!written.includes(level))
    throw new Error(`Unknown log level ${JSON.stringify(level)}; use ${written.join(", ")}`);
}
