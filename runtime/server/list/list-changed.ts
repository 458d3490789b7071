import { listChanged, type ListKind } from "../../protocol/list-kinds.ts";
import type { SessionRegistry } from "../subscriptions/session-registry.ts";

/** Creates a function that announces changed lists: once for each list and turn of the event loop, regardless of the number of changes. */
export function createListChanges(sessions: SessionRegistry): (kind: ListKind) => void {
  const changed = new Set<ListKind>();
  const announce = (): void => {
    for (const kind of changed) sessions.notify(listChanged[kind], undefined);
    changed.clear();
  };
  return (kind) => {
    // Promises that are about to settle may cause further changes: a timer runs after them.
    if (changed.size === 0) setTimeout(announce);
    changed.add(kind);
  };
}
