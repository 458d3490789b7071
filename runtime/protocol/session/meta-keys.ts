/**
 * Returns the reason why a key must not be put into `_meta`, if there is one. Each revision reserves other prefixes. A key is written once and sent
 * at all revisions, so the prefixes of every revision are rejected. The prefix of the specification's own extensions is allowed: an implementation of
 * an extension has to write it.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/index#_meta
 */
export function checkMetaKey(key: string): string | undefined {
  const end = key.lastIndexOf("/");
  const prefix = key.slice(0, Math.max(end, 0));
  const labels = end === -1 ? [] : prefix.split(".");
  if (!labels.every((label) => labelPattern.test(label))) {
    return `the prefix "${prefix}/" is not valid, use labels such as "com.example"`;
  }
  if (!namePattern.test(key.slice(end + 1))) return "a name must begin and end with a letter or a digit";
  if (prefix !== extensionPrefix && isReserved(labels)) return `the prefix "${prefix}/" is reserved for the protocol`;
  return undefined;
}

/** Returns the reason why metadata is invalid, if one of its keys is. */
export function checkMeta(meta: object): string | undefined {
  for (const key of Object.keys(meta)) {
    const problem = checkMetaKey(key);
    if (problem !== undefined) return `the key ${JSON.stringify(key)} of _meta is not valid: ${problem}`;
  }
  return undefined;
}

const labelPattern = /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;

/** Matches a name, which may be empty. */
const namePattern = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$/;

const extensionPrefix = "io.modelcontextprotocol";

/** True if a reserved label is the second one, or is followed by others. */
function isReserved(labels: readonly string[]): boolean {
  return labels.some((label, place) => own.has(label.toLowerCase()) && (place === 1 || place < labels.length - 1));
}

const own: ReadonlySet<string> = new Set(["modelcontextprotocol", "mcp"]);
