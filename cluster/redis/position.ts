/** Position of a broadcast: its id from Redis, and the epoch of the store, which changes when the store loses its data. */
export interface Position {
  readonly id: string;
  readonly epoch: string;
}

/** Returns a position as text, as Redis keeps it. */
export function formatPosition({ id, epoch }: Position): string {
  return `${id}-${epoch}`;
}

/** Parses a position. Returns `undefined` for an invalid one. */
export function parsePosition(text: string): Position | undefined {
  const [, id, epoch] = /^(\d{1,16}-\d{1,16})-([\da-z]{1,32})$/.exec(text) ?? [];
  return id === undefined || epoch === undefined ? undefined : { id, epoch };
}

/** True if the first id comes after the second. */
export function isAfter(id: string, other: string): boolean {
  const [time = 0, count = 0] = id.split("-").map(Number);
  const [otherTime = 0, otherCount = 0] = other.split("-").map(Number);
  return time === otherTime ? count > otherCount : time > otherTime;
}
