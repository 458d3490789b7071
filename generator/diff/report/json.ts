import { worstOf } from "../../contract/verdict.ts";
import type { Comparison } from "../comparison.ts";

/** A comparison for programs. */
export function emitJson({ kind, older, newer, changes }: Comparison): string {
  const verdict = {
    client: worstOf(changes.map(({ client }) => client)),
    server: worstOf(changes.map(({ server }) => server)),
  };
  return JSON.stringify({ format: 1, kind, older, newer, verdict, changes }, undefined, 2);
}
