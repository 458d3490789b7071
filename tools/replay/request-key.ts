import { isObject } from "../../generated/support.ts";
import { isRedacted } from "./redact-message.ts";

/**
 * Returns a text that is the same for requests with the same meaning: metadata, request states, the order of members and the numbers of secrets do
 * not count.
 */
export function toRequestKey(method: string, params: unknown): string {
  return `${method} ${JSON.stringify(normalizeParams(params))}`;
}

/** Returns params without what differs between requests with the same meaning. */
export function normalizeParams(params: unknown): Record<string, unknown> {
  const { _meta, requestState: _state, arguments: args, ...rest } = isObject(params) ? params : {};
  // No arguments are the same as an empty object.
  const given = isObject(args) && Object.keys(args).length === 0 ? undefined : args;
  const normalized = toCanonical({ ...rest, ...(given !== undefined && { arguments: given }) });
  return isObject(normalized) ? normalized : {};
}

/** Sorts the members of all objects. */
function toCanonical(value: unknown): unknown {
  if (typeof value === "string") return isRedacted(value) ? "[redacted]" : value;
  if (Array.isArray(value)) return value.map(toCanonical);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [name, toCanonical(member)]);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Returns the candidate whose params have most values in common with the given ones. */
export function findNearest<Candidate extends { readonly params: unknown }>(
  params: unknown,
  candidates: readonly Candidate[],
): Candidate | undefined {
  const wanted = new Set(leavesOf(normalizeParams(params)));
  const rated = candidates.map((candidate) => {
    const leaves = leavesOf(normalizeParams(candidate.params));
    const common = leaves.filter((leaf) => wanted.has(leaf)).length;
    return { candidate, score: 2 * common - leaves.length };
  });
  const best = rated.reduce((most, { score }) => Math.max(most, score), -Infinity);
  return rated.find(({ score }) => score === best)?.candidate;
}

/** Lists the simple values in a value, each with its path. */
function leavesOf(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, `${path}/${index}`));
  if (isObject(value)) return Object.entries(value).flatMap(([name, member]) => leavesOf(member, `${path}/${name}`));
  return [`${path} ${JSON.stringify(value)}`];
}
