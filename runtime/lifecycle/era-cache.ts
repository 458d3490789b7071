import { systemClock, type Clock } from "../internal/timers.ts";

/** What a server turned out to be: requests to it stand alone, or a session is needed. */
export type ServerEra = "open" | "session";

/** What is remembered of one server. */
export interface EraEntry {
  read(): ServerEra | undefined;
  keep(verdict: ServerEra): void;
  forget(): void;
}

/**
 * Remembers what servers turned out to be, so that they need not be asked at every connection. That one needs a session is forgotten
 * after a while: it may have learned to do without, and nothing would ever fail that told us so.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/versioning
 */
export class EraCache {
  readonly #clock: Clock;
  readonly #notes = new Map<string, { readonly verdict: ServerEra; readonly until: number }>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** The note about the server with this URL or command. */
  noteOf(server: string): EraEntry {
    return {
      read: () => {
        const note = this.#notes.get(server);
        return note && this.#clock.now() < note.until ? note.verdict : undefined;
      },
      keep: (verdict) => {
        const until = verdict === "open" ? Infinity : this.#clock.now() + sessionLife;
        this.#notes.set(server, { verdict, until });
      },
      forget: () => void this.#notes.delete(server),
    };
  }
}

/** Milliseconds for which a server counts as one that needs sessions: an hour. */
const sessionLife = 60 * 60 * 1000;
