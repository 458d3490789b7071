import { outputLine } from "../../internal/text.ts";
import type { ClientPlan } from "./plan.ts";

/** Lists the parts of a server's schemas that changed or got lost, one per line, and the tools that were left out. */
export function lossLines({ tools, rejected }: ClientPlan): string[] {
  const lost = tools.flatMap(({ entry, losses }) =>
    losses.map(
      ({ kind, path, message }) =>
        `${kind.padEnd(9)}  ${outputLine(entry.name, 80)}  ${outputLine(path)}: ${outputLine(message)}`,
    ),
  );
  const gone = rejected.map(({ name, reason }) => `left out   ${outputLine(name, 80)}: ${outputLine(reason)}`);
  return [...lost, ...gone];
}
