/** Figure of the sources, with its goal. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly goal: string;
  readonly isMet: boolean;
}

/** Creates a figure whose goal is an upper bound. */
export function atMost(name: string, value: number, most: number): Figure {
  return { name, value: Math.round(value * 10) / 10, goal: most === 0 ? "0" : `≤ ${most}`, isMet: value <= most };
}

/** Creates a figure that is no goal by itself: a part of the one before it. */
export function partOf(name: string, value: number): Figure {
  return { name: `  ${name}`, value: Math.round(value * 10) / 10, goal: "", isMet: true };
}

/** Returns a table with a line for each figure. */
export function toTable(figures: readonly Figure[]): string {
  const width = Math.max(...figures.map(({ name }) => name.length));
  const lines = figures.map(({ name, value, goal, isMet }) => {
    const mark = goal === "" ? "" : isMet ? "met" : "not met";
    return `${name.padEnd(width)}  ${String(value).padStart(7)}  ${goal.padEnd(6)}  ${mark}`.trimEnd();
  });
  return lines.join("\n");
}
