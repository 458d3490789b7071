/** Event of a stream. */
export interface SseEvent {
  readonly id: string | undefined;
  /** Empty when the event only marks a position. */
  readonly data: string;
  /** Milliseconds to wait before the stream is resumed, if the event sets them. */
  readonly retry?: number;
}

/** Parses events from the bytes of a stream. An event without its end is not returned, as the specification of server-sent events demands. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event) yield event;
    }
  }
}

function parseBlock(block: string): SseEvent | undefined {
  let id: string | undefined;
  const data: string[] = [];
  let retry: number | undefined;
  for (const line of block.split("\n")) {
    const [, field, value = ""] = /^(\w+):? ?(.*)$/s.exec(line) ?? [];
    if (field === "id") id = value;
    if (field === "data") data.push(value);
    if (field === "retry" && /^\d+$/.test(value)) retry = Number(value);
  }
  return id === undefined && data.length === 0
    ? undefined
    : { id, data: data.join("\n"), ...(retry !== undefined && { retry }) };
}
