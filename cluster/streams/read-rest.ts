import type { StreamPosition } from "../../runtime/stores/event-store.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import type { SharedEventStore, StreamPart } from "../stores/shared-event-store.ts";

/**
 * Reads the events a client has missed before it resumes a stream. `undefined` when the position is unknown, or when nothing follows on a stream
 * opened by GET, because the client has opened another since then.
 */
export async function readRest(
  store: Pick<SharedEventStore, "read">,
  session: SessionKey,
  position: StreamPosition,
): Promise<StreamPart | undefined> {
  const part = await store.read(session, position);
  const isOver = part?.isEnded === true && !part.isResponse && part.events.length === 0;
  return isOver ? undefined : part;
}
