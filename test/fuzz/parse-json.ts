/** Returns the value of JSON text, or `undefined` for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a message of a tested peer, or a description of text that is not JSON: it is a problem. */
export function parseSent(text: string): unknown {
  const message = parseJson(text);
  return message === undefined ? `not JSON: ${text}` : message;
}
