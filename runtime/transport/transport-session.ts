import type { SessionValues, TransportSession } from "../jsonrpc/channel.ts";

/** Session over HTTP, as the connection knows it. Few sessions are observed, so the promise is created on demand. */
export class HttpTransportSession implements TransportSession {
  readonly id: string;
  readonly values: SessionValues | undefined;
  #ended: Promise<void> | undefined;
  #isEnded = false;
  #resolve: (() => void) | undefined;

  constructor(id: string, values: SessionValues | undefined) {
    this.id = id;
    this.values = values;
  }

  get ended(): Promise<void> {
    this.#ended ??= new Promise((resolve) => {
      if (this.#isEnded) resolve();
      else this.#resolve = resolve;
    });
    return this.#ended;
  }

  end(): void {
    this.#isEnded = true;
    this.#resolve?.();
  }
}
