import { EventDecoder, type ServerEvent } from "../../runtime/framing/sse-events.ts";
import { Mailbox } from "./mailbox.ts";

/** The stream by which everything comes from a server of the first revision. */
export class EventStream extends Mailbox {
  readonly #closing = new AbortController();
  #name: (data: string | undefined) => void = () => {};
  /** Where messages are to be posted, as the server names it; nothing when the stream ends before. */
  readonly endpoint: Promise<string | undefined> = new Promise((done) => (this.#name = done));

  /** Aborted when the stream is closed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Reads until the server or we close the stream. */
  async read(response: Response): Promise<void> {
    const decoder = new EventDecoder(
      { maxMessageBytes: 16 * 1024 * 1024 },
      {
        event: (event) => this.#take(event),
        problem: ({ message }) => void this.noise.push({ kind: "text", text: message }),
      },
    );
    try {
      for await (const chunk of response.body ?? []) decoder.push(chunk);
    } catch {
      // It was closed, or it broke: nothing arrives any more.
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
