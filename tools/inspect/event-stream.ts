import type { ServerResponse } from "node:http";
import type { InspectorEvent } from "./page-messages.ts";

/** Open pages, which receive every event. */
export class EventStreams {
  readonly #streams = new Set<ServerResponse>();

  /** Opens a stream. The first events bring the page up to date. */
  open(response: ServerResponse, first: readonly InspectorEvent[]): void {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    this.#streams.add(response);
    response.on("close", () => this.#streams.delete(response));
    // A browser that has lost the stream opens it again after this number of milliseconds.
    response.write("retry: 1000\n\n");
    for (const event of first) response.write(toText(event));
  }

  send(event: InspectorEvent): void {
    if (this.#streams.size === 0) return;
    const text = toText(event);
    for (const stream of this.#streams) {
      stream.write(text);
      // A page that reads nothing would fill the memory. It gets everything again when it opens the stream again.
      if (stream.writableLength > mostWaiting) stream.destroy();
    }
  }

  close(): void {
    for (const stream of this.#streams) stream.end();
    this.#streams.clear();
  }
}

function toText(event: InspectorEvent): string {
  // JSON contains no line breaks, so that one line carries one event.
  return `data: ${JSON.stringify(event)}\n\n`;
}

/** Maximum bytes waiting for a page. */
const mostWaiting = 256 * 1024 * 1024;
