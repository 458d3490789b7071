/**
 * Reads the JSON body of a successful response. Error messages do not quote the body.
 *
 * @throws {Error} when the status is not successful, or the body is too large or not JSON.
 */
export async function readBounded(response: Response, maxBytes: number): Promise<unknown> {
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`The authorization server returned HTTP ${response.status}`);
  }
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new Error(`The authorization server returned more than ${maxBytes} bytes`);
    text += utf8.decode(part, { stream: true });
  }
  try {
    return JSON.parse(text + utf8.decode());
  } catch {
    throw new Error("The authorization server returned invalid JSON");
  }
}
