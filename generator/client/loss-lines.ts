import { outputLine } from "../tool-schema/safe-text.ts";
import type { ClientPlan } from "./plan.ts";

/** What of a server's schemas did not come through as it was written, a line each. */
export function lossLines({ tools, refused }: ClientPlan): string[] {
  const lost = tools.flatMap(({ entry, losses }) =>
    losses.map(
      ({ kind, path, message }) =>
        `${kind.padEnd(9)}  ${outputLine(entry.name, 80)}  ${outputLine(path)}: ${outputLine(message)}`,
    ),
  );
  const gone = refused.map(({ name, reason }) => `left out   ${outputLine(name, 80)}: ${outputLine(reason)}`);
  return [...lost, ...gone];
}
