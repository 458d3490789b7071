import { EventDecoder, type ServerEvent } from "../../../runtime/framing/sse-events.ts";
import { keep, ReceivedMessages } from "./received-messages.ts";

/** The event stream with all messages of a server at the first revision. */
export class EventStream extends ReceivedMessages {
  readonly #closing = new AbortController();
  #name: (data: string | undefined) => void = () => {};
  /** Address to post messages to, as the server names it; `undefined` if the stream ends first. */
  readonly endpoint: Promise<string | undefined> = new Promise((done) => (this.#name = done));

  /** Aborted when the stream is closed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Reads until either side closes the stream. */
  async read(response: Response): Promise<void> {
    const decoder = new EventDecoder(
      { maxMessageBytes: 16 * 1024 * 1024 },
      {
        event: (event) => this.#take(event),
        problem: ({ message }) => keep(this.strayData, { kind: "text", text: message }),
      },
    );
    try {
      for await (const chunk of response.body ?? []) decoder.push(chunk);
    } catch {
      // The stream was closed or broke off. Nothing more arrives.
    }
    this.close();
  }

  close(): void {
    this.#name(undefined);
    this.end();
    this.#closing.abort();
  }

  #take({ type, data }: ServerEvent): void {
    if (type === "endpoint") this.#name(data);
    else if (type === "message" && data !== "") this.takeText(data);
  }
}
