/** Returns a time to reconnect: one to five times the usual one. When a node has stopped, its clients do not all come at once. */
export function spreadRetry(retry: number): number {
  return Math.round(retry * (1 + Math.random() * spread));
}

/**
 * Returns the milliseconds after which a closing node ends a stream whose client was given no time to reconnect: such clients come back as soon as their
 * streams end. They are spread over the same time as those of `spreadRetry`, but at most over half of the time in which the node has to close.
 */
export function spreadEnd(retry: number, drain: number): number {
  return Math.random() * Math.min(retry * spread, drain / 2);
}

/** Multiple of the time to reconnect over which clients are spread. */
const spread = 4;
