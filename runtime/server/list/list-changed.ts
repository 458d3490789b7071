import { listChanged, type ListKind } from "../../protocol/list-kinds.ts";
import type { SessionRegistry } from "../subscriptions/session-registry.ts";

/** Announces that lists changed: once for each list and turn of the event loop, however many changes there are. */
export function createListChanges(sessions: SessionRegistry): (kind: ListKind) => void {
  const changed = new Set<ListKind>();
  const announce = (): void => {
    for (const kind of changed) sessions.notify(listChanged[kind], undefined);
    changed.clear();
  };
  return (kind) => {
    // Promises that are about to settle may bring further changes: a timer comes after them.
    if (changed.size === 0) setTimeout(announce);
    changed.add(kind);
  };
}
