import { isObject } from "../../../generated/support.ts";

/**
 * Leaves out tools when their nesting would take a message beyond a limit: a client with this limit would lose the whole list.
 *
 * @param maxDepth - maximum levels of a message, of which a tool has those below its list
 */
export function omitDeepTools(
  result: unknown,
  maxDepth: number,
): { readonly result: unknown; readonly leftOut: readonly string[] } {
  const tools = isObject(result) && Array.isArray(result.tools) ? result.tools : [];
  const deep = new Set<unknown>(tools.filter((tool) => isDeeper(tool, maxDepth - levelsAbove)));
  if (deep.size === 0) return { result, leftOut: [] };
  const leftOut = [...deep].map((tool) => (isObject(tool) ? String(tool.name) : ""));
  return { result: { ...(isObject(result) && result), tools: tools.filter((tool) => !deep.has(tool)) }, leftOut };
}

/** Levels above a tool: the message, its result and the list. */
const levelsAbove = 3;

/** True if a value has more levels of objects and lists. The value is at most as deep as its message, which is bounded. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
