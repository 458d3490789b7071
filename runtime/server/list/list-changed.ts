import { inLaterTurn } from "../../internal/timers.ts";
import { listChanged, type ListKind } from "../../protocol/methods/list-kinds.ts";
import type { SessionRegistry } from "../subscriptions/session-registry.ts";

/** Creates a function to notify clients of changed lists: once for each list and turn of the event loop, regardless of the number of changes. */
export function createListChanges(sessions: SessionRegistry): (kind: ListKind) => void {
  const changed = new Set<ListKind>();
  return (kind) => {
    for (const audience of sessions.audiences) audience.listChanged?.(kind);
    // Promises that are about to settle may cause further changes: a timer runs after them.
    if (changed.has(kind)) return;
    changed.add(kind);
    inLaterTurn(() => {
      // First: a receiver that throws must not keep later changes from being notified.
      changed.delete(kind);
      sessions.notify(listChanged[kind], undefined);
    });
  };
}
