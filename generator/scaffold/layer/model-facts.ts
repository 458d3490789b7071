import type { RevisionModel } from "../../model.ts";
import { declarationsByName, resolveObject } from "../../model/resolve.ts";

/** Returns the members that tools of a revision can have. */
export function toolMembers(model: RevisionModel): ReadonlySet<string> {
  const tool = resolveObject({ kind: "reference", name: "Tool" }, model);
  return new Set(tool?.properties.map(({ name }) => name));
}

/** True if a revision declares a type. */
export function declares(model: RevisionModel, name: string): boolean {
  return declarationsByName(model).has(name);
}

/** True if the transport of a revision over HTTP is HTTP with SSE: the revision has sessions, but no header for their ids. */
export function isOverSse({ rules }: RevisionModel): boolean {
  return rules.lifecycle === "handshake" && !rules.headers.some(({ source }) => source === "session");
}
