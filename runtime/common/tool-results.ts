import { isObject, type Issue } from "../../generated/support.ts";

/**
 * Models refuse conversations in which a tool use is not answered at once, by results and nothing else. Finds the first message of params
 * for sampling that is one of these.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#message-content-constraints
 */
export function checkToolResults(params: object): Issue | undefined {
  const { messages }: { readonly messages?: unknown } = params;
  const all: readonly unknown[] = Array.isArray(messages) ? messages : [];
  let asked: ReadonlySet<unknown> = new Set();
  for (const [index, message] of all.entries()) {
    const path = `messages/${index}`;
    const blocks = readBlocks(message);
    const results = blocks.filter(({ type }) => type === "tool_result");
    if (results.length > 0 && results.length < blocks.length)
      return { path, expected: "tool results and nothing else" };
    const answered = new Set(results.map(({ toolUseId }) => toolUseId));
    if (!isSame(asked, answered))
      return { path, expected: "a result for each tool use of the message before, no other" };
    asked = new Set(blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id));
  }
  if (asked.size === 0) return undefined;
  return { path: `messages/${all.length}`, expected: "a result for each tool use of the message before" };
}

function readBlocks(message: unknown): readonly Record<string, unknown>[] {
  const content = isObject(message) ? message.content : undefined;
  return (Array.isArray(content) ? content : [content]).filter(isObject);
}

function isSame(first: ReadonlySet<unknown>, second: ReadonlySet<unknown>): boolean {
  return first.size === second.size && [...first].every((member) => second.has(member));
}
