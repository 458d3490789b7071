import type { RpcError } from "../../jsonrpc/errors.ts";
import { reject } from "../errors.ts";
import { createSealer } from "../input/sealing.ts";

/** Creates and reads cursors. Each is valid only for the list for which it was created. */
export interface Cursors {
  /** Creates the cursor for a place in a list. Clients can read its content. */
  seal(scope: string, place: string): Promise<string>;
  /** Returns the place that a cursor stands for. Rejects a cursor that was not created for this list. */
  open(scope: string, cursor: string): Promise<string>;
}

/** Creates the cursors of a program. Only signed cursors use the secrets. */
export type CreateCursors = (secrets: readonly Uint8Array[] | undefined) => Cursors;

/** Creates cursors that clients cannot forge or change: each is signed together with the list to which it belongs. */
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

/** Returns the scope of a cursor. The prefix separates cursors from other data that is sealed with the same keys. */
function toScope(scope: string): string {
  return `cursor\n${scope}`;
}

/** Bounds, in characters, of the text that a list callback puts into a cursor and of the cursors of clients that are read. */
const longestPlace = 4_096;
const longestCursor = 20_000;

/**
 * Creates unsigned cursors, for a process with one client and without list callbacks: places are numbers. A client that invents a cursor
 * only continues a list that it may see, so there is nothing to sign.
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
  return reject("Unknown cursor: begin again without one");
}
