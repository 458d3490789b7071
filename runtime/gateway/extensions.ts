import { extension as skills } from "../../generated/extensions/skills/methods.ts";
import { extension as tasks } from "../../generated/extensions/tasks/methods.ts";
import { extension as ui } from "../../generated/extensions/ui/methods.ts";
import { isObject, type Extension, type Revision } from "../../generated/support.ts";
import { extendRevisions } from "../rpc/extend.ts";
import type { Capabilities, Session } from "../rpc/session.ts";

/** The extensions that pass unless somebody says otherwise. */
export const knownExtensions: readonly Extension[] = [tasks, skills, ui];

/** The revisions as they are spoken to a server: it may use each extension, and what is declared of it is for the client to say. */
export function toSpoken(revisions: readonly Revision[], extensions: readonly Extension[]): readonly Revision[] {
  const undeclared = extensions.map((extension) => ({ ...extension, declared: {}, settings: {} }));
  return extendRevisions(revisions, undeclared, "client");
}

/** The revisions as they are served: with the extensions that the server declares, in its words. What it may not say of one is not repeated. */
export function toServed(
  revisions: readonly Revision[],
  extensions: readonly Extension[],
  { revision, peer }: Session,
): readonly Revision[] {
  const { extensions: declared } = peer.capabilities;
  const usable = extensions.flatMap((extension): readonly Extension[] => {
    const settings = isObject(declared) ? declared[extension.id] : undefined;
    const isUsable = isObject(settings) && extension.lifecycles.includes(revision.lifecycle);
    return isUsable && !extension.declared.server?.(settings) ? [{ ...extension, settings }] : [];
  });
  return extendRevisions(revisions, usable, "server");
}

/** Of declared capabilities, those extensions that are on a revision; nothing where there are none. */
export function pickExtensions({ extensions: declared }: Capabilities, { extensions = {} }: Revision): Capabilities {
  const ids = Object.keys(isObject(declared) ? declared : {}).filter((id) => Object.hasOwn(extensions, id));
  if (!isObject(declared) || ids.length === 0) return {};
  return { extensions: Object.fromEntries(ids.map((id) => [id, declared[id]])) };
}
