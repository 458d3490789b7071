import { isObject, type Issue } from "../../../generated/support.ts";

/**
 * Finds the first message of sampling params that models reject: the message after a tool use must have its results and nothing else.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#message-content-constraints
 */
export function checkToolResults(params: object): Issue | undefined {
  const { messages }: { readonly messages?: unknown } = params;
  const all: readonly unknown[] = Array.isArray(messages) ? messages : [];
  let asked: readonly unknown[] = [];
  for (const [index, message] of all.entries()) {
    const path = `messages/${index}`;
    const blocks = readBlocks(message);
    const results = blocks.filter(({ type }) => type === "tool_result");
    if (results.length > 0 && results.length < blocks.length) return { path, expected: "tool results only" };
    if (!isMatch(asked, results))
      return { path, expected: "exactly one result for each tool use of the previous message" };
    asked = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id);
    const speaker = results.length > 0 ? "user" : "assistant";
    if (results.length + asked.length > 0 && !hasRole(message, speaker))
      return { path, expected: `a message of the ${speaker}` };
    if (new Set(asked).size < asked.length) return { path, expected: "tool uses with unique ids" };
  }
  if (asked.length === 0) return undefined;
  return { path: `messages/${all.length}`, expected: "a result for each tool use of the previous message" };
}

function readBlocks(message: unknown): readonly Record<string, unknown>[] {
  const content = isObject(message) ? message.content : undefined;
  return (Array.isArray(content) ? content : [content]).filter(isObject);
}

function isMatch(asked: readonly unknown[], results: readonly Record<string, unknown>[]): boolean {
  const responded = new Set(results.map(({ toolUseId }) => toolUseId));
  return asked.length === results.length && asked.every((id) => responded.has(id));
}

function hasRole(message: unknown, role: string): boolean {
  return isObject(message) && message.role === role;
}
