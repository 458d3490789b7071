import { ByteBuffer } from "../../framing/byte-buffer.ts";
import { ResponseError } from "./errors.ts";

/**
 * Returns the whole body as text. Buffers no more than the limit.
 *
 * @throws {ResponseError} when the body is longer than `maxBytes` or not valid UTF-8
 */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const body = new ByteBuffer();
  await readChunks(response, (chunk) => {
    if (body.length + chunk.length > maxBytes) throw new ResponseError(`The response is longer than ${maxBytes} bytes`);
    body.push(chunk);
  });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body.bytes);
  } catch (cause) {
    throw new ResponseError("The response is not valid UTF-8", { cause });
  }
}

/** Passes the body to `take` as it arrives. An exception of `take` cancels the rest and is thrown again. */
export async function readChunks(response: Response, take: (chunk: Uint8Array) => void): Promise<void> {
  const reader = response.body?.getReader();
  if (!reader) return;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    try {
      take(value);
    } catch (error) {
      // A failure to cancel does not matter.
      reader.cancel().catch(() => {});
      throw error;
    }
  }
}

/** Reads an unused body to its end to make the connection reusable. A body longer than 64 KiB is cut off. */
export async function discard(response: Response): Promise<void> {
  await readText(response, maxDiscarded).catch(() => {});
}

/** Discards an unused body at once. Otherwise its connection would stay open until the response is collected as garbage. */
export function cancelBody(response: Response): void {
  // A failure to cancel does not matter.
  response.body?.cancel().catch(() => {});
}

/** Returns the media type without parameters, in lower case: `application/json`. */
export function readMediaType(response: Response): string {
  const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
  return type.trim().toLowerCase();
}

const maxDiscarded = 64 * 1024;
