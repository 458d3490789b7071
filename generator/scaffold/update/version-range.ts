type Numbers = readonly number[];

/** True if all versions in a range of npm are older than a version. Ranges without an upper bound and other texts are never older. */
export function isOlderRange(range: string, version: string): boolean {
  return range.split("||").every((one) => {
    const end = endOf(one.trim());
    return end !== undefined && compareNumbers(end, readNumbers(version)) <= 0;
  });
}

/** True if a version is older than another one. Labels of prereleases are ignored. */
export function isOlderVersion(version: string, other: string): boolean {
  return compareNumbers(readNumbers(version), readNumbers(other)) < 0;
}

/** Returns the first version after a range such as `^0.1.2`, `~1.2` or `1.x`; `undefined` when there is none, or the range is of another form. */
function endOf(range: string): Numbers | undefined {
  const [, operator, text = ""] = /^(\^|~|=?)v?(\d+(?:\.\d+){0,2})(?:\.[x*])*(?:[-+][\w.+-]+)?$/.exec(range) ?? [];
  if (operator === undefined) return undefined;
  const numbers = readNumbers(text);
  const last = numbers.length - 1;
  const first = numbers.findIndex((number) => number > 0);
  const raised = { "^": first < 0 ? last : first, "~": Math.min(last, 1) }[operator] ?? last;
  return numbers.slice(0, raised + 1).map((number, at) => (at === raised ? number + 1 : number));
}

function readNumbers(version: string): Numbers {
  return (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);
}

function compareNumbers(one: Numbers, other: Numbers): number {
  const differences = [0, 1, 2].map((at) => (one[at] ?? 0) - (other[at] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}
