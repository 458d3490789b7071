import { afterReads } from "../../../internal/timers.ts";

/**
 * Turns of principals with many requests at once. In one turn of the event loop, a few requests of each principal are handled. The others follow in
 * their order in later turns, and between two turns the requests of other principals are read. Otherwise a hundred requests of one principal would
 * delay all others.
 */
export class PrincipalTurns {
  readonly #turns = new Map<string, Turn>();

  /** Waits for the turn of a request. Returns `undefined` if it is its turn now. */
  take(principal: string): Promise<void> | undefined {
    const turn = this.#turns.get(principal) ?? this.#begin(principal);
    turn.taken += 1;
    if (turn.taken <= share) return undefined;
    return new Promise((resolve) => turn.waiting.push(resolve));
  }

  #begin(principal: string): Turn {
    const turn: Turn = { taken: 0, waiting: [] };
    this.#turns.set(principal, turn);
    afterReads(() => this.#next(principal, turn));
    return turn;
  }

  #next(principal: string, turn: Turn): void {
    const next = turn.waiting.splice(0, share);
    if (next.length === 0) return void this.#turns.delete(principal);
    // Requests which arrive now come after the waiting ones.
    turn.taken = next.length + turn.waiting.length;
    afterReads(() => this.#next(principal, turn));
    for (const resolve of next) resolve();
  }
}

/** Turn of a principal in the event loop. */
interface Turn {
  /** Requests handled in this turn, plus those waiting for a later one. */
  taken: number;
  readonly waiting: (() => void)[];
}

/** Requests of one principal in one turn. */
const share = 4;
