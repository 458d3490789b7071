import { compareContracts } from "../typed-client/contract/compare-contracts.ts";
import type { Contract } from "../typed-client/contract/contract.ts";
import type { Comparison, Side } from "./comparison.ts";

/** Compares two servers, or one server at two times. */
export function compareServers(older: Contract, newer: Contract, names: readonly [string, string]): Comparison {
  return {
    kind: "servers",
    older: names[0],
    newer: names[1],
    changes: compareContracts(older, newer),
    timeline: [],
    matrix: [],
    sides: readSides(older, newer),
  };
}

function readSides(older: Contract, newer: Contract): Side[] {
  const before = entriesOf(older);
  const after = entriesOf(newer);
  return [...new Set([...after.keys(), ...before.keys()])].flatMap((subject) => {
    const side = { subject, before: linesOf(before.get(subject)), after: linesOf(after.get(subject)) };
    return side.before.join("\n") === side.after.join("\n") ? [] : [side];
  });
}

function entriesOf({ tools, prompts, resources, resourceTemplates }: Contract): Map<string, object> {
  return new Map([
    ...tools.map((tool): [string, object] => [`tool ${tool.name}`, tool]),
    ...prompts.map((prompt): [string, object] => [`prompt ${prompt.name}`, prompt]),
    ...resourceTemplates.map((one): [string, object] => [`resource template ${one.uriTemplate}`, one]),
    ...resources.map((one): [string, object] => [`resource ${one.uri}`, one]),
  ]);
}

function linesOf(entry: object | undefined): string[] {
  return entry ? JSON.stringify(entry, undefined, 2).split("\n") : [];
}
