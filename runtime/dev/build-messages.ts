import { isObject } from "../../generated/support.ts";
import type { BuildMessage } from "./bundler.ts";

/** Formats errors or warnings of a build: the place, the message, and the line of the source. */
export function formatMessages(messages: readonly BuildMessage[]): string {
  return messages.map(formatMessage).join("\n");
}

function formatMessage({ text, location, pluginName }: BuildMessage): string {
  if (!isObject(location)) return `  ${pluginName ? `${pluginName}: ` : ""}${text}`;
  const { file, line, column, lineText } = location;
  const source = lineText.trim() === "" ? "" : `\n    ${line} | ${lineText.trim()}`;
  return `  ${file}:${line}:${column + 1}: ${text}${source}`;
}
