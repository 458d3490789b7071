/** Connection to the server, opened at its first use, and again after it could not be opened or has ended. */
export class LazyUpstream<
  Opened extends { readonly connection: { readonly closed: Promise<unknown> }; close(): Promise<void> },
> {
  #opening: Promise<Opened> | undefined;

  /** Returns the connection. Calls while it is being opened share it. */
  get(open: () => Promise<Opened>): Promise<Opened> {
    if (this.#opening) return this.#opening;
    const opening = open();
    this.#opening = opening;
    const forget = (): void => void (this.#opening = undefined);
    opening.then(({ connection }) => void connection.closed.then(forget), forget);
    return opening;
  }

  async close(): Promise<void> {
    await this.#opening?.then((upstream) => upstream.close()).catch(() => {});
  }
}
