import { fail, isObject, under, type Issue } from "../../../generated/support.ts";

/** Returns the params of a sampling request with a text. */
export function toSamplingParams(text: string, options: object): object {
  const { key: _key, ...params }: Record<string, unknown> = { maxTokens: defaultMaxTokens, ...options };
  return { messages: [{ role: "user", content: { type: "text", text } }], ...params };
}

/** Tokens of a response to a text at most, unless the request has `maxTokens`. */
const defaultMaxTokens = 1_000;

/** Returns the problem of a response other than text, if any. */
export function checkText(response: unknown): Issue | undefined {
  const content = isObject(response) ? response.content : undefined;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  const at = blocks.findIndex((block) => !isTextBlock(block));
  if (at < 0) return undefined;
  const issue = fail('"text", or the request sample({ messages, ... })', "type");
  return under("content", Array.isArray(content) ? under(at, issue) : issue);
}

/** Returns the text of a checked response. */
export function joinText(response: unknown): string {
  const content = isObject(response) ? response.content : undefined;
  return [content]
    .flat()
    .map((block) => (isTextBlock(block) ? block.text : ""))
    .join("");
}

function isTextBlock(block: unknown): block is { readonly text: string } {
  return isObject(block) && block.type === "text" && typeof block.text === "string";
}
