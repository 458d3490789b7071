import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";

/** Writes a line for the developer to stderr, and the stack of an error. */
export function report(text: string, error?: unknown): void {
  if (error === undefined) console.error(`[dev] ${text}`);
  else console.error(`[dev] ${text}: ${describeError(error)}`);
}

/** Describes an error with its message, its stack and its causes. Calls inside the runtime and Node.js are left out: they do not help to find the fault. */
export function describeError(error: unknown): string {
  const folder = dirname(fileURLToPath(import.meta.resolve("mcp-server-runtime/package.json")));
  const url = dirname(import.meta.resolve("mcp-server-runtime/package.json"));
  const isInside = (line: string): boolean =>
    /^\s{1,1000}at /.test(line) && [folder, url, "(node:", "at node:"].some((place) => line.includes(place));
  return inspect(error)
    .split("\n")
    .filter((line) => !isInside(line))
    .join("\n");
}
