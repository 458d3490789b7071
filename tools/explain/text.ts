import type { Loss } from "../../generator/conversions/conversions.ts";
import { outputLine } from "../../generator/internal/text.ts";

/** Parts of a server hidden from clients of a revision. */
export interface Explanation {
  readonly server: { readonly name: string; readonly version: string };
  readonly revision: string;
  /** Revision of the connection to the server: the newest one supported by the server. */
  readonly written: string;
  readonly parts: readonly ExplainedPart[];
  /** Extensions declared by the server. */
  readonly extensions: readonly ExplainedExtension[];
  /** Losses that occur only if a function of the server uses the feature. */
  readonly possible: readonly Loss[];
}

/** Extension declared by a server. */
export interface ExplainedExtension {
  readonly id: string;
  /** Stage of its specification; absent if it is not known. */
  readonly stage?: string;
  /** Revision of its specification; absent if it has none. */
  readonly revision?: string;
}

/** A part of the server: the server itself, a tool, a resource, a resource template or a prompt. */
export interface ExplainedPart {
  readonly part: string;
  readonly name: string;
  readonly losses: readonly ExplainedLoss[];
}

/** Value left out or converted. */
export interface ExplainedLoss {
  readonly type: string;
  readonly member: string;
  readonly rule: string;
  /** Revision that introduced it. */
  readonly since: string;
  readonly reason: string;
}

/** Writes an explanation for people: the losses, then the extensions whose specification may still change. */
export function emitExplanation(explanation: Explanation): string {
  const unstable = explanation.extensions.filter(({ stage }) => stage !== "stable");
  const lines = unstable.map(({ id, stage = "of unknown stage" }) => `  ${outputLine(id)}: ${stage}`);
  const losses = emitLosses(explanation);
  return lines.length === 0 ? losses : `${losses}\n\nExtensions that may change incompatibly:\n${lines.join("\n")}`;
}

/** Writes each loss, then the affected parts. */
function emitLosses({ server, revision, written, parts, possible }: Explanation): string {
  const head = `${outputLine(server.name)} ${outputLine(server.version)} for a client of ${revision}`;
  if (written <= revision) return `${head}: the server uses revision ${written}; nothing is lost.`;
  const groups = groupByLoss(parts);
  const same = parts.filter(({ losses }) => losses.length === 0).length;
  const blocks = [
    `${head}, based on its definition at ${written}:`,
    ...groups.map(({ loss, owners }) => [emitLoss(loss), ...wrap(owners)].join("\n")),
    groups.length === 0 ? "Nothing is lost." : `${same} of ${parts.length} parts are complete.`,
  ];
  const mayBe = new Set(possible.map(emitLoss));
  if (mayBe.size > 0) blocks.push("Only if a handler of the server uses it:", [...mayBe].join("\n"));
  return blocks.join("\n\n");
}

interface Group {
  readonly loss: ExplainedLoss;
  readonly owners: string[];
}

function groupByLoss(parts: readonly ExplainedPart[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const { part, name, losses } of parts) {
    for (const loss of losses) {
      const key = JSON.stringify([loss.type, loss.member, loss.rule]);
      const group = groups.get(key) ?? { loss, owners: [] };
      group.owners.push(`${part} ${outputLine(name)}`);
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}

function emitLoss({ type, member, rule, since, reason }: Loss | ExplainedLoss): string {
  const what = member === undefined || member === "" ? type : `${type}.${member}`;
  const when = since === "" ? "" : ` (since ${since})`;
  return `  ${what}${when}: ${effects[rule] ?? rule}. ${reason}`.trimEnd();
}

/** Effects of the rules. Other conversions are shown by the name of their rule. */
const effects: { readonly [rule: string]: string } = {
  drop: "omitted",
  error: "cannot be sent",
  unavailable: "not available",
};

/** Wraps lists of names below a loss. */
function wrap(names: readonly string[]): string[] {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last === undefined || last.length + name.length > 110) lines.push(`      ${name}`);
    else lines.splice(-1, 1, `${last}, ${name}`);
  }
  return lines;
}
