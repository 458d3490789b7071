/**
 * Whether two digests are the same. Every byte of both is looked at, wherever the first difference is, so that the time taken tells nothing about
 * it. The platform's own function is Node's alone.
 */
export function timingSafeEqual(expected: ArrayLike<number>, shown: ArrayLike<number>): boolean {
  let difference = expected.length ^ shown.length;
  for (let index = 0; index < expected.length; index++) difference |= (expected[index] ?? 0) ^ (shown[index] ?? 0);
  return difference === 0;
}
