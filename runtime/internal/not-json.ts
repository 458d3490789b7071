/** Describes the first value that JSON would lose, with its path. Object members that are `undefined` are ignored. */
export function findNotJson(value: unknown, path = "", depth = 0): string | undefined {
  const at = path === "" ? "" : `at ${path.slice(1)} `;
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${at}the value is ${value}`;
  if (typeof value !== "object") return `${at}the value is a ${typeof value}`;
  if (depth === deepest) return `${at}the value is nested too deeply`;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value) || prototype === Object.prototype || prototype === null;
  if (!isPlain) return `${at}the value is an instance of a class`;
  const members = Object.entries(value).filter(([, member]) => Array.isArray(value) || member !== undefined);
  return members
    .map(([name, member]) => findNotJson(member, `${path}/${name}`, depth + 1))
    .find((problem) => problem !== undefined);
}

/** Default limit on the nesting of messages; only cycles are deeper. */
const deepest = 64;
