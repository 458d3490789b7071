/** Returns a free name: the wanted one, or the wanted one with a number. */
export function uniqueName(wanted: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(wanted)) return wanted;
  for (let number = 2; ; number += 1) if (!isTaken(`${wanted}${number}`)) return `${wanted}${number}`;
}

/** Returns a function to make names unique. It adds numbers to names that differ only in spelling; `taken` has lower-case names. */
export function createNamer(convert: (name: string) => string, taken: Set<string>): (name: string) => string {
  return (name) => {
    const found = uniqueName(convert(name), (one) => taken.has(one.toLowerCase()));
    taken.add(found.toLowerCase());
    return found;
  };
}
