import type { Revision } from "../../generated/support.ts";
import type { CallContext } from "../rpc/call.ts";

/** Severities as in syslog, least severe first; the same in every revision. */
const severities: readonly string[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** Who wants to hear how much. */
export interface LogLevels {
  /** Chooses for the rest of a session. */
  set(session: object, level: string): void;
  /** Whether the client of a call wants messages of this level. */
  wants(call: CallContext, level: string): boolean;
}

/**
 * Keeps the level of each session as long as it lives, and no longer; `initial` holds before a client chooses. Where a
 * revision lets each request name its level, that counts instead, and a request without one wants nothing.
 */
export function createLogLevels(revision: Revision, initial: string): LogLevels {
  const thresholds = new WeakMap<object, number>();
  const ofEverybody = severityOf(initial);
  const key = revision.reservedMeta.find((meta) => meta.on === "request" && meta.type === "LoggingLevel")?.key;
  return {
    set: (session, level) => void thresholds.set(session, severityOf(level)),
    wants(call, level) {
      const severity = severityOf(level);
      if (key === undefined) return severity >= (thresholds.get(call.session) ?? ofEverybody);
      const wanted = call.meta[key];
      return typeof wanted === "string" && severity >= severityOf(wanted);
    },
  };
}

function severityOf(level: string): number {
  const severity = severities.indexOf(level);
  if (severity === -1)
    throw new Error(`Unknown log level ${JSON.stringify(level)}: use one of ${severities.join(", ")}.`);
  return severity;
}
