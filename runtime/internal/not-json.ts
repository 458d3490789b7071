/** Describes the first value JSON would lose, with its path. Object members that are `undefined` are ignored. */
export function findNotJson(value: unknown): string | undefined {
  return findBelow(value, { path: [], ancestors: new Set(), checked: new Map() });
}

/** State of one search. */
interface Search {
  /** Names of the members on the way to the current value. */
  readonly path: string[];
  readonly ancestors: Set<object>;
  /** Objects without a problem, with the depth at which they were checked. Only at a greater depth are they checked again. */
  readonly checked: Map<object, number>;
}

function findBelow(value: unknown, search: Search): string | undefined {
  const { path, ancestors, checked } = search;
  const problem = describeProblem(value, search);
  if (problem !== undefined) return `${path.length === 0 ? "" : `at ${path.join("/")} `}the value ${problem}`;
  if (typeof value !== "object" || value === null || (checked.get(value) ?? -1) >= path.length) return undefined;
  ancestors.add(value);
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined && !Array.isArray(value)) continue;
    path.push(name);
    const found = findBelow(member, search);
    if (found !== undefined) return found;
    path.pop();
  }
  ancestors.delete(value);
  checked.set(value, path.length);
  return undefined;
}

/** Describes a problem of a value itself, regardless of its members. */
function describeProblem(value: unknown, { path, ancestors }: Search): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `is ${value}`;
  if (typeof value !== "object") return `is a ${typeof value}`;
  if (ancestors.has(value)) return "contains itself";
  if (path.length >= deepest) return "is nested too deeply";
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value) || prototype === Object.prototype || prototype === null;
  return isPlain ? undefined : "is an instance of a class";
}

/** Default limit on the nesting of messages. */
const deepest = 64;
