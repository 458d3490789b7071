import type { SessionKey } from "../stores/session-store.ts";

/** Returns a text that is different for each id and each owner of a session. */
export function nameSession({ id, owner }: SessionKey): string {
  return JSON.stringify([id, owner]);
}
