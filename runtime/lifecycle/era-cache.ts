import { systemClock, type Clock } from "../internal/timers.ts";

/** Kind of a server: `open` accepts stateless requests, `session` needs a session. */
export type ServerEra = "open" | "session";

/** Cached kind of one server. */
export interface EraEntry {
  read(): ServerEra | undefined;
  keep(era: ServerEra): void;
  forget(): void;
}

/**
 * Remembers the kind of servers, so that it need not be discovered at every connection. The entry of a server with sessions expires: the server may
 * have been updated, and no failure would ever reveal the update.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export class EraCache {
  readonly #clock: Clock;
  readonly #notes = new Map<string, { readonly era: ServerEra; readonly until: number }>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Returns the entry of the server with this URL or command. */
  noteOf(server: string): EraEntry {
    return {
      read: () => {
        const note = this.#notes.get(server);
        return note && this.#clock.now() < note.until ? note.era : undefined;
      },
      keep: (era) => {
        const until = era === "open" ? Infinity : this.#clock.now() + sessionLife;
        this.#notes.set(server, { era, until });
      },
      forget: () => void this.#notes.delete(server),
    };
  }
}

/** Milliseconds for which a server counts as one with sessions: one hour. */
const sessionLife = 60 * 60 * 1000;
