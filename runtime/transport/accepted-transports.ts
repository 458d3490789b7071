import type { Transport } from "./transport.ts";

/** Open transports accepted by a listener, each with the connection or server behind it. */
export class AcceptedTransports<T extends Transport = Transport> {
  readonly #open = new Map<T, unknown>();

  get open(): Iterable<T> {
    return this.#open.keys();
  }

  get size(): number {
    return this.#open.size;
  }

  /** Serves a transport until it is removed. Keeps the returned connection, if there is one. */
  async serve(transport: T, accept: (transport: T) => unknown): Promise<void> {
    this.#open.set(transport, undefined);
    const served = await accept(transport);
    if (this.#open.has(transport)) this.#open.set(transport, served);
  }

  remove(transport: T): void {
    this.#open.delete(transport);
  }

  /** Closes all connections, which gives running requests time to finish, and then their transports. */
  async close(): Promise<void> {
    const closeOne = async ([transport, served]: readonly [T, unknown]): Promise<void> => {
      if (isClosable(served)) await served.close();
      await transport.close();
    };
    await Promise.all([...this.#open].map(closeOne));
  }
}

function isClosable(value: unknown): value is { close(): unknown } {
  return typeof value === "object" && value !== null && "close" in value && typeof value.close === "function";
}
