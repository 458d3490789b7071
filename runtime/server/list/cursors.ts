import { unknownCursor } from "../../jsonrpc/errors.ts";
import type { ClusterAccess } from "../../stores/shared-parts.ts";
import { createSigner } from "../signer.ts";

/** Creates and reads cursors. Each is valid only for the list for which it was created. */
export interface Cursors {
  /** Creates the cursor for a place in a list. Clients can read its content. */
  sign(scope: string, place: string): Promise<string>;
  /** Returns the place a cursor denotes. Rejects a cursor of another list. */
  verify(scope: string, cursor: string): Promise<string>;
}

/** Creates cursors protected from forgery and changes: each is signed together with its list. */
export function createSignedCursors(secrets: readonly Uint8Array[] | undefined, cluster?: ClusterAccess): Cursors {
  const signer = createSigner("cursorKeys", secrets, cluster);
  return {
    async sign(scope, place) {
      if (place.length > longestPlace)
        throw new Error(`The cursor of the list is too long: ${place.length} characters`);
      return signer.sign(toScope(scope), new TextEncoder().encode(place));
    },
    async verify(scope, cursor) {
      const place = cursor.length > longestCursor ? undefined : await signer.verify(toScope(scope), cursor);
      if (!place) throw unknownCursor();
      return new TextDecoder().decode(place);
    },
  };
}

/** Returns the scope of a cursor. The prefix separates cursors from other data signed with the same keys. */
function toScope(scope: string): string {
  return `cursor\n${scope}`;
}

/** Bounds, in characters: of the text a list callback puts into a cursor, and of the cursors read from clients. */
const longestPlace = 4_096;
const longestCursor = 20_000;
