import { expect } from "vitest";

/** Size of the longer run, as a multiple of the shorter one. */
const factor = 8;

/** Limit of the longer run, as a multiple of the shorter: linear work takes 8 times as long, and work that grows with the square 64 times. */
const mostGrowth = 32;

/** Other work of the machine may lengthen one run, but not the longer one of each pair. */
const attempts = 5;

/**
 * Expects that the time of `work` grows linearly up to `size`. Two runs of the same process are compared, so the speed of the machine does not count;
 * one pair of them is enough, because no pause of the machine makes work faster.
 */
export function expectLinear(size: number, work: (size: number) => void): void {
  const small = Math.floor(size / factor);
  work(small);
  let growth = Infinity;
  for (let attempt = 0; attempt < attempts && growth > mostGrowth; attempt += 1)
    growth = Math.min(growth, measure(() => work(size)) / measure(() => work(small)));
  expect(growth, `time for ${size}, as a multiple of the time for ${small}`).toBeLessThanOrEqual(mostGrowth);
}

function measure(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
