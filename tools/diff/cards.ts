import type { CardInput, CardRemote, ServerCard } from "../../runtime/server-card/card.ts";
import type { CardDifference } from "../../runtime/server-card/differences.ts";
import type { ContractChange, Impact } from "../../generator/typed-client/contract/impact.ts";
import { compareSides, linesOf, type Comparison } from "./comparison.ts";
import { diffByKey } from "../../generator/internal/diff-by-key.ts";

/** Compares two Server Cards, or the card of a server at two times. */
export function compareCards(older: ServerCard, newer: ServerCard, names: readonly [string, string]): Comparison {
  const texts = rated.flatMap(({ member, client }) => compareMember(member, [older[member], newer[member]], client));
  const remotes = diffByKey(older.remotes ?? [], newer.remotes ?? [], {
    keyOf: nameOf,
    whole: (kind, remote) => toChange(nameOf(remote), wholeChange(kind)),
    compare: compareRemotes,
  });
  const sides = compareSides(toSides(older), toSides(newer));
  return { ...toComparison([...texts, ...remotes], names), sides };
}

/** Describes an address or a revision of a card which the other card does not have. */
function wholeChange(
  kind: "added" | "removed",
  detail: string = kind,
): Pick<ContractChange, "kind" | "detail" | "client"> {
  return { kind, detail, client: kind === "added" ? "additive" : "breaking" };
}

/** Compares a Server Card with its server, from what differs between them. */
export function compareCardWithServer(
  differences: readonly CardDifference[],
  { names, isCardOlder }: { readonly names: readonly [string, string]; readonly isCardOlder: boolean },
): Comparison {
  const changes = differences.map(({ member, card, server }) => {
    const [from, to] = isCardOlder ? [card, server] : [server, card];
    const detail = `${member} changed from ${quote(from)} to ${quote(to)}`;
    return toChange("server card", { kind: "changed", detail, client: "risky" });
  });
  return toComparison(changes, names);
}

/** Members that identify a server are risky to change, because clients and catalogs refer to them. */
const rated = [
  { member: "name", client: "risky" },
  { member: "version", client: "neutral" },
  { member: "title", client: "neutral" },
  { member: "description", client: "neutral" },
  { member: "websiteUrl", client: "neutral" },
  { member: "repository", client: "neutral" },
  { member: "icons", client: "neutral" },
  { member: "_meta", client: "neutral" },
] as const;

/** Returns the name of a remote. Two remotes may have the same URL, one for each transport. */
function nameOf({ type, url }: CardRemote): string {
  return type === "streamable-http" ? `remote ${url}` : `remote ${url} (${type})`;
}

function compareRemotes(older: CardRemote, newer: CardRemote): ContractChange[] {
  const subject = nameOf(newer);
  return [
    ...compareRevisions(subject, older.supportedProtocolVersions, newer.supportedProtocolVersions),
    ...compareInputs(subject, toHeaders(older), toHeaders(newer)),
    ...compareInputs(subject, toVariables(older), toVariables(newer)),
  ];
}

/** Compares lists of revisions. A card without one says nothing about them. */
function compareRevisions(
  subject: string,
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): ContractChange[] {
  if (!before || !after) return compareMember("supportedProtocolVersions", [before, after], "neutral", subject);
  return diffByKey(before, after, {
    keyOf: (id) => id,
    whole: (kind, id) => toChange(subject, wholeChange(kind, `revision ${id} ${kind}`)),
    compare: () => [],
  });
}

/** Values supplied by users, by name. */
type Inputs = ReadonlyMap<string, CardInput>;

function toHeaders({ headers = [] }: CardRemote): Inputs {
  return new Map(headers.map((header) => [`header ${header.name.toLowerCase()}`, header]));
}

function toVariables({ variables = {} }: CardRemote): Inputs {
  return new Map(Object.entries(variables).map(([name, input]) => [`variable ${name}`, input]));
}

/** Compares the values supplied by users. A newly required one breaks the configuration of each user. */
function compareInputs(subject: string, before: Inputs, after: Inputs): ContractChange[] {
  return [...new Set([...after.keys(), ...before.keys()])].flatMap((name): ContractChange[] => {
    const [old, now] = [before.get(name), after.get(name)];
    if (isNeeded(name, now) && !isNeeded(name, old))
      return [toChange(subject, { kind: "added", detail: `${name} is required`, client: "breaking" })];
    if (old && now) return compareMember(name, [old, now], "neutral", subject);
    return now
      ? [toChange(subject, { kind: "added", detail: `${name} added`, client: "additive" })]
      : [toChange(subject, { kind: "removed", detail: `${name} removed`, client: "neutral" })];
  });
}

/** True if a user has to supply the value. A URL needs one for each of its variables. */
function isNeeded(name: string, input: CardInput | undefined): boolean {
  if (!input) return false;
  return name.startsWith("header ") ? input.isRequired === true : (input.value ?? input.default) === undefined;
}

function compareMember(
  member: string,
  [before, after]: readonly [unknown, unknown],
  client: Impact,
  subject = "server card",
): ContractChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const detail = `${member} changed from ${quote(before)} to ${quote(after)}`;
  return [toChange(subject, { kind: "changed", detail, client })];
}

function toChange(subject: string, change: Pick<ContractChange, "kind" | "detail" | "client">): ContractChange {
  return { subject, ...change, server: "neutral" };
}

function toComparison(changes: readonly ContractChange[], [older, newer]: readonly [string, string]): Comparison {
  return { kind: "servers", older, newer, changes, timeline: [], matrix: [], sides: [] };
}

function quote(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, 200);
}

function toSides(card: ServerCard): ReadonlyMap<string, readonly string[]> {
  return new Map([["server card", linesOf(card)]]);
}
