/** Compares two lists by the keys of their entries: first come the removed entries, then all others in the order of the newer list. */
export function diffByKey<Entry, Change>(
  older: readonly Entry[],
  newer: readonly Entry[],
  {
    keyOf,
    whole,
    compare,
  }: {
    readonly keyOf: (entry: Entry) => string;
    /** Describes an entry whose key only one of the lists has. */
    readonly whole: (kind: "added" | "removed", entry: Entry) => Change;
    /** Compares two entries of the same key. */
    readonly compare: (before: Entry, after: Entry) => readonly Change[];
  },
): Change[] {
  const before = new Map(older.map((entry) => [keyOf(entry), entry]));
  const after = new Map(newer.map((entry) => [keyOf(entry), entry]));
  const gone = [...before].filter(([key]) => !after.has(key));
  return [
    ...gone.map(([, entry]) => whole("removed", entry)),
    ...[...after].flatMap(([key, entry]) => {
      const known = before.get(key);
      return known === undefined ? [whole("added", entry)] : compare(known, entry);
    }),
  ];
}
