import { isObject, type Check, type Issue, type RequestRow } from "../../../generated/support.ts";
import { unescapeKey } from "../../internal/json-pointer.ts";
import { shorten } from "../../internal/shorten.ts";
import { omit } from "../revision/known-members.ts";

/** Result of a peer after a change, and what was changed, for a report. */
interface ReadableResult {
  readonly value: unknown;
  readonly changes: readonly string[];
}

/** Members of results that contain the items of a list, by handler. */
export const listMembers: ReadonlyMap<string, string> = new Map([
  ["listTools", "tools"],
  ["listPrompts", "prompts"],
  ["listResources", "resources"],
  ["listResourceTemplates", "resourceTemplates"],
  ["listSkills", "skills"],
]);

/**
 * Returns an invalid result without optional members that are `null`, and without the items of its list that are invalid: one of them must not cost
 * the whole list. Returns `undefined` if there is nothing to leave out.
 */
export function toReadable({ handler, method, result: check }: RequestRow, value: unknown): ReadableResult | undefined {
  const omitted = new Set<string>();
  const bare = omitNulls(check, value, (path) => omitted.add(path));
  const list = bare.issue && omitItems(check, bare.value, listMembers.get(handler));
  for (const path of list?.nulls ?? []) omitted.add(path);
  const changes = [
    ...[...omitted].map((path) => `The member ${path} in the result of ${method} is read as absent; it is null`),
    ...(list?.items ?? []).map((text) => `${text}; it is left out of the result of ${method}`),
  ];
  return changes.length > 0 ? { value: list ? list.value : bare.value, changes: changes.map(shorten) } : undefined;
}

/** Checked value, with the issue that remains. */
interface Checked {
  readonly value: unknown;
  readonly issue: Issue | undefined;
}

/** Omits members that are `null`, as long as one of them is the issue. Where it is in a list, it is omitted from all items. */
function omitNulls(check: Check, given: unknown, onOmitted: (path: string) => void): Checked {
  let value = given;
  for (let pass = 0; pass < mostPasses; pass += 1) {
    const issue = check(value);
    const path = issue?.path.split("/") ?? [];
    if (!issue || !isNull(value, path)) return { value, issue };
    onOmitted(toPattern(value, path));
    value = omitNull(value, path);
  }
  return { value, issue: check(value) };
}

/** True if the member at a path is `null`. Items of lists are not members. */
function isNull(value: unknown, [key = "", ...rest]: readonly string[]): boolean {
  const name = unescapeKey(key);
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return false;
  const inner: unknown = Reflect.get(value, name);
  return rest.length > 0 ? isNull(inner, rest) : inner === null && !Array.isArray(value);
}

function omitNull(value: unknown, [key = "", ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => omitNull(item, rest));
  const name = unescapeKey(key);
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  if (rest.length > 0) return { ...value, [name]: omitNull(value[name], rest) };
  return value[name] === null ? omit(value, name) : value;
}

/** Returns a path with `*` in place of the indexes of items. */
function toPattern(value: unknown, [key = "", ...rest]: readonly string[]): string {
  const inner: unknown = typeof value === "object" && value !== null ? Reflect.get(value, unescapeKey(key)) : undefined;
  const name = Array.isArray(value) ? "*" : key;
  return rest.length > 0 ? `${name}/${toPattern(inner, rest)}` : name;
}

interface ReadableList {
  readonly value: unknown;
  readonly nulls: ReadonlySet<string>;
  /** Descriptions of the items that were left out. */
  readonly items: readonly string[];
}

/** Checks each item of a list by itself, and leaves out invalid ones. */
function omitItems(check: Check, value: unknown, member = ""): ReadableList | undefined {
  const items = isObject(value) ? value[member] : undefined;
  if (!isObject(value) || !Array.isArray(items)) return undefined;
  const envelope = Object.fromEntries(envelopeMembers.map((name) => [name, value[name]]));
  const nulls = new Set<string>();
  const kept: unknown[] = [];
  const reasons: string[] = [];
  for (const [index, item] of items.entries()) {
    const read = omitNulls(check, { ...envelope, [member]: [item] }, (path) => nulls.add(path));
    const path = read.issue?.path ?? "";
    const isInvalid = path === `${member}/0` || path.startsWith(`${member}/0/`);
    if (isInvalid) reasons.push(describeItem(item, { index, member, issue: read.issue }));
    else kept.push(isObject(read.value) && Array.isArray(read.value[member]) ? read.value[member][0] : item);
  }
  return { value: { ...value, [member]: kept }, nulls, items: summarize(reasons, member) };
}

function describeItem(
  item: unknown,
  { index, member, issue }: { readonly index: number; readonly member: string; readonly issue: Issue | undefined },
): string {
  const name = isObject(item) ? [item.name, item.uri, item.uriTemplate].find((text) => typeof text === "string") : "";
  const place = issue?.path.slice(`${member}/0/`.length) ?? "";
  const named = name === "" || name === undefined ? "" : ` (${JSON.stringify(shorten(String(name)))})`;
  return `${member}/${index}${named}${place === "" ? "" : ` at ${place}`} must be ${issue?.expected}`;
}

/** Returns the reasons that are reported: a list may have very many invalid items. */
function summarize(reasons: readonly string[], member: string): readonly string[] {
  const more = reasons.length - mostReasons;
  return more > 0 ? [...reasons.slice(0, mostReasons), `${more} more items of ${member} are invalid`] : reasons;
}

/** Members of the result itself that its check requires at some revisions. */
const envelopeMembers = ["resultType", "ttlMs", "cacheScope"];

/** Maximum number of members that are `null`, counted once for all items of a list. */
const mostPasses = 32;

/** Maximum number of items of one result that are reported one by one. */
const mostReasons = 10;
