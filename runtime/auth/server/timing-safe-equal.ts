/**
 * True if two digests are equal. It compares every byte regardless of the first difference, so the duration reveals nothing about it. The function
 * with this purpose in Node is not available on other platforms.
 */
export function timingSafeEqual(expected: ArrayLike<number>, shown: ArrayLike<number>): boolean {
  let difference = expected.length ^ shown.length;
  for (let index = 0; index < expected.length; index++) difference |= (expected[index] ?? 0) ^ (shown[index] ?? 0);
  return difference === 0;
}
