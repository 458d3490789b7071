/**
 * Returns the line of a program's log which says most about its end: the last line without indentation. Lines with only brackets or the version of
 * Node.js are skipped, since they follow the message of an error.
 */
export function readLastWords(log: string): string {
  const lines = log.split(/\r?\n/).filter((line) => line.trim() !== "");
  return lines.findLast((line) => !detail.test(line)) ?? lines.at(-1)?.trim() ?? "";
}

/** Lines without a message: stacks, members of an error, closing brackets, and the last line of Node.js. */
const detail = /^(?:\s|[{}[\]()^~,;]+$|Node\.js v\d)/;
