import type { Mutant } from "./mutants.ts";
import type { StreamEvent } from "./store.ts";

export interface ConnectionOptions {
  /** First sequence that the client does not have. */
  readonly next: number;
  readonly mutant: Mutant | undefined;
  readonly receive: (event: StreamEvent, expected: number) => void;
  readonly onClose: () => void;
}

/** Connection of a client to a node. Its cursor drops what the client has been sent already. */
export class Connection {
  next: number;
  isOpen = true;
  readonly #options: ConnectionOptions;
  readonly #onClose = new Set<() => void>();

  constructor(options: ConnectionOptions) {
    this.next = options.next;
    this.#options = options;
  }

  /** Calls a function when the connection closes. */
  whenClosed(run: () => void): void {
    this.#onClose.add(run);
  }

  write(event: StreamEvent): void {
    if (!this.isOpen) return;
    if (event.sequence < this.next && this.#options.mutant !== "connection without a cursor") return;
    const expected = this.next;
    this.next = event.sequence + 1;
    this.#options.receive(event, expected);
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const run of this.#onClose) run();
    this.#options.onClose();
  }
}
