import { compareContracts } from "../../generator/typed-client/contract/compare-contracts.ts";
import type { Contract } from "../../generator/typed-client/contract/contract.ts";
import { compareSides, linesOf, type Comparison } from "./comparison.ts";

/** Compares two servers, or one server at two times. */
export function compareServers(older: Contract, newer: Contract, names: readonly [string, string]): Comparison {
  return {
    kind: "servers",
    older: names[0],
    newer: names[1],
    changes: compareContracts(older, newer),
    timeline: [],
    matrix: [],
    sides: compareSides(readSides(older), readSides(newer)),
  };
}

function readSides({ tools, prompts, resources, resourceTemplates }: Contract): ReadonlyMap<string, readonly string[]> {
  const side = (subject: string, entry: object): [string, string[]] => [subject, linesOf(entry)];
  return new Map([
    ...tools.map((tool) => side(`tool ${tool.name}`, tool)),
    ...prompts.map((prompt) => side(`prompt ${prompt.name}`, prompt)),
    ...resourceTemplates.map((one) => side(`resource template ${one.uriTemplate}`, one)),
    ...resources.map((one) => side(`resource ${one.uri}`, one)),
  ]);
}
