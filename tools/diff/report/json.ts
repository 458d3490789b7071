import { worstOf } from "../../../generator/typed-client/contract/impact.ts";
import { toJsonText } from "../../../generator/internal/json-text.ts";
import type { Comparison } from "../comparison.ts";

/** Writes a comparison as JSON, for programs. */
export function emitJson({ kind, older, newer, changes }: Comparison): string {
  const impact = {
    client: worstOf(changes.map(({ client }) => client)),
    server: worstOf(changes.map(({ server }) => server)),
  };
  return toJsonText({ format: 1, kind, older, newer, verdict: impact, changes });
}
