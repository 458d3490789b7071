import { extension as skills } from "../../generated/extensions/skills/methods.ts";
import { extension as tasks } from "../../generated/extensions/tasks/methods.ts";
import { extension as ui } from "../../generated/extensions/ui/methods.ts";
import { isObject, type Extension, type Revision } from "../../generated/support.ts";
import { extendRevisions } from "../protocol/revision/extend-revisions.ts";
import { taskProtocolOf } from "../client/tasks/task-protocol.ts";
import type { Capabilities, Session } from "../protocol/session/session.ts";

/** Extensions passed by default. */
export const knownExtensions: readonly Extension[] = [tasks, skills, ui];

/** Returns the revisions as spoken to a server: it may use each extension, and the client decides what is declared of it. */
export function withExtensions(revisions: readonly Revision[], extensions: readonly Extension[]): readonly Revision[] {
  const undeclared = extensions.map((extension) => ({ ...extension, declared: {}, settings: {} }));
  return extendRevisions(revisions, undeclared, "client");
}

/**
 * Returns the revisions as served to clients: with the declared extensions of the server, in its settings, and with the tasks extension if the server
 * has tasks of another kind. An extension with invalid settings is left out.
 */
export function toServed(
  revisions: readonly Revision[],
  extensions: readonly Extension[],
  server: Session,
): readonly Revision[] {
  const usable = extensions.flatMap((extension): readonly Extension[] => {
    const settings = readSettings(extension, server);
    return settings && !extension.declared.server?.(settings) ? [{ ...extension, settings }] : [];
  });
  return extendRevisions(revisions, usable, "server");
}

function readSettings(extension: Extension, server: Session): Record<string, unknown> | undefined {
  const { lifecycle } = server.revision;
  if (extension.id === tasks.id && !extension.lifecycles.includes(lifecycle)) {
    return taskProtocolOf(server.revision).isDeclared(server) ? {} : undefined;
  }
  const { extensions: declared } = server.peer.capabilities;
  const settings = isObject(declared) ? declared[extension.id] : undefined;
  return isObject(settings) && extension.lifecycles.includes(lifecycle) ? settings : undefined;
}

/** Returns the declared extensions which are on a revision; an empty object if there are none. */
export function pickExtensions({ extensions: declared }: Capabilities, { extensions = {} }: Revision): Capabilities {
  const ids = Object.keys(isObject(declared) ? declared : {}).filter((id) => Object.hasOwn(extensions, id));
  if (!isObject(declared) || ids.length === 0) return {};
  return { extensions: Object.fromEntries(ids.map((id) => [id, declared[id]])) };
}
