/** Returns a new name for a node: 13 characters of base 36, from 64 random bits. */
export function createNodeName(): string {
  const [high = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  return high.toString(36).padStart(13, "0");
}

/** Returns the node of the id of a server request, or of a progress token; `undefined` for ids that no node has issued. */
export function nodeOfRequest(id: unknown): string | undefined {
  return typeof id === "string" ? /^([0-9a-z]{13})\.\d{1,15}$/.exec(id)?.[1] : undefined;
}

/** Returns the node that has the stream of a session of HTTP with SSE; `undefined` for ids that no node has issued. */
export function nodeOfSession(id: string): string | undefined {
  return /\.([0-9a-z]{13})$/.exec(id)?.[1];
}
