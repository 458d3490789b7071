import { refuse } from "./errors.ts";
import type { Sealer } from "./sealing.ts";

/** Cursors that clients cannot make or change: each is signed together with the list that it belongs to. */
export interface Cursors {
  /** Makes the cursor for a place in a list. What is in it can be read by anybody. */
  seal(scope: string, place: string): Promise<string>;
  /** The place that a cursor stands for; refuses one that was not made for this list, or not by this server. */
  open(scope: string, cursor: string): Promise<string>;
}

/** Makes cursors of what the sealer signs. */
export function createCursors(sealer: Sealer): Cursors {
  return {
    async seal(scope, place) {
      if (place.length > longestPlace) throw new Error(`The cursor of a list is too long: ${place.length}.`);
      return sealer.seal(toScope(scope), new TextEncoder().encode(place));
    },
    async open(scope, cursor) {
      const place = cursor.length > longestCursor ? undefined : await sealer.open(toScope(scope), cursor);
      if (!place) throw refuse("Unknown cursor: begin again without one");
      return new TextDecoder().decode(place);
    },
  };
}

/** The same keys may seal other things. */
function toScope(scope: string): string {
  return `cursor\n${scope}`;
}

/** Bounds what a list callback can put into a cursor, and what a client can make us look at. */
const longestPlace = 4_096;
const longestCursor = 20_000;
