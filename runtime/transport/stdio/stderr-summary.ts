/**
 * Returns the line of a program's log that says most about its end: the last one that is not indented and is more than brackets or the version of
 * Node.js, which follow the message of an error.
 */
export function readLastWords(log: string): string {
  const lines = log.split(/\r?\n/).filter((line) => line.trim() !== "");
  return lines.findLast((line) => !detail.test(line)) ?? lines.at(-1)?.trim() ?? "";
}

/** Lines without a message: stacks, members of an error, closing brackets, and the last line of Node.js. */
const detail = /^(?:\s|[{}[\]()^~,;]+$|Node\.js v\d)/;
