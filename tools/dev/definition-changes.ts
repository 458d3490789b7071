import { listKinds, type ListKind } from "../../runtime/protocol/methods/list-kinds.ts";
import type { Revision } from "../../generated/support.ts";
import type { CoreServer } from "../../runtime/server/server.ts";

/** Returns the kinds of lists of a server. */
export function readOffered(server: CoreServer): readonly ListKind[] {
  const { revisions } = server;
  const declared = revisions.flatMap((revision) => Object.keys(server.implement(revision).capabilities));
  return listKinds.filter((kind) => declared.includes(kind));
}

/** Returns what a new definition needs a restart for: connections and listeners keep it as long as they are open. */
export function findFixedChanges(before: CoreServer, after: CoreServer): readonly string[] {
  return describeExtensions(before.revisions) === describeExtensions(after.revisions) ? [] : ["the extensions"];
}

/** True if both servers have the same revisions. */
export function hasSameRevisions(before: CoreServer, after: CoreServer): boolean {
  return toIds(before.revisions) === toIds(after.revisions);
}

/** Returns the names of the new capabilities of a server at a revision: an earlier version of it did not declare them. */
export function findAddedCapabilities(before: CoreServer, after: CoreServer, revision: Revision): readonly string[] {
  const known = readCapabilities(before, revision);
  return readCapabilities(after, revision).filter((name) => !known.includes(name));
}

function readCapabilities(server: CoreServer, { id }: Revision): readonly string[] {
  const revision = server.revisions.find((candidate) => candidate.id === id);
  return revision ? Object.keys(server.implement(revision).capabilities) : [];
}

function toIds(revisions: readonly Revision[]): string {
  return revisions.map(({ id }) => id).join();
}

function describeExtensions(revisions: readonly Revision[]): string {
  return JSON.stringify(revisions.map(({ extensions = {} }) => extensions));
}
