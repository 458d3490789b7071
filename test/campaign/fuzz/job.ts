/** Work for a worker: conversations of one lane with the seeds that follow the first one. */
export interface Job {
  readonly lane: string;
  /** Seed of the first conversation. */
  readonly seed: number;
  /** Messages to send at least. */
  readonly messages: number;
  /** File of the bundled server. */
  readonly program: string;
  /** File that receives every message before it is sent. */
  readonly trace?: string;
}

/** Report of a worker. */
export type Report =
  | { readonly kind: "begin"; readonly seed: number }
  | { readonly kind: "end"; readonly seed: number; readonly messages: number; readonly problems: readonly string[] }
  /** The job is done; `cpu` has the seconds of processor time of the worker. */
  | { readonly kind: "done"; readonly problems: readonly string[]; readonly cpu: number };

/** Problems after which the rest of a job is left out. What its conversations share is still ended, and the problems of its end are reported. */
export const mostFindings = 10;

/** Returns a seed for the conversation that is so many after another. */
export function followingSeed(seed: number, count: number): number {
  return (seed + count) % 2 ** 31;
}
