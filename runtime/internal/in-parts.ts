/** Runs a function for all items, for a limited number of them at the same time. The next ones begin when all of these have settled. */
export async function inParts<Item>(
  items: Iterable<Item>,
  size: number,
  run: (item: Item) => Promise<unknown>,
): Promise<void> {
  const all = [...items];
  for (let start = 0; start < all.length; start += size) await Promise.all(all.slice(start, start + size).map(run));
}
