import type { CardRemote, ServerCard } from "../../runtime/server-card/card.ts";
import type { CardDifference } from "../../runtime/server-card/differences.ts";
import type { ContractChange, Impact } from "../typed-client/contract/impact.ts";
import type { Comparison } from "./comparison.ts";

/** Compares two Server Cards, or the card of a server at two times. */
export function compareCards(older: ServerCard, newer: ServerCard, names: readonly [string, string]): Comparison {
  const texts = rated.flatMap(({ member, client }) => compareMember(member, [older[member], newer[member]], client));
  const before = new Map(older.remotes?.map((remote) => [remote.url, remote]));
  const after = new Map(newer.remotes?.map((remote) => [remote.url, remote]));
  const gone = [...before.keys()].filter((url) => !after.has(url));
  const changes = [
    ...texts,
    ...gone.map((url) => toChange(`remote ${url}`, { kind: "removed", detail: "removed", client: "breaking" })),
    ...[...after].flatMap(([url, remote]) => {
      const old = before.get(url);
      if (!old) return [toChange(`remote ${url}`, { kind: "added", detail: "added", client: "additive" })];
      return compareRemotes(old, remote);
    }),
  ];
  const isEqual = JSON.stringify(older) === JSON.stringify(newer);
  const side = { subject: "server card", before: linesOf(older), after: linesOf(newer) };
  return { ...toComparison(changes, names), sides: isEqual ? [] : [side] };
}

/** Compares a Server Card with the server that it describes, from what differs between them. */
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
] as const;

function compareRemotes(older: CardRemote, newer: CardRemote): ContractChange[] {
  const subject = `remote ${newer.url}`;
  const versionsBefore = older.supportedProtocolVersions ?? [];
  const versionsAfter = newer.supportedProtocolVersions ?? [];
  const required = (remote: CardRemote): string[] =>
    (remote.headers ?? []).flatMap(({ name, isRequired }) => (isRequired ? [name.toLowerCase()] : []));
  const known = required(older);
  return [
    ...compareMember("type", [older.type, newer.type], "breaking", subject),
    ...versionsBefore
      .filter((id) => !versionsAfter.includes(id))
      .map((id) => toChange(subject, { kind: "removed", detail: `revision ${id} removed`, client: "breaking" })),
    ...versionsAfter
      .filter((id) => !versionsBefore.includes(id))
      .map((id) => toChange(subject, { kind: "added", detail: `revision ${id} added`, client: "additive" })),
    ...required(newer)
      .filter((name) => !known.includes(name))
      .map((name) => toChange(subject, { kind: "added", detail: `header ${name} is required`, client: "breaking" })),
  ];
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

function linesOf(card: ServerCard): string[] {
  return JSON.stringify(card, undefined, 2).split("\n");
}
