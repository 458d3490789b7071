import { filterMembers, type ListenFilter } from "../../protocol/methods/subscription-filter.ts";

/** True if two filters request the same changes. */
export function isSameFilter(a: ListenFilter, b: ListenFilter): boolean {
  const { resourceSubscriptions: left = [], ...lists } = a;
  const { resourceSubscriptions: right = [], ...others } = b;
  const uris = new Set(right);
  const isSame = left.length === right.length && left.every((uri) => uris.has(uri));
  return isSame && Object.values(filterMembers).every((member) => lists[member] === others[member]);
}

/** Returns a filter with these resources. */
export function toFilter(lists: ListenFilter, resourceSubscriptions: readonly string[]): ListenFilter {
  return { ...lists, ...(resourceSubscriptions.length > 0 && { resourceSubscriptions }) };
}

/** Divides resources into two parts. */
export function halve(uris: readonly string[]): readonly (readonly string[])[] {
  const middle = Math.ceil(uris.length / 2);
  return [uris.slice(0, middle), uris.slice(middle)];
}
