/** Failures by their descriptions. However many there are, they take bounded memory. */
export class Failures {
  readonly #counts = new Map<string, number>();
  #others = 0;

  add(subject: string, error: unknown): void {
    const description = `${subject}: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
    const count = this.#counts.get(description);
    if (count === undefined && this.#counts.size >= mostDescriptions) this.#others += 1;
    else this.#counts.set(description, (count ?? 0) + 1);
  }

  describe(): readonly string[] {
    const lines = [...this.#counts].map(([description, count]) => `${description} (${count} times)`);
    return this.#others === 0 ? lines : [...lines, `${this.#others} failures more`];
  }
}

const mostDescriptions = 30;
