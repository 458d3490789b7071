/*
 * Phases of a command: the parts of its work that a user may wait for. The timeline of the platform records them, so that code at any depth names a
 * phase without knowing who prints it.
 */

/** Runs a phase, records its time, and shows its title in a terminal until it ends. */
export async function runPhase<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
  const { stderr } = process;
  if (!stderr.isTTY) return timePhase(title, work);
  // The cursor returns to the beginning, so that a message printed meanwhile replaces the title.
  stderr.write(`${clearLine}${title} ...\r`);
  try {
    return await timePhase(title, work);
  } finally {
    stderr.write(clearLine);
  }
}

/** Runs a phase and records its time, for commands with a display of their own. */
export async function timePhase<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  try {
    return await work();
  } finally {
    performance.measure(prefix + title, { start });
  }
}

/**
 * Lists the phases of a command in the order of their start, with their milliseconds.
 *
 * @param start - time at which the command began; before it, Node.js and the program were loaded
 */
export function phasesText(start: number): string {
  const end = performance.now();
  const phases = performance
    .getEntriesByType("measure")
    .filter(({ name, startTime }) => startTime >= start && name.startsWith(prefix));
  const { user, system } = process.cpuUsage();
  const rows: readonly (readonly [milliseconds: number, title: string])[] = [
    [start, "start of the program"],
    ...phases.map(({ duration, name }) => [duration, name.slice(prefix.length)] as const),
    [end - start - coveredTime(phases), "other work"],
    [end, `in all; ${Math.round((user + system) / 1000)} ms of processor time, without other programs`],
  ];
  return rows.map(([milliseconds, title]) => `${milliseconds.toFixed(0).padStart(7)} ms  ${title}`).join("\n");
}

/** Beginning of the names of phases in the timeline, which libraries may use as well. */
const prefix = "create-mcp-server: ";

const clearLine = "\r\u001B[2K";

/** Returns the time in which at least one phase ran. Phases may run at the same time. */
function coveredTime(phases: readonly PerformanceEntry[]): number {
  let covered = 0;
  let last = 0;
  for (const { startTime, duration } of phases) {
    const end = startTime + duration;
    covered += Math.max(0, end - Math.max(last, startTime));
    last = Math.max(last, end);
  }
  return covered;
}
