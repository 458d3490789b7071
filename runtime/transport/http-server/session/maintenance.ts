import type { Clock } from "../../../internal/timers.ts";
import type { Connection } from "../../../protocol/session/connection.ts";

/** Connection that needs periodic maintenance. */
export interface Maintained {
  readonly connection: Pick<Connection, "closed" | "close">;
  keepAlive(): void;
  /** Extends the lifetime of a session of another process. Called in each round of maintenance. */
  renew?(): void;
}

/** Options of the maintenance of connections. */
export interface MaintenanceOptions {
  readonly clock: Clock;
  /** Milliseconds between comments on idle streams. */
  readonly keepAlive: number;
  /** Milliseconds for which an unused session lives. */
  readonly ttl: number;
  /** Called for each connection in each round; in some rounds, streams are to be kept alive as well. */
  visit(maintained: Maintained, isCommenting: boolean): void;
}

/**
 * Timer for all connections of a handler. It stops when there are none. A round has many turns, each for a part of the connections: to visit
 * thousands of them at once would delay all requests. With few connections, several turns are taken together, and the process wakes up less often.
 */
export class Maintenance {
  readonly #options: MaintenanceOptions;
  readonly #schedule: Schedule;
  /** Lasting connections, by the turn in which each is visited. */
  readonly #turns: readonly Set<Maintained>[];
  readonly #turnOf = new Map<Maintained, Set<Maintained>>();
  /** Connections visited together: few of them last longer than a turn. */
  readonly #brief = new Set<Maintained>();
  #lastTurn = -1;
  #turnsTaken = 0;
  #stopTicking: (() => void) | undefined;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
    this.#schedule = toSchedule(options);
    this.#turns = Array.from({ length: this.#schedule.turns }, () => new Set());
  }

  /** Adds a connection with a possibly short life. */
  addBrief(maintained: Maintained): void {
    this.#brief.add(maintained);
    this.#tick();
  }

  /** Adds a lasting connection. Each goes into the next turn, which spreads them evenly. */
  add(maintained: Maintained): void {
    this.#brief.delete(maintained);
    this.#lastTurn = (this.#lastTurn + 1) % this.#turns.length;
    const turn = this.#turns[this.#lastTurn];
    if (turn) this.#turnOf.set(maintained, turn.add(maintained));
    this.#tick();
  }

  delete(maintained: Maintained): void {
    this.#brief.delete(maintained);
    this.#turnOf.get(maintained)?.delete(maintained);
    this.#turnOf.delete(maintained);
  }

  /** Ends the maintenance of all connections. */
  stop(): void {
    this.#stopTicking?.();
    this.#brief.clear();
    this.#turnOf.clear();
    for (const turn of this.#turns) turn.clear();
  }

  #tick(): void {
    const { interval, turns } = this.#schedule;
    const taken = this.#size > fewConnections ? 1 : Math.min(turns, turnsTogether);
    this.#stopTicking ??= this.#options.clock.after((taken * interval) / turns, () => {
      this.#stopTicking = undefined;
      for (let turn = 0; turn < taken; turn += 1) this.#takeTurn();
      if (this.#size > 0) this.#tick();
    });
  }

  get #size(): number {
    return this.#turnOf.size + this.#brief.size;
  }

  #takeTurn(): void {
    const { turns, untilComment } = this.#schedule;
    const { visit } = this.#options;
    const turn = this.#turnsTaken % turns;
    this.#turnsTaken += 1;
    const isCommenting = Math.ceil(this.#turnsTaken / turns) % untilComment === 0;
    if (turn === 0) for (const maintained of this.#brief) visit(maintained, isCommenting);
    for (const maintained of this.#turns[turn] ?? []) visit(maintained, isCommenting);
  }
}

/** Schedule for the maintenance of connections. */
interface Schedule {
  /** Milliseconds of a round. */
  readonly interval: number;
  /** Parts of a round. */
  readonly turns: number;
  /** Number of rounds for each comment on streams. */
  readonly untilComment: number;
}

/** Returns the schedule: at least two rounds in the lifetime of an unused session, and as many as streams need for comments. */
function toSchedule({ keepAlive, ttl }: MaintenanceOptions): Schedule {
  const longest = ttl / 2;
  const untilComment = keepAlive === Infinity ? Infinity : Math.max(1, Math.ceil(keepAlive / longest));
  const interval = keepAlive === Infinity ? longest : keepAlive / untilComment;
  return { interval, turns: Math.min(mostTurns, Math.max(1, Math.floor(interval / shortestTurn))), untilComment };
}

/** Turns of a round at most. */
const mostTurns = 300;

/** Milliseconds between two turns at least, unless a round is shorter. */
const shortestTurn = 50;

/** Number of connections up to which turns are taken together. */
const fewConnections = 1_000;

/** Turns taken together then. */
const turnsTogether = 5;
