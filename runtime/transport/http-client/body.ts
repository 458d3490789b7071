import { ByteBuffer } from "../../framing/byte-buffer.ts";
import { AnswerError } from "./errors.ts";

/** The whole body as text. Rejects when it is longer than the limit or not valid UTF-8; no more than the limit is kept. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const body = new ByteBuffer();
  await readChunks(response, (chunk) => {
    if (body.length + chunk.length > maxBytes) throw new AnswerError(`The answer is longer than ${maxBytes} bytes`);
    body.push(chunk);
  });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body.bytes);
  } catch (cause) {
    throw new AnswerError("The answer is not valid UTF-8", { cause });
  }
}

/** Hands over the body as it arrives. A throw of the consumer cancels the rest. */
export async function readChunks(response: Response, take: (chunk: Uint8Array) => void): Promise<void> {
  const reader = response.body?.getReader();
  if (!reader) return;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    try {
      take(value);
    } catch (error) {
      // The server's side of it does not matter any more.
      reader.cancel().catch(() => {});
      throw error;
    }
  }
}

/** Reads a body that is not needed to its end, so that the connection can be used again; a long one is cut off. */
export async function discard(response: Response): Promise<void> {
  await readText(response, maxDiscarded).catch(() => {});
}

/** The media type alone, in lower case: `application/json`. */
export function readMediaType(response: Response): string {
  const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
  return type.trim().toLowerCase();
}

const maxDiscarded = 64 * 1024;
