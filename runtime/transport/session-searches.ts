/** Searches for sessions in a store. If a session ends during a search, the record found must not bring it back. */
export class SessionSearches {
  readonly #running = new Set<Search>();

  /** Passes on what a search finds as soon as it is there: nothing when the session has ended since the search began. */
  async wait<Found, Result>(
    id: string,
    finding: Promise<Found>,
    use: (found: Found | undefined) => Result,
  ): Promise<Result> {
    const search: Search = { id, hasEnded: false };
    this.#running.add(search);
    try {
      const found = await finding;
      return use(search.hasEnded ? undefined : found);
    } finally {
      this.#running.delete(search);
    }
  }

  /** Ends a session for the searches in progress. */
  end(id: string): void {
    for (const search of this.#running) if (search.id === id) search.hasEnded = true;
  }
}

interface Search {
  readonly id: string;
  hasEnded: boolean;
}
