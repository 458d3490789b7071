/** Compresses bytes; returns `undefined` where the platform cannot compress. */
export async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (typeof CompressionStream === "undefined") return undefined;
  return collect(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate")), Infinity);
}

/**
 * Decompresses the output of `deflate`. Returns `undefined` for other input, for more than `maxBytes` of output, and where the platform cannot
 * decompress.
 */
export async function inflate(
  bytes: Uint8Array<ArrayBuffer>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return await collect(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")), maxBytes);
  } catch {
    // The bytes are not the output of `deflate`, or the platform lacks the class.
    return undefined;
  }
}

/** Stops reading when the output is too long: a few bytes may expand to millions. */
async function collect(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    length += read.value.length;
    if (length > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(read.value);
  }
  const whole = new Uint8Array(length);
  let start = 0;
  for (const chunk of chunks) {
    whole.set(chunk, start);
    start += chunk.length;
  }
  return whole;
}
