import type { SessionKey } from "../runtime/stores/session-store.ts";

/** Returns a text for the id and owner of a session, different for each pair. */
export function nameSession({ id, owner }: SessionKey): string {
  return JSON.stringify([id, owner]);
}
