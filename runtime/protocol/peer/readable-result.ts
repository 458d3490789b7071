import { isObject, type Check, type Issue, type RequestRow } from "../../../generated/support.ts";
import { unescapeKey } from "../../internal/json-pointer.ts";
import { shorten } from "../../internal/shorten.ts";
import { omit } from "../revision/known-members.ts";

/** Members of results with the items of a list, by handler. */
export const listMembers: ReadonlyMap<string, string> = new Map([
  ["listTools", "tools"],
  ["listPrompts", "prompts"],
  ["listResources", "resources"],
  ["listResourceTemplates", "resourceTemplates"],
  ["listSkills", "skills"],
]);

/**
 * Returns an invalid result without optional members that are `null`, and without the invalid items of its list: one of them must not cost the whole
 * list.
 */
export function toReadable(
  { handler, method, result: check }: RequestRow,
  value: unknown,
): { readonly value: unknown; readonly changes: readonly string[] } {
  const omitted = new Set<string>();
  const bare = omitNulls(check, value, (path) => omitted.add(path));
  const list = bare.issue && omitItems(check, bare.value, listMembers.get(handler));
  for (const path of list?.nulls ?? []) omitted.add(path);
  const changes = [
    ...[...omitted].map((path) => `The member ${path} in the result of ${method} is read as absent; it is null`),
    ...(list?.items ?? []).map((text) => `${text}; it is left out of the result of ${method}`),
  ];
  return { value: list ? list.value : bare.value, changes: changes.map(shorten) };
}

/** Checked value, with the remaining issue. */
interface Checked {
  readonly value: unknown;
  readonly issue: Issue | undefined;
}

/** Omits members that are `null`, as long as one of them is the issue. If such a member is in a list, it is omitted from all items. */
function omitNulls(check: Check, given: unknown, onOmitted: (path: string) => void): Checked {
  let value = given;
  let issue = check(value);
  for (let pass = 0; issue && pass < mostPasses; pass += 1) {
    const path = issue.path.split("/");
    const pattern = findNull(value, path);
    if (!pattern) break;
    onOmitted(pattern.join("/"));
    value = omitNull(value, path);
    issue = check(value);
  }
  return { value, issue };
}

/** Returns the path of a member that is `null`, with `*` in place of the indexes of items; `undefined` for any other value, such as an item. */
function findNull(value: unknown, path: readonly string[]): readonly string[] | undefined {
  const pattern: string[] = [];
  let owner: unknown;
  let inner = value;
  for (const key of path) {
    owner = inner;
    pattern.push(Array.isArray(owner) ? "*" : key);
    inner = Object.getOwnPropertyDescriptor(Object(owner), unescapeKey(key))?.value;
  }
  return inner === null && !Array.isArray(owner) ? pattern : undefined;
}

function omitNull(value: unknown, [key = "", ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => omitNull(item, rest));
  const name = unescapeKey(key);
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  if (rest.length > 0) return { ...value, [name]: omitNull(value[name], rest) };
  return value[name] === null ? omit(value, name) : value;
}

interface ReadableList {
  readonly value: unknown;
  readonly nulls: ReadonlySet<string>;
  /** Descriptions of the omitted items. */
  readonly items: readonly string[];
}

/** Checks each item of a list by itself, and leaves out invalid ones. */
function omitItems(check: Check, value: unknown, member = ""): ReadableList | undefined {
  const items = isObject(value) ? value[member] : undefined;
  if (!isObject(value) || !Array.isArray(items)) return undefined;
  const prefix = `${member}/0`;
  const checkItem: Check = (item) => {
    const issue = check({ [member]: [item] });
    return issue?.path.startsWith(prefix) ? { ...issue, path: issue.path.slice(prefix.length + 1) } : undefined;
  };
  const nulls = new Set<string>();
  const kept: unknown[] = [];
  const reasons: string[] = [];
  for (const [index, item] of items.entries()) {
    const read = omitNulls(checkItem, item, (path) => nulls.add(`${member}/*/${path}`));
    if (read.issue) reasons.push(describeItem(item, { place: `${member}/${index}`, issue: read.issue }));
    else kept.push(read.value);
  }
  return { value: { ...value, [member]: kept }, nulls, items: summarize(reasons, member) };
}

function describeItem(item: unknown, { place, issue }: { readonly place: string; readonly issue: Issue }): string {
  const name = isObject(item) ? [item.name, item.uri, item.uriTemplate].find((text) => typeof text === "string") : "";
  const named = name ? ` (${JSON.stringify(shorten(name))})` : "";
  return `${place}${named}${issue.path === "" ? "" : ` at ${issue.path}`} must be ${issue.expected}`;
}

/** Returns the reasons to report: a list may have very many invalid items. */
function summarize(reasons: readonly string[], member: string): readonly string[] {
  const more = reasons.length - mostReasons;
  return more > 0 ? [...reasons.slice(0, mostReasons), `${more} more items of ${member} are invalid`] : reasons;
}

/** Maximum number of members that are `null`, counted once for all items of a list. */
const mostPasses = 32;

/** Maximum number of items of one result to report one by one. */
const mostReasons = 10;
