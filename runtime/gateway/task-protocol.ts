import { isObject, type Revision } from "../../generated/support.ts";
import { hasExtensionTasks } from "../client/tasks/extension-tasks.ts";
import { findRow } from "../protocol/method-rows.ts";
import { isMissingCapabilityError } from "../jsonrpc/errors.ts";
import { isOpen, type Session } from "../protocol/session.ts";
import { knowsTasks, taskGate } from "../tasks/task.ts";
import type { Principal, Upstream } from "./upstream.ts";

/** How one side has tasks: those of the core, which clients ask for, or those of an extension, which the server decides on. */
export type TaskProtocol = "core" | "extension";

/** How tasks are had at a revision, if they are. */
export function styleOf(revision: Revision): TaskProtocol | undefined {
  if (knowsTasks(revision)) return "core";
  return hasExtensionTasks(revision) ? "extension" : undefined;
}

/** Whether the server at the other end of a session lets calls of tools become tasks. */
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

/** Whether a server refuses a call because it can only run as a task, which it may not answer with. */
export function needsTasks(error: unknown, { revision }: Upstream): boolean {
  if (!isMissingCapabilityError(error)) return false;
  const { extensions } = error.requiredCapabilities;
  const id = extensionOf(revision);
  return id !== undefined && isObject(extensions) && Object.hasOwn(extensions, id);
}

/** Somebody on whose behalf the gateway follows tasks, whether they know them or not. */
export function declareTasks({ info, capabilities }: Principal, revision: Revision): Principal {
  const id = extensionOf(revision);
  const { extensions } = capabilities;
  if (id === undefined) return { info, capabilities };
  return { info, capabilities: { ...capabilities, extensions: { ...(isObject(extensions) && extensions), [id]: {} } } };
}

/** The extension by which a revision has tasks. */
function extensionOf({ clientRequests }: Revision): string | undefined {
  return findRow(clientRequests, "getTask")?.needs?.path.at(-1);
}
