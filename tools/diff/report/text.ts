import { outputLine } from "../../../generator/internal/text.ts";
import { impacts, type ContractChange } from "../../../generator/typed-client/contract/impact.ts";
import type { Comparison } from "../comparison.ts";

/** Writes a comparison for a terminal, the worst changes first. */
export function emitText({ older, newer, kind, changes }: Comparison): string {
  const title = `${outputLine(older)} → ${outputLine(newer)}`;
  if (changes.length === 0) return `${title}: no difference.`;
  const width = Math.max(...impacts.map((impact) => impact.length));
  const columns = ({ client, server }: ContractChange): string =>
    kind === "revisions" ? `${client.padEnd(width)}  ${server.padEnd(width)}` : client.padEnd(width);
  const head = kind === "revisions" ? `${"client".padEnd(width)}  ${"server".padEnd(width)}` : "client".padEnd(width);
  const lines = sortChanges(changes).map(
    (change) => `${columns(change)}  ${outputLine(change.subject)}: ${outputLine(change.detail, 300)}`,
  );
  return [`${title}: ${summaryOf(changes)}`, head, ...lines].join("\n");
}

/** Returns the number of changes of each kind, as text. */
export function summaryOf(changes: readonly ContractChange[]): string {
  const count = (kind: ContractChange["kind"]): number => changes.filter((change) => change.kind === kind).length;
  return `${count("added")} added, ${count("removed")} removed, ${count("changed")} changed`;
}

/** Sorts changes by their worse impact, the worst first. Otherwise keeps their order. */
export function sortChanges(changes: readonly ContractChange[]): ContractChange[] {
  const rank = ({ client, server }: ContractChange): number =>
    Math.min(impacts.indexOf(client), impacts.indexOf(server));
  return [...changes].sort((a, b) => rank(a) - rank(b));
}
