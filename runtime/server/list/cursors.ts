import type { RpcError } from "../../jsonrpc/errors.ts";
import { refuse } from "../errors.ts";
import { createSealer } from "../input/sealing.ts";

/** Cursors, each of which is good for the list that it was made for. */
export interface Cursors {
  /** Makes the cursor for a place in a list. What is in it can be read by anybody. */
  seal(scope: string, place: string): Promise<string>;
  /** The place that a cursor stands for; refuses one that was not made for this list. */
  open(scope: string, cursor: string): Promise<string>;
}

/** How a program makes cursors; secrets that sign them are for those that are signed. */
export type CreateCursors = (secrets: readonly Uint8Array[] | undefined) => Cursors;

/** Cursors that clients cannot make or change: each is signed together with the list that it belongs to. */
export function createSignedCursors(secrets: readonly Uint8Array[] | undefined): Cursors {
  const sealer = createSealer("cursorKeys", secrets);
  return {
    async seal(scope, place) {
      if (place.length > longestPlace) throw new Error(`The cursor of a list is too long: ${place.length}.`);
      return sealer.seal(toScope(scope), new TextEncoder().encode(place));
    },
    async open(scope, cursor) {
      const place = cursor.length > longestCursor ? undefined : await sealer.open(toScope(scope), cursor);
      if (!place) throw unknownCursor();
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

/**
 * For a process with one client, whose lists are of its own making: places are numbers, and whoever makes one up only goes on in a list that
 * it may see. There is nothing to sign.
 */
export function createPlainCursors(): Cursors {
  const toCursor = (scope: string, place: string): string => `${place}/${scope.replaceAll("\n", "/")}`;
  return {
    seal: async (scope, place) => toCursor(scope, place),
    async open(scope, cursor) {
      const [place] = /^\d{1,9}(?=\/)/.exec(cursor) ?? [];
      if (place === undefined || cursor !== toCursor(scope, place)) throw unknownCursor();
      return place;
    },
  };
}

function unknownCursor(): RpcError {
  return refuse("Unknown cursor: begin again without one");
}
