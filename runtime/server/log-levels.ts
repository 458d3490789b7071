/** Severities as in syslog, least severe first; the same in every revision. */
const severities: readonly string[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** Who wants to hear how much: the least severe level of each session, under a default. */
export interface LogLevels {
  set(session: object, level: string): void;
  /** Whether a session wants messages of this level. */
  wants(session: object, level: string): boolean;
}

/** Keeps the levels as long as their sessions live, and no longer. */
export function createLogLevels(initial: string): LogLevels {
  const thresholds = new WeakMap<object, number>();
  const ofEverybody = severityOf(initial);
  return {
    set: (session, level) => void thresholds.set(session, severityOf(level)),
    wants: (session, level) => severityOf(level) >= (thresholds.get(session) ?? ofEverybody),
  };
}

function severityOf(level: string): number {
  const severity = severities.indexOf(level);
  if (severity === -1)
    throw new Error(`Unknown log level ${JSON.stringify(level)}: use one of ${severities.join(", ")}.`);
  return severity;
}
