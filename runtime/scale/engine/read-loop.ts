/** Runs a function that reads what is new: one run at a time, and one more when it is requested meanwhile. */
export class ReadLoop {
  readonly #read: () => Promise<void>;
  #isReading = false;
  #isRequested = false;
  #isStopped = false;

  constructor(read: () => Promise<void>) {
    this.#read = read;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Requests a run. A run that fails is repeated: the store may not request another one. */
  request(): void {
    if (this.#isStopped) return;
    this.#isRequested = true;
    if (this.#isReading) return;
    this.#isReading = true;
    this.#readAll()
      .catch(() => this.#requestLater())
      .finally(() => (this.#isReading = false));
  }

  async #readAll(): Promise<void> {
    while (this.#isRequested && !this.#isStopped) {
      this.#isRequested = false;
      await this.#read();
    }
  }

  #requestLater(): void {
    if (!this.#isStopped) setTimeout(() => this.request(), retryDelay).unref();
  }
}

/** Milliseconds until a run that has failed is repeated. */
const retryDelay = 250;
