/** A source of numbers from 0 to 1, exclusive: the same seed gives the same numbers everywhere. */
export type Random = () => number;

/** Creates a small generator (mulberry32): good enough to vary test values, useless for secrets. */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One of the items. Throws when there is none. */
export function pick<T>(items: readonly T[], random: Random): T {
  for (const item of items.slice(Math.floor(random() * items.length))) return item;
  throw new Error("There is nothing to pick from.");
}

/** True in the given share of cases. */
export function isHit(share: number, random: Random): boolean {
  return random() < share;
}

/** Draws some of the items. The same seed draws the same ones. */
export function draw<Item>(items: readonly Item[], { count, seed }: { count: number; seed: number }): readonly Item[] {
  const random = createRandom(seed);
  const shuffled = items.map((item) => ({ item, at: random() })).toSorted((first, second) => first.at - second.at);
  return shuffled.slice(0, count).map(({ item }) => item);
}
