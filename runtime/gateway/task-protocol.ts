import { isObject, type Revision } from "../../generated/support.ts";
import { findRow } from "../protocol/method-rows.ts";
import { isMissingCapabilityError } from "../jsonrpc/errors.ts";
import { isOpen, type Session } from "../protocol/session.ts";
import { hasExtensionTasks, knowsTasks, taskGate } from "../tasks/task.ts";
import type { Principal } from "./principal.ts";

/** Kind of tasks of one side: those of the core, which clients request, or those of an extension, on which the server decides. */
export type TaskProtocol = "core" | "extension";

/** Returns the kind of tasks at a revision, if it has tasks. */
export function styleOf(revision: Revision): TaskProtocol | undefined {
  if (knowsTasks(revision)) return "core";
  return hasExtensionTasks(revision) ? "extension" : undefined;
}

/** True if tool calls may become tasks at the server of a session. */
export function hasTasks(session: Session): boolean {
  const { clientRequests } = session.revision;
  switch (styleOf(session.revision)) {
    case "core": {
      const row = findRow(clientRequests, "callTool");
      return row !== undefined && isOpen(taskGate(row, "server"), session);
    }
    case "extension": {
      const gate = findRow(clientRequests, "getTask")?.gate;
      return gate !== undefined && isOpen(gate, session);
    }
    default:
      return false;
  }
}

/** True if a server rejects a call because the call only runs as a task, with which the server may not respond. */
export function needsTasks(error: unknown, { revision }: { readonly revision: Revision }): boolean {
  if (!isMissingCapabilityError(error)) return false;
  const { extensions } = error.requiredCapabilities;
  const id = extensionOf(revision);
  return id !== undefined && isObject(extensions) && Object.hasOwn(extensions, id);
}

/** Returns a principal that declares tasks: the gateway follows tasks for its clients, even if they do not know tasks. */
export function declareTasks({ info, capabilities }: Principal, revision: Revision): Principal {
  const id = extensionOf(revision);
  const { extensions } = capabilities;
  if (id === undefined) return { info, capabilities };
  return { info, capabilities: { ...capabilities, extensions: { ...(isObject(extensions) && extensions), [id]: {} } } };
}

/** Returns the id of the extension by which a revision has tasks. */
function extensionOf({ clientRequests }: Revision): string | undefined {
  return findRow(clientRequests, "getTask")?.needs?.path.at(-1);
}
